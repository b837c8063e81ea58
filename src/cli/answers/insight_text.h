/*
 * Insights as sentences, which say no more than the numbers of the insight do. The page has the
 * same ones (web/src/model/insights).
 */
#ifndef TV_CLI_ANSWERS_INSIGHT_TEXT_H
#define TV_CLI_ANSWERS_INSIGHT_TEXT_H

#include <stdbool.h>

#include "analysis/insights/insights.h"
#include "cli/wording.h"
#include "index/index.h"

/* The word that stands for the insight's kind: "wait", "late". */
const char *tv_insight_heading(const struct tv_insight *insight);
/* One line about an insight. */
void tv_insight_text(struct tv_text *out, const struct tv_index *index,
                     const struct tv_insight *insight);
/* Whether a clock of the insights is wrong; and a line that says which insights are missing for
 * that. The line is empty if no clock is wrong. */
bool tv_insight_has_wrong_clock(const struct tv_index *index, const struct tv_insights *insights);
void tv_insight_text_clocks(struct tv_text *out, const struct tv_index *index,
                            const struct tv_insights *insights);
/* Says that there is no insight, and which kinds were looked for. */
void tv_insight_text_none(struct tv_text *out, const struct tv_index *index,
                          const struct tv_insights *insights);

#endif
