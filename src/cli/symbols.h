/* symbols.h - which functions and source lines an address of a file is: of a program or library whose process is gone.
 *
 * Functions come from the file's symbol table (.symtab, else .dynsym); lines, and functions that were inlined there,
 * from its DWARF when it has some. Separate debug files are not looked for. */
#ifndef LS_CLI_SYMBOLS_H
#define LS_CLI_SYMBOLS_H

#include "base/arena.h"
#include "base/base.h"

struct symbols;

struct symbol {
    const char *function; /* as in the table: mangled; NULL: unknown */
    const char *file;     /* NULL: no debug information */
    u32 line;
};

enum { SYMBOLS_INLINED = 12 }; /* functions at one address; more are left out */

struct symbols *symbols_open(void); /* NULL: no memory */
void symbols_close(struct symbols *s);

/* `offset`: the return address, counted from where the file is loaded; the instruction before it is looked up. Texts go
 * to mem, which must outlive s. How many functions stand there, innermost first; 0: nothing is known. */
u32 symbols_find(struct symbols *s, struct arena *mem, const char *module, u64 offset,
                 struct symbol out[SYMBOLS_INLINED]);

#endif
