/*
 * Insights as sentences; see cli/answers/insight_text.h.
 *
 * analysis/insights finds what is worth a look and says it in numbers; the page and this file say
 * it in words, each for its own place. A sentence names the method, the time at stake and where to
 * look, in that order, since terminals cut lines at their end.
 */
#include "cli/answers/insight_text.h"

#include "analysis/selection/java_text.h"
#include "analysis/selection/names.h"
#include "base/error.h"

/* A line about an insight, while it is written. */
struct sentence {
    const struct tv_index *index;
    struct tv_text *out;
};

/* The name with the types of the parameters. */
static void add_java_text(struct sentence *sentence, uint32_t method)
{
    struct tv_buffer text;
    tv_buffer_init(&text, sentence->out->buffer.alloc);
    enum tv_code code = tv_method_java_text(sentence->index, method, &text, NULL);
    if (code == TV_OK)
        tv_text_add_name(sentence->out, tv_buffer_view(&text));
    else
        sentence->out->code = code;
    tv_buffer_release(&text);
}

/* Class and method: a sentence is for reading, so the signature is there where the name alone would
 * be that of several methods. */
static void add_method(struct sentence *sentence, uint32_t method)
{
    struct tv_str class_name = tv_method_class(sentence->index, method);
    struct tv_str name = tv_method_name(sentence->index, method);
    if (name.len && tv_method_shares_name(sentence->index, method)) {
        add_java_text(sentence, method);
        return;
    }
    tv_text_add_name(sentence->out, class_name);
    if (class_name.len && name.len)
        tv_text_add(sentence->out, ".");
    if (name.len)
        tv_text_add_name(sentence->out, name);
    else if (!class_name.len)
        tv_text_add(sentence->out, "(0x%llx)",
                    (unsigned long long)sentence->index->methods[method].id);
}

static struct tv_str thread_name(const struct sentence *sentence, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &sentence->index->threads[thread_ix];
    return tv_index_text(sentence->index, thread->name_off, thread->name_len);
}

/* The name, with the id where several threads have it. */
static void add_thread(struct sentence *sentence, uint32_t thread_ix)
{
    struct tv_str name = thread_name(sentence, thread_ix);
    uint32_t id = sentence->index->threads[thread_ix].id;
    uint32_t same = 0;
    for (uint32_t i = 0; i < sentence->index->thread_count; i++)
        same += tv_str_equal(thread_name(sentence, i), name);
    if (!name.len) {
        tv_text_add(sentence->out, "thread %u", id);
        return;
    }
    tv_text_add_name(sentence->out, name);
    if (same > 1)
        tv_text_add(sentence->out, " %u", id);
}

/* "14 calls", "one call" */
static void add_calls(struct sentence *sentence, uint64_t calls)
{
    if (calls == 1) {
        tv_text_add(sentence->out, "one call");
        return;
    }
    tv_text_add_count(sentence->out, calls);
    tv_text_add(sentence->out, " calls");
}

/* The clock of the times that are told: other answers may be on another one. */
static const char *clock_words(const struct tv_insight *insight)
{
    return insight->clock == TV_CLOCK_WALL ? "wall time" : "CPU time";
}

/* Where to look: the options of other verbs and the page take these times. When a call began is not
 * told where the clock that says so is wrong. */
static void add_place(struct sentence *sentence, const struct tv_insight *insight)
{
    if (insight->clock == tv_index_axis(sentence->index)) {
        tv_text_add(sentence->out, " at ");
        tv_text_add_time(sentence->out, insight->from_ns);
    }
    tv_text_add(sentence->out, " on ");
    add_thread(sentence, insight->call.thread_ix);
}

/* One slow call and many are two sentences in one: the longest is described, and the others are
 * counted. */
static void tell_slow(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    if (insight->calls > 1)
        tv_text_add_count(out, insight->calls);
    else
        tv_text_add(out, "One");
    tv_text_add(out, " of ");
    tv_text_add_count(out, insight->of_calls);
    tv_text_add(out, " calls of ");
    add_method(sentence, insight->method);
    tv_text_add(out, insight->calls > 1 ? " were slow: the longest of these took "
                                        : " was slow: it took ");
    tv_text_add_duration(out, insight->took_ns);
    tv_text_add(out, " of %s", clock_words(insight));
    add_place(sentence, insight);
    tv_text_add(out, "; the median is ");
    tv_text_add_duration(out, insight->median_ns);
    if (insight->waited_calls) {
        tv_text_add(out, "; ");
        tv_text_add_count(out, insight->waited_calls);
        tv_text_add(out, " more took long because %s waited",
                    insight->waited_calls > 1 ? "they" : "it");
    }
    if (insight->other_method != TV_NONE) {
        tv_text_add(out, ". Of %s ", insight->calls > 1 ? "the longest" : "it");
        tv_text_add_duration(out, insight->other_amount);
        tv_text_add(out, " were in ");
        add_method(sentence, insight->other_method);
    }
}

