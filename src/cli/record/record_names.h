/* Names of recorded functions, as methods of a trace. */
#ifndef TV_CLI_RECORD_RECORD_NAMES_H
#define TV_CLI_RECORD_RECORD_NAMES_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "format/trace.h"
#include "os/symbols/symbols.h"

/* Functions, or places in them, that have no name. */
struct tv_record_nameless {
    uint64_t count;              /* that no symbol tells of */
    uint64_t replaced;           /* whose file is another one by now */
    struct tv_str replaced_file; /* the first such; empty: there is none */
};

/* Counts a function, or a place in one, that tv_symbols_find() could not name; the path is copied
 * into the arena. */
enum tv_code tv_record_count_nameless(struct tv_record_nameless *nameless, struct tv_arena *texts,
                                      const struct tv_symbol *symbol, struct tv_str path,
                                      struct tv_error *err) TV_MUST_CHECK;

/* Names a function: a C++ scope is its class, else the source file without its end, or the file
 * that the function is in, `module`. The texts are copied into the arena. */
enum tv_code tv_record_name(struct tv_arena *texts, const struct tv_symbol *symbol,
                            const char *module, struct tv_trace_method *method,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
