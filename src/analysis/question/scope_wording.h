/*
 * The limits of a scope in words: for captions, and for files that are passed on. A reader who
 * takes a part for the whole draws wrong conclusions, so every limit of a scope is put into words
 * here, once for all formats.
 */
#ifndef TV_ANALYSIS_QUESTION_SCOPE_WORDING_H
#define TV_ANALYSIS_QUESTION_SCOPE_WORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/question/scope.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/text/out.h"

/* Writes what 100 % stands for in a scope: "the root calls of all threads", "the chosen calls on 2
 * threads". */
void tv_scope_put_whole(struct tv_out *out, const struct tv_selection *selection);

/* What is left of a trace. Zeros: all of it. */
struct tv_scope_part {
    struct tv_scope scope;
    uint32_t levels;  /* of calls; 0: all */
    bool is_redacted; /* patterns and packages, which may be names, are not told */
};

/* What a part lacks is told by kind, so that a format may tell some of them in its own way. */
enum {
    TV_SCOPE_THREADS = 1,
    TV_SCOPE_RANGE = 2,
    TV_SCOPE_CALLS = 4, /* a set of calls, and stacks by a pattern */
    TV_SCOPE_HIDDEN = 8,
    TV_SCOPE_LEVELS = 16,
    TV_SCOPE_ALL = 31
};

/* Whether it is not all of the trace. */
bool tv_scope_is_part(const struct tv_scope_part *part);
/* Appends "1 thread, from 1.5 to 2 ms, stacks with Db, without java., 5 levels of calls": nothing
 * where the part is all of the trace in the kinds asked for. */
enum tv_code tv_scope_word_part(const struct tv_scope_part *part, unsigned kinds,
                                struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;

#endif
