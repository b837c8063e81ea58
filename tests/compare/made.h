/* An index of a trace that a test builds. Failures abort the test. */
#ifndef TESTS_COMPARE_MADE_H
#define TESTS_COMPARE_MADE_H

#include "analysis/profile/profile.h"
#include "format/trace.h"
#include "index/index.h"
#include "support/trace_builder.h"

struct made {
    struct trace_builder t;
    struct tv_trace trace;
    struct tv_index index;
    struct tv_profile profile;        /* of the whole trace */
    struct tv_renaming_opts renaming; /* by which it is read; nothing unless a test says so */
};

/* Begins a trace with both clocks; `methods` as in struct build_opts. */
void made_begin(struct made *made, const char *methods);
/* The same, with more lines of properties, each with its newline. */
void made_begin_with(struct made *made, const char *methods, const char *properties);
/* A call of a method on the main thread, from one microsecond to another, on both clocks. */
void made_call(struct made *made, uint32_t method, uint32_t from, uint32_t to);
/* Reads what was built. */
void made_end(struct made *made);
void made_release(struct made *made);

#endif
