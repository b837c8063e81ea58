/* Names of recorded functions, as methods of a trace. */
#ifndef TV_CLI_RECORD_RECORD_NAMES_H
#define TV_CLI_RECORD_RECORD_NAMES_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "format/trace.h"
#include "os/symbols/symbols.h"

/* Names a function: a C++ scope is its class, else the source file without its end, or the file
 * that the function is in, `module`. The texts are copied into the arena. */
enum tv_code tv_record_name(struct tv_arena *texts, const struct tv_symbol *symbol,
                            const char *module, struct tv_trace_method *method,
                            struct tv_error *err) TV_MUST_CHECK;
/* The last part of a path. */
struct tv_str tv_record_file_name(struct tv_str path);

#endif
