/*
 * insights: what of a trace is worth a look, as a short list of sentences
 * (analysis/insights/insights.h), each behind what is at stake and its kind, as on the page, with a
 * command below each sentence that is about one call (cli/answers/drill_down.h).
 *
 * What is found, and from which size on, is decided in analysis/insights; nothing is left out here.
 */
#include "analysis/insights/insights.h"

#include <string.h>

#include "api/answers.h"
#include "base/error.h"
#include "cli/answers/drill_down.h"
#include "cli/answers/insight_text.h"
#include "cli/answers/question.h"
#include "cli/compare/diff_insights.h"
#include "cli/verb.h"

struct insights_options {
    const char *against;
    bool json;
};

/* The columns before the sentences: what is at stake, and the kind. */
struct columns {
    size_t time_width;
    size_t heading_width;
};

#define GAP 2u

static size_t time_width_of(const struct tv_asking *asking, const struct tv_insight *insight)
{
    struct tv_text time;
    tv_text_init(&time, asking->cli->alloc);
    tv_text_add_duration(&time, insight->at_stake_ns);
    size_t width = tv_text_width(tv_text_view(&time));
    tv_text_release(&time);
    return width;
}

static struct columns columns_of(const struct tv_asking *asking, const struct tv_insights *insights)
{
    struct columns columns = {0, 0};
    for (size_t i = 0; i < insights->count; i++) {
        const size_t time = time_width_of(asking, &insights->of[i]);
        const size_t heading = strlen(tv_insight_heading(&insights->of[i]));
        columns.time_width = time > columns.time_width ? time : columns.time_width;
        columns.heading_width = heading > columns.heading_width ? heading : columns.heading_width;
    }
    return columns;
}

/* "25.4 ms  wait  main waited 25.4 ms in ...": on a terminal the sentence goes on below its
 * beginning. */
static void add_insight(struct tv_text *out, const struct tv_asking *asking,
                        const struct columns *columns, const struct tv_insight *insight)
{
    struct tv_text line;
    const char *heading = tv_insight_heading(insight);
    const size_t width = asking->cli->terminal.width;
    const size_t lead = columns->time_width + GAP + columns->heading_width + GAP;
    tv_text_init(&line, asking->cli->alloc);
    tv_text_add_blanks(&line, columns->time_width - time_width_of(asking, insight));
    tv_text_add_duration(&line, insight->at_stake_ns);
    tv_text_add_blanks(&line, GAP);
    tv_text_add(&line, "%s", heading);
    tv_text_add_blanks(&line, columns->heading_width - strlen(heading) + GAP);
    tv_insight_text(&line, asking->index, insight);
    tv_text_break(out, tv_text_view(&line), width ? width : SIZE_MAX, (unsigned)lead);
    tv_text_take_code(out, &line);
    tv_text_release(&line);
    tv_drill_down_add_insight(out, asking, insight);
}

static enum tv_code write_text(const struct tv_asking *asking, const void *values,
                               struct tv_text *out, struct tv_error *err)
{
    struct tv_insights insights;
    (void)values;
    TV_TRY(tv_insights_find(&insights, asking->index, asking->cli->alloc, asking->cli->pool, err));
    const struct columns columns = columns_of(asking, &insights);
    for (size_t i = 0; i < insights.count; i++) {
        tv_text_add(out, "%s", i ? "\n" : "");
        add_insight(out, asking, &columns, &insights.of[i]);
    }
    if (insights.count && tv_insight_has_wrong_clock(asking->index, &insights))
        tv_text_add(out, "\n");
    if (insights.count)
        tv_insight_text_clocks(out, asking->index, &insights);
    else
        tv_insight_text_none(out, asking->index, &insights);
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *values, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)values;
    return tv_answer_insights(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct insights_options *options = values;
    if (options->against)
        return tv_insights_against(cli, options->against, arguments->of[0], options->json);
    return tv_question_run(cli, &(struct tv_question_files){arguments->of, 1}, &plan, NULL,
                           options->json);
}

static const struct tv_option options[] = {
    {.name = "against",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct insights_options, against),
     .argument = "OLD",
     .help = "which insights are new beside this trace, which are gone, and which both have"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct insights_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

const struct tv_verb tv_verb_insights = {
    .name = "insights",
    .summary = "what is worth a look: slow calls, waits, overhead",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct insights_options),
    .notes =
        "At most ten, those with the most time at stake first. What takes less than 1 % of the "
        "trace is not told, unless it takes a frame (16.7 ms); nor is what takes less than "
        "1 ms.",
    .examples = {{"traceview insights app.trace", "what to look at first"},
                 {"traceview insights --against old.trace app.trace", "what is new, and gone"}},
    .run = run,
};
