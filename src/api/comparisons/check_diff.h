/*
 * The findings of a trace beside those of an older one: the route `checkdiff`, and
 * `traceview check --against`.
 *
 * A kind of finding is new, gone, or in both, with its count on either side. Counts grow with a
 * trace, so only a kind that was not there before makes a trace worse: a build whose traces always
 * have some can be held to have no others.
 */
#ifndef TV_API_COMPARISONS_CHECK_DIFF_H
#define TV_API_COMPARISONS_CHECK_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/api.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/finding.h"
#include "base/memory/buffer.h"
#include "compare/change.h"
#include "index/index.h"

struct tv_check_diff {
    const struct tv_index_info *sides[TV_SIDE_COUNT];
};

uint64_t tv_check_diff_count(const struct tv_check_diff *diff, enum tv_side side,
                             enum tv_finding_kind kind);
/* "new", "gone", "as often", "more" or "fewer", of a kind that either trace has. */
const char *tv_check_diff_standing(const struct tv_check_diff *diff, enum tv_finding_kind kind);
/* Whether either trace has the kind. */
bool tv_check_diff_is_on_any(const struct tv_check_diff *diff, enum tv_finding_kind kind);
/* Whether the new trace has no records, or a kind that is new and affects numbers; with `notes` any
 * kind that is new counts. */
enum tv_notes { TV_NOTES_ARE_FINE, TV_NOTES_COUNT };
bool tv_check_diff_is_worse(const struct tv_check_diff *diff, enum tv_notes notes);
/* Writes the answer; the new trace is the one that is meant. */
enum tv_code tv_answer_check_diff(const struct tv_api *api, size_t old_trace,
                                  struct tv_buffer *body, struct tv_error *err) TV_MUST_CHECK;

#endif
