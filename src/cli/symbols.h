/* symbols.h - which function and source line an address of a file is: of a program or library whose process is gone.
 *
 * Functions come from the file's symbol table (.symtab, else .dynsym), lines from its DWARF when it has some; neither
 * separate debug files nor inlined functions are looked at. */
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

struct symbols *symbols_open(void); /* NULL: no memory */
void symbols_close(struct symbols *s);

/* `offset`: the return address, counted from where the file is loaded; the instruction before it is looked up. Texts go
 * to mem. False: neither is known. */
bool symbols_find(struct symbols *s, struct arena *mem, const char *module, u64 offset, struct symbol *out);

#endif
