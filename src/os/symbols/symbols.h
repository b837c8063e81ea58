/*
 * Names and places of functions, from a program's symbol table and debug information. elfutils'
 * libdw reads them; it is loaded when it is first needed, so nothing here needs it to be there. One
 * thread.
 */
#ifndef TV_OS_SYMBOLS_SYMBOLS_H
#define TV_OS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

struct tv_symbols;

/* An address of a program or library, as its file counts addresses. */
struct tv_symbol_place {
    const char *file;
    const char *code_file; /* which file of that name was loaded: base/code_file.h; "": unknown */
    uint64_t address;
};

/* Texts last until the next search. */
struct tv_symbol {
    const char *name;   /* as people write it, where the C++ library can tell */
    const char *source; /* path of the source file that declares it; NULL: unknown */
    int line;           /* where it does; 0: unknown */
    uint64_t offset;    /* of the address, from where the function begins */
    bool is_replaced;   /* nothing is known, since another file has that name by now */
};

/* *symbols is NULL where libdw is not there, or was not when this program was built; *why says
 * which. */
enum tv_code tv_symbols_new(struct tv_symbols **symbols, const char **why,
                            struct tv_error *err) TV_MUST_CHECK;
void tv_symbols_free(struct tv_symbols *symbols);

/* The "file" of what the kernel has in every process to tell the time by: its copy in this process
 * is asked. */
#define TV_SYMBOLS_KERNEL_CODE "[vdso]"

/* The function at an address. False: nothing is known but `is_replaced`. */
bool tv_symbols_find(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                     struct tv_symbol *symbol);
/* The source line of the address, which may be of a function that was inlined there. False: it is
 * unknown. */
bool tv_symbols_find_line(struct tv_symbols *symbols, const struct tv_symbol_place *place,
                          const char **source, int *line);

#endif
