/*
 * What `traceview record` leaves out: --only, --skip and --min-duration. Names of functions are
 * known when the program has ended, so that is when calls are left out, and libraries that are
 * loaded while it runs are like all others.
 */
#ifndef TV_CLI_RECORD_RECORD_FILTER_H
#define TV_CLI_RECORD_RECORD_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/selection/name_pattern.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "cli/options.h"
#include "format/trace.h"

struct tv_record_patterns {
    struct tv_name_pattern of[TV_TEXT_LIMIT];
    size_t count;
};

struct tv_record_filter {
    struct tv_record_patterns only, skip;
    struct tv_buffer name; /* scratch for the name of a method */
};

void tv_record_filter_init(struct tv_record_filter *filter, const struct tv_alloc *alloc);
void tv_record_filter_release(struct tv_record_filter *filter);
/* TV_ERR_ARGUMENT: a pattern is wrong. The texts are borrowed. */
enum tv_code tv_record_filter_compile(struct tv_record_filter *filter, const struct tv_texts *only,
                                      const struct tv_texts *skip,
                                      struct tv_error *err) TV_MUST_CHECK;
/* Whether calls of the method are left out: one of `skip` matches its name, or none of `only` does.
 */
enum tv_code tv_record_filter_is_out(struct tv_record_filter *filter,
                                     const struct tv_trace_method *method, bool *is_out,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