/* The busiest other thread during the wait is named because it is the first suspect; that it caused
 * the wait is not claimed. */
static void tell_wait(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    add_thread(sentence, insight->call.thread_ix);
    tv_text_add(out, " waited ");
    tv_text_add_duration(out, insight->at_stake_ns);
    tv_text_add(out, " in ");
    add_calls(sentence, insight->calls);
    if (insight->of_calls > insight->calls) {
        tv_text_add(out, " of ");
        tv_text_add_count(out, insight->of_calls);
    }
    tv_text_add(out, " of ");
    add_method(sentence, insight->method);
    tv_text_add(out, insight->calls > 1 ? "; the longest wait is that at " : " at ");
    tv_text_add_time(out, insight->from_ns);
    if (insight->other_method == TV_NONE)
        return;
    tv_text_add(out, insight->calls > 1 ? ". During that one " : ". Meanwhile ");
    add_thread(sentence, insight->other_thread);
    tv_text_add(out, " was busiest, ");
    tv_text_add_duration(out, insight->other_amount);
    tv_text_add(out, " of that in ");
    add_method(sentence, insight->other_method);
}

/* Whether it worked or waited there is not claimed. */
static void tell_open(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    add_thread(sentence, insight->call.thread_ix);
    tv_text_add(out, " was still in ");
    add_method(sentence, insight->method);
    tv_text_add(out, " when the recording ended: what it did in the last ");
    tv_text_add_duration(out, insight->at_stake_ns);
    tv_text_add(out, " is not recorded");
}

/* The share of all calls says why the count matters; the caller that makes most of them is where it
 * can be changed. */
static void tell_often(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    add_method(sentence, insight->method);
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
    add_method(sentence, insight->other_method);
}

/* "14 of 21 runs of frames took longer than 16.7 ms: the longest took 422.661 ms at 2.441 s on
 * main; frames that no look came between are one run" */
static void tell_frames(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    tv_text_add_count(out, insight->calls);
    tv_text_add(out, " of ");
    tv_text_add_count(out, insight->of_calls);
    tv_text_add(out, " runs of frames took longer than 16.7 ms: the longest took ");
    tv_text_add_duration(out, insight->took_ns);
    add_place(sentence, insight);
    tv_text_add(out, "; frames that no look came between are one run");
}

/* "1.246 s (28.4 %, give or take 2.1 %)": shares are of the time that main was busy. */
static void add_share(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    tv_text_add_duration(out, insight->at_stake_ns);
    tv_text_add(out, " (");
    tv_text_add_percent(out, (int64_t)insight->at_stake_ns, insight->other_amount);
    if (insight->margin_ns) {
        tv_text_add(out, " %%, give or take ");
        tv_text_add_percent(out, (int64_t)insight->margin_ns, insight->other_amount);
    }
    tv_text_add(out, " %%) of the ");
    tv_text_add_duration(out, insight->other_amount);
    tv_text_add(out, " that the main thread was busy");
}

static void tell_own(struct sentence *sentence, const struct tv_insight *insight)
{
    tv_text_add(sentence->out, "The code of the app itself took ");
    add_share(sentence, insight);
    tv_text_add(sentence->out, ", most of it in ");
    add_method(sentence, insight->method);
}

static void tell_package(struct sentence *sentence, const struct tv_insight *insight)
{
    tv_text_add_name(sentence->out, tv_insight_package(sentence->index, insight));
    tv_text_add(sentence->out, " took ");
    add_share(sentence, insight);
    tv_text_add(sentence->out, ", most of it in ");
    add_method(sentence, insight->method);
}

static void tell_spent(struct sentence *sentence, const struct tv_insight *insight)
{
    struct tv_text *out = sentence->out;
    tv_text_add(out, "The main thread was ");
    tv_text_add_duration(out, insight->at_stake_ns);
    if (insight->margin_ns) {
        tv_text_add(out, ", give or take ");
        tv_text_add_duration(out, insight->margin_ns);
    }
    tv_text_add(out, ", in ");
    add_method(sentence, insight->method);
    if (insight->other_method == TV_NONE)
        return;
    tv_text_add(out, "; ");
    tv_text_add_duration(out, insight->other_amount);
    tv_text_add(out, " of that through ");
    add_method(sentence, insight->other_method);
}

const char *tv_insight_heading(const struct tv_insight *insight)
{
    static const char *const headings[] = {
        [TV_INSIGHT_OVERFLOW] = "lost",   [TV_INSIGHT_SLOW] = "slow",
        [TV_INSIGHT_WAIT] = "wait",       [TV_INSIGHT_OPEN] = "open",
        [TV_INSIGHT_OFTEN] = "often",     [TV_INSIGHT_OVERHEAD] = "overhead",
        [TV_INSIGHT_FRAMES] = "late",     [TV_INSIGHT_OWN] = "own",
        [TV_INSIGHT_PACKAGE] = "package", [TV_INSIGHT_SPENT] = "wait",
    };
    return headings[insight->kind];
}

