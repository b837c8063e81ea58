/*
 * The part of `traceview info` that says where the time went, beside the facts that the index has
 * ready: the worst frame, the top methods of one's own code, and the commands that ask further.
 */
#ifndef TV_CLI_ANSWERS_INFO_SUMMARY_H
#define TV_CLI_ANSWERS_INFO_SUMMARY_H

#include <stdbool.h>

#include "analysis/question/top_question.h"
#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/question.h"
#include "cli/wording.h"

struct tv_info_summary {
    struct tv_top_question question; /* of the top methods outside of the platform's packages */
    struct tv_top own;
    bool has_frames; /* or messages, or phases of a start-up: `traceview frames` has an answer */
};

void tv_info_summary_init(struct tv_info_summary *look, const struct tv_asking *asking);
void tv_info_summary_release(struct tv_info_summary *look);
/* Adds the line of the longest frame; nothing where the trace has no frames. */
enum tv_code tv_info_summary_add_frame(struct tv_info_summary *look, const struct tv_asking *asking,
                                       struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;
/* Adds the table of the top methods outside of the platform's packages; nothing where none of these
 * took any time. */
enum tv_code tv_info_summary_add_own(struct tv_info_summary *look, const struct tv_asking *asking,
                                     struct tv_text *out, struct tv_error *err) TV_MUST_CHECK;
/* Adds what to ask next, of a trace that has something to tell. After the other two. */
void tv_info_summary_add_next(const struct tv_info_summary *look, const struct tv_asking *asking,
                              struct tv_text *out);

#endif
