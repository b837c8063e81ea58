/*
 * insights --against; see cli/compare/diff_insights.h.
 *
 * Each insight is told by the sentence that `insights` has for it, under a heading that says how it
 * stands, with what it stands on below: the same insight of the other side, or the numbers of its
 * method there. Of one recording a side nobody can say whether a time changed, so none is said to.
 */
#include "cli/compare/diff_insights.h"

#include "api/comparisons/insights_diff.h"
#include "cli/answers/drill_down.h"
#include "cli/answers/insight_text.h"
#include "cli/answers/question.h"
#include "compare/insight_change.h"

struct against {
    struct tv_insight_changes changes;
};

/* The traces of a question by side: the new one is meant, and stands first. */
static const struct tv_question_trace *trace_of(const struct tv_asking *asking, enum tv_side side)
{
    return &asking->traces[side == TV_SIDE_OLD];
}

static enum tv_code fill(struct tv_asking *asking, void *values, struct tv_error *err)
{
    struct against *against = values;
    const struct tv_index *const indexes[TV_SIDE_COUNT] = {
        [TV_SIDE_OLD] = trace_of(asking, TV_SIDE_OLD)->index,
        [TV_SIDE_NEW] = trace_of(asking, TV_SIDE_NEW)->index};
    return tv_insight_changes_find(&against->changes, indexes, asking->cli->alloc,
                                   asking->cli->pool, err);
}

/* The answer while it is written. */
struct insights_writer {
    const struct tv_asking *asking;
    const struct against *against;
    struct tv_text *out;
};

static const char *const headings[TV_INSIGHT_STANDING_COUNT] = {
    [TV_INSIGHT_IS_NEW] = "New, which the old trace does not list:",
    [TV_INSIGHT_IS_GONE] = "Gone, which the new trace does not list:",
    [TV_INSIGHT_CHANGED] = "In both, with other numbers of calls:",
    [TV_INSIGHT_STAYED] = "In both, with the same numbers of calls; times are one sample each:"};

/* What the side that lacks an insight has of its method. */
static void add_lacking(const struct insights_writer *writer, enum tv_side side,
                        const struct tv_insight_method *method)
{
    struct tv_text *out = writer->out;
    const struct tv_insights *insights = &writer->against->changes.sides[side];
    tv_text_add(out, "    %s: ", tv_side_words[side]);
    if (!method->calls) {
        tv_text_add(out, "not called\n");
        return;
    }
    tv_text_add_count(out, method->calls);
    tv_text_add(out, " call%s of it", method->calls == 1 ? "" : "s");
    if (!insights->is_wrong[insights->clock]) {
        tv_text_add(out, ", ");
        tv_text_add_duration(out, method->time_ns);
        tv_text_add(out, " of %s", insights->clock == TV_CLOCK_WALL ? "wall time" : "CPU time");
    }
    tv_text_add(out, "\n");
}

static const struct tv_insight *insight_of(const struct insights_writer *writer,
                                           const struct tv_insight_change *change,
                                           enum tv_side side)
{
    return &writer->against->changes.sides[side].of[change->places[side]];
}

/* The sentence is about the new side, unless the insight is gone there. */
static void tell(const struct insights_writer *writer, const struct tv_insight_change *change)
{
    bool is_gone = change->standing == TV_INSIGHT_IS_GONE;
    enum tv_side side = is_gone ? TV_SIDE_OLD : TV_SIDE_NEW;
    enum tv_side other = is_gone ? TV_SIDE_NEW : TV_SIDE_OLD;
    const struct tv_asking *asking = writer->asking;
    const struct tv_insight *insight = insight_of(writer, change, side);
    struct tv_text *out = writer->out;
    tv_insight_text(out, trace_of(asking, side)->index, insight);
    if (change->places[other] != SIZE_MAX) {
        tv_text_add(out, "    %s: ", tv_side_words[other]);
        tv_insight_text(out, trace_of(asking, other)->index, insight_of(writer, change, other));
    } else if (tv_insight_is_of_method(insight)) {
        add_lacking(writer, other, &change->lacking);
    }
    if (!is_gone)
        tv_drill_down_add_insight(out, asking, insight);
}

static void add_summary(const struct insights_writer *writer)
{
    const struct tv_insight_changes *changes = &writer->against->changes;
    struct tv_text *out = writer->out;
    size_t both = changes->counts[TV_INSIGHT_CHANGED] + changes->counts[TV_INSIGHT_STAYED];
    tv_text_add(out, "Insights: %zu new, %zu gone, %zu in both.\n",
                changes->counts[TV_INSIGHT_IS_NEW], changes->counts[TV_INSIGHT_IS_GONE], both);
}

/* A side without insights says why, as `insights` does, and one with a wrong clock what is not
 * told. */
static void add_none(const struct insights_writer *writer)
{
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        const struct tv_insights *insights = &writer->against->changes.sides[side];
        const struct tv_index *index = trace_of(writer->asking, (enum tv_side)side)->index;
        if (!insights->count) {
            tv_text_add(writer->out, "%s: ", tv_side_words[side]);
            tv_insight_text_none(writer->out, index, insights);
        } else if (tv_insight_has_wrong_clock(index, insights)) {
            tv_text_add(writer->out, "%s: ", tv_side_words[side]);
            tv_insight_text_clocks(writer->out, index, insights);
        }
    }
}

static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    const struct insights_writer writer = {asking, values, out};
    const struct tv_insight_changes *changes = &writer.against->changes;
    (void)err;
    add_summary(&writer);
    add_none(&writer);
    for (size_t i = 0; i < changes->count; i++) {
        const struct tv_insight_change *change = &changes->of[i];
        if (!i || changes->of[i - 1].standing != change->standing)
            tv_text_add(out, "\n%s\n\n", headings[change->standing]);
        else
            tv_text_add(out, "\n");
        tell(&writer, change);
    }
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    const struct against *against = values;
    return tv_answer_insights_diff(api, 1, &against->changes, body, err);
}

static const struct tv_question_plan plan = {
    .fill = fill, .write_json = write_json, .write_text = write_text};

int tv_insights_against(const struct tv_cli *cli, const char *old_file, const char *new_file,
                        bool is_json)
{
    const char *const files[] = {new_file, old_file};
    struct against against;
    return tv_question_run(cli, &(struct tv_question_files){files, 2}, &plan, &against, is_json);
}