/* Each kind has its own sentence, so that a new kind does not compile before it has one. */
void tv_insight_text(struct tv_text *out, const struct tv_index *index,
                     const struct tv_insight *insight)
{
    struct sentence sentence = {.index = index, .out = out};
    switch (insight->kind) {
    case TV_INSIGHT_OVERFLOW:
        tv_text_add(out, "The recording ended ");
        tv_text_add_duration(out, insight->at_stake_ns);
        tv_text_add(out, " before the run did: its buffer was full");
        break;
    case TV_INSIGHT_SLOW:
        tell_slow(&sentence, insight);
        break;
    case TV_INSIGHT_WAIT:
        tell_wait(&sentence, insight);
        break;
    case TV_INSIGHT_OPEN:
        tell_open(&sentence, insight);
        break;
    case TV_INSIGHT_OFTEN:
        tell_often(&sentence, insight);
        break;
    case TV_INSIGHT_OVERHEAD:
        tv_text_add(out, "Tracing itself took some ");
        tv_text_add_duration(out, insight->at_stake_ns);
        tv_text_add(out, ", ");
        tv_text_add_percent(out, (int64_t)insight->at_stake_ns, insight->other_amount);
        tv_text_add(out, " %% of the calls' %s: short methods look longer than they are",
                    clock_words(insight));
        break;
    case TV_INSIGHT_FRAMES:
        tell_frames(&sentence, insight);
        break;
    case TV_INSIGHT_OWN:
        tell_own(&sentence, insight);
        break;
    case TV_INSIGHT_PACKAGE:
        tell_package(&sentence, insight);
        break;
    case TV_INSIGHT_SPENT:
        tell_spent(&sentence, insight);
        break;
    }
    tv_text_add(out, ".\n");
}

/* Why the trace has no main thread. */
static const char *no_main_words(const struct tv_index *index)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < index->thread_count; i++)
        count += tv_str_equal(tv_index_thread_name(index, i), TV_STR("main"));
    return count > 1 ? " (several threads are called main)" : " (which the trace does not name)";
}

/* Of samples nothing is told by CPU time. */
bool tv_insight_has_wrong_clock(const struct tv_index *index, const struct tv_insights *insights)
{
    return insights->is_wrong[TV_CLOCK_WALL] ||
           (insights->is_wrong[TV_CLOCK_CPU] &&
            (!index->info->is_sampled || insights->clock == TV_CLOCK_CPU));
}

void tv_insight_text_clocks(struct tv_text *out, const struct tv_index *index,
                            const struct tv_insights *insights)
{
    const enum tv_clock wrong = insights->is_wrong[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    if (!tv_insight_has_wrong_clock(index, insights))
        return;
    tv_text_add(out, "%s times are wrong (%s), so ", wrong == TV_CLOCK_WALL ? "Wall" : "CPU",
                tv_finding_name(insights->why[wrong]));
    if (insights->is_wrong[insights->clock])
        tv_text_add(out, "nothing is told by them.\n");
    else if (insights->clock != tv_index_axis(index))
        tv_text_add(out, "CPU times are told, and no waits.\n");
    else
        tv_text_add(out, "no waits are told.\n");
}

/* An empty answer says what was looked for and from which size on: "nothing" would look like a
 * failure. */
void tv_insight_text_none(struct tv_text *out, const struct tv_index *index,
                          const struct tv_insights *insights)
{
    if (insights->is_wrong[insights->clock]) {
        tv_insight_text_clocks(out, index, insights);
        return;
    }
    if (index->info->is_sampled) {
        tv_text_add(out, "A sampled trace has no exact calls to compare.\n");
        return;
    }
    if (!insights->least_ns) {
        tv_text_add(out, index->info->calls ? "The calls of this trace have no times to compare.\n"
                                            : "This trace holds no calls.\n");
        return;
    }
    tv_text_add(out, "Nothing stands out. Looked for, from ");
    tv_text_add_duration(out, insights->least_ns);
    tv_text_add(out, " on: calls of %u times their method's median", TV_INSIGHT_SLOW_TIMES);
    if (!tv_insight_has_wrong_clock(index, insights))
        tv_text_add(out, ", waits of the main thread%s",
                    insights->main_thread == TV_NONE ? no_main_words(index) : "");
    tv_text_add(out, ", methods with %u %% of all calls, overhead of tracing%s.\n",
                TV_INSIGHT_OFTEN_PERCENT, insights->is_wrong[TV_CLOCK_WALL] ? "" : ", an overflow");
    tv_insight_text_clocks(out, index, insights);
}
