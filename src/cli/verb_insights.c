/* insights: what of a trace is worth a look, as a short list of sentences. */
#include "analysis/insights/insights.h"
#include "analysis/selection/names.h"
#include "api/answers.h"
#include "base/error.h"
#include "cli/question.h"
#include "cli/verb.h"

struct insights_options {
    bool json;
};

/* One line or two about an insight, while they are written. */
struct telling {
    const struct tv_index *index;
    struct tv_text *out;
};

/* Class and method without the signature: a sentence is for reading. */
static void add_method(struct telling *telling, uint32_t method)
{
    struct tv_str class_name = tv_method_class(telling->index, method);
    struct tv_str name = tv_method_name(telling->index, method);
    tv_text_add_name(telling->out, class_name);
    if (class_name.len && name.len)
        tv_text_add(telling->out, ".");
    if (name.len)
        tv_text_add_name(telling->out, name);
    else if (!class_name.len)
        tv_text_add(telling->out, "(0x%llx)",
                    (unsigned long long)telling->index->methods[method].id);
}

static void add_thread(struct telling *telling, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &telling->index->threads[thread_ix];
    struct tv_str name = tv_index_text(telling->index, thread->name_off, thread->name_len);
    if (name.len)
        tv_text_add_name(telling->out, name);
    else
        tv_text_add(telling->out, "thread %u", thread->id);
}

/* Where to look: the options of other verbs and the page take these times. */
static void add_place(struct telling *telling, const struct tv_insight *insight)
{
    tv_text_add(telling->out, " at ");
    tv_text_add_time(telling->out, insight->from_ns);
    tv_text_add(telling->out, " on ");
    add_thread(telling, insight->call.thread_ix);
}

static void tell_slow(struct telling *telling, const struct tv_insight *insight)
{
    struct tv_text *out = telling->out;
    uint64_t longest_ns = insight->to_ns - insight->from_ns;
    if (insight->calls > 1) {
        tv_text_add_count(out, insight->calls);
        tv_text_add(out, " of ");
        tv_text_add_count(out, insight->of_calls);
        tv_text_add(out, " calls of ");
    } else {
        tv_text_add(out, "One call of ");
        tv_text_add_count(out, insight->of_calls);
        tv_text_add(out, " of ");
    }
    add_method(telling, insight->method);
    tv_text_add(out, insight->calls > 1 ? " were slow: the longest took " : " was slow: it took ");
    tv_text_add_time(out, longest_ns);
    add_place(telling, insight);
    tv_text_add(out, "; the median is ");
    tv_text_add_time(out, insight->median_ns);
    if (insight->other_method != TV_NONE) {
        tv_text_add(out, ". Of it ");
        tv_text_add_time(out, insight->other_amount);
        tv_text_add(out, " were in ");
        add_method(telling, insight->other_method);
    }
}

static void tell_wait(struct telling *telling, const struct tv_insight *insight)
{
    struct tv_text *out = telling->out;
    add_thread(telling, insight->call.thread_ix);
    tv_text_add(out, " waited ");
    tv_text_add_time(out, insight->at_stake_ns);
    tv_text_add(out, " in ");
    add_method(telling, insight->method);
    if (insight->calls > 1) {
        tv_text_add(out, ", in ");
        tv_text_add_count(out, insight->calls);
        tv_text_add(out, " calls; the longest is the one");
    }
    tv_text_add(out, " at ");
    tv_text_add_time(out, insight->from_ns);
    if (insight->other_method == TV_NONE)
        return;
    tv_text_add(out, ". Meanwhile ");
    add_thread(telling, insight->other_thread);
    tv_text_add(out, " was busiest, for ");
    tv_text_add_time(out, insight->other_amount);
    tv_text_add(out, " in ");
    add_method(telling, insight->other_method);
}

static void tell_often(struct telling *telling, const struct tv_insight *insight)
{
    struct tv_text *out = telling->out;
    add_method(telling, insight->method);
    tv_text_add(out, " was called ");
    tv_text_add_count(out, insight->calls);
    tv_text_add(out, " times, ");
    tv_text_add_percent(out, (int64_t)insight->calls, insight->of_calls);
    tv_text_add(out, " %% of all calls");
    if (insight->other_method == TV_NONE)
        return;
    tv_text_add(out, "; ");
    tv_text_add_count(out, insight->other_amount);
    tv_text_add(out, " of them by ");
    add_method(telling, insight->other_method);
}

static void tell(struct telling *telling, const struct tv_insight *insight)
{
    struct tv_text *out = telling->out;
    switch (insight->kind) {
    case TV_INSIGHT_OVERFLOW:
        tv_text_add(out, "The recording ended ");
        tv_text_add_time(out, insight->at_stake_ns);
        tv_text_add(out, " before the run did: its buffer was full");
        break;
    case TV_INSIGHT_SLOW:
        tell_slow(telling, insight);
        break;
    case TV_INSIGHT_WAIT:
        tell_wait(telling, insight);
        break;
    case TV_INSIGHT_OFTEN:
        tell_often(telling, insight);
        break;
    case TV_INSIGHT_OVERHEAD:
        tv_text_add(out, "Tracing itself took some ");
        tv_text_add_time(out, insight->at_stake_ns);
        tv_text_add(out, ", ");
        tv_text_add_percent(out, (int64_t)insight->at_stake_ns, insight->other_amount);
        tv_text_add(out, " %% of the calls' time: short methods look longer than they are");
        break;
    }
    tv_text_add(out, ".\n");
}

/* Nothing to tell is an answer, too, if it says what was looked for. */
static void tell_nothing(const struct tv_insights *insights, const struct tv_index *index,
                         struct tv_text *out)
{
    if (index->info->is_sampled) {
        tv_text_add(out, "A sampled trace has no exact calls to compare.\n");
        return;
    }
    tv_text_add(out, "Nothing stands out. Looked for, from ");
    tv_text_add_time(out, insights->least_ns);
    tv_text_add(out, " on: calls of %u times their method's median, waits of the main thread",
                TV_INSIGHT_SLOW_TIMES);
    tv_text_add(out, insights->main_thread == TV_NONE ? " (which the trace does not name)" : "");
    tv_text_add(out, ", methods with %u %% of all calls, overhead of tracing, an overflow.\n",
                TV_INSIGHT_OFTEN_PERCENT);
}

static enum tv_code write_text(const struct tv_asking *asking, const void *asked,
                               struct tv_text *out, struct tv_error *err)
{
    struct tv_insights insights;
    struct telling telling = {.index = asking->index, .out = out};
    (void)asked;
    TV_TRY(tv_insights_find(&insights, asking->index, asking->cli->alloc, asking->cli->pool, err));
    for (size_t i = 0; i < insights.count; i++)
        tell(&telling, &insights.of[i]);
    if (!insights.count)
        tell_nothing(&insights, asking->index, out);
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *asked, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)asked;
    return tv_answer_insights(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct insights_options *options = values;
    return tv_question_run(cli, arguments->of[0], &plan, NULL, options->json);
}

static const struct tv_option options[] = {
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
    .values_len = sizeof(struct insights_options),
    .notes =
        "At most ten, those with the most time at stake first. What takes less than 1 % of the "
        "trace is not told, unless it takes a frame (16.7 ms); nor is what takes less than "
        "1 ms.",
    .examples = {{"traceview insights app.trace", "what to look at first"},
                 {"traceview insights --json app.trace", "the same for a program"}},
    .run = run,
};
