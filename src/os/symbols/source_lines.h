/*
 * Where the functions and the instructions of a program or library are in its source, by its debug
 * information. One thread.
 */
#ifndef TV_OS_SYMBOLS_SOURCE_LINES_H
#define TV_OS_SYMBOLS_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

#include "os/symbols/libdw.h"

struct tv_source_unit;
struct tv_source_range;

/* The units of a module; what their functions are is read when one of the unit is asked for. */
struct tv_source_lines {
    const struct tv_libdw *libdw;
    Dwfl_Module *module;
    bool is_read;
    struct tv_source_unit *units;
    size_t unit_count, unit_cap;
    struct tv_source_range *ranges; /* of all units, by address */
    size_t range_count, range_cap;
};

/* A place in the source; the path lasts as long as the module. */
struct tv_source_line {
    const char *source; /* NULL: unknown */
    int line;           /* 0: unknown */
};

/* `libdw` and `module` are borrowed. */
void tv_source_lines_init(struct tv_source_lines *lines, const struct tv_libdw *libdw,
                          Dwfl_Module *module);
void tv_source_lines_release(struct tv_source_lines *lines);
/* The declaration of the function at address `at`, as libdw counts addresses in the module. For
 * code without a declaration, as assembler, the line at `at`. */
struct tv_source_line tv_source_lines_function(struct tv_source_lines *lines, Dwarf_Addr at);
/* The line of an instruction, which may be of a function that was inlined there. */
struct tv_source_line tv_source_lines_at(struct tv_source_lines *lines, Dwarf_Addr at);

#endif
