/* The table of threads that `traceview info` has: the busiest first, and the sum of all. */
#ifndef TV_CLI_ANSWERS_INFO_THREADS_H
#define TV_CLI_ANSWERS_INFO_THREADS_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/question.h"
#include "cli/wording.h"

/* Adds rows for at most `most` threads; 0: for all. */
enum tv_code tv_info_add_threads(struct tv_text *out, const struct tv_asking *asking, uint64_t most,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
