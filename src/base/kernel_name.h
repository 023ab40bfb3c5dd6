/* kernel_name.h - a kernel's name in the three forms that ncu knows: mangled (as in PTX), demangled (with parameters
 * and template arguments, written as ncu writes them), and the function's bare name. */
#ifndef LS_BASE_KERNEL_NAME_H
#define LS_BASE_KERNEL_NAME_H

#include "base/base.h"

enum kernel_base { KERNEL_FUNCTION, KERNEL_DEMANGLED, KERNEL_MANGLED };

/* "function", "demangled", "mangled"; false: none of them. */
bool kernel_base_find(const char *name, enum kernel_base *out);

/* The name in that form, cut to fit; a name that is not mangled is the same in all of them. Returns out. The demangled
 * form needs the C++ runtime library of the machine (libstdc++ or libc++abi), which is looked for at the first call;
 * without one it is the mangled name. */
const char *kernel_name(const char *mangled, enum kernel_base base, char *out, size_t size);

/* For messages: demangled; if that has more than 120 characters, the insides of templates become <...>, the innermost first, then
 * the parameters (...), as far as is needed. */
enum { KERNEL_SHORT = 128 };
const char *kernel_name_short(const char *mangled, char out[KERNEL_SHORT]);

/* Rewrites a name as __cxa_demangle gives it in ncu's spelling: "f(float const*)" to "f(const float *)". */
void kernel_name_spell(const char *name, char *out, size_t size);

#endif
