/*
 * rules learn: a file of rules that recordings teach (compare/rule/rule_learn.h), and how often it
 * would have cried wolf on them. The file is a beginning: whoever commits it has read it.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/selection/name_pattern.h"
#include "base/text/out.h"
#include "base/units.h"
#include "cli/compare/run_set.h"
#include "cli/file/output.h"
#include "cli/verb.h"
#include "compare/rule/rule_learn.h"

#define LEAST_TIMED_NS 1000000u

struct rules_options {
    const char *output;
    const char *mine;
    const char *clock;
    uint64_t count;
    double margin;
};

struct teaching {
    const struct tv_cli *cli;
    const struct rules_options *options;
    struct tv_join join;
    struct tv_learned learned;
    enum tv_clock clock;
    struct tv_run_clocks clocks;
};

/* Keeps the methods that --mine names, by setting the rows of all others to zero: the join leaves
 * out rows of zeros. */
static enum tv_code keep_mine(const struct teaching *teaching, struct tv_profile *profile,
                              struct tv_error *err)
{
    struct tv_method_filter filter;
    tv_method_filter_init(&filter, teaching->cli->alloc);
    enum tv_code code = tv_method_filter_make(
        &filter, profile->index,
        &(struct tv_method_filter_opts){.hidden = tv_str_from(teaching->options->mine)}, err);
    for (uint32_t i = 0; code == TV_OK && i < profile->row_count; i++) {
        if (!filter.hidden || !filter.hidden[i])
            profile->rows[i] = (struct tv_method_row){.recursive_calls = 0};
    }
    tv_method_filter_release(&filter);
    return code;
}

static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct teaching *teaching = ctx;
    const struct tv_index *index = asking->index;
    const struct tv_run_part all = tv_run_part_all();
    struct tv_run_numbers numbers;
    TV_TRY(tv_run_counts_check(index, err));
    tv_run_clocks_take(&teaching->clocks, index, tv_file_label(asking->file));
    tv_run_numbers_init(&numbers, asking->cli->alloc);
    enum tv_code code = tv_run_part_take(&all, index, asking->cli->pool, &numbers, err);
    if (code == TV_OK && teaching->options->mine)
        code = keep_mine(teaching, &numbers.profile, err);
    if (code == TV_OK)
        code = tv_join_add_run(&teaching->join, run, &numbers, NULL, err);
    tv_run_numbers_release(&numbers);
    return code;
}

static void add_summary(struct tv_text *out, const struct teaching *teaching)
{
    const struct tv_learned *learned = &teaching->learned;
    size_t runs = teaching->join.run_count;
    tv_text_add(out, "%zu rules of %zu recording%s", learned->count, runs, runs == 1 ? "" : "s");
    if (runs == 1)
        tv_text_add(out, ", which cannot tell how often they would cry wolf: record more");
    else if (!learned->crying)
        tv_text_add(out, ": none would have cried wolf in any of them");
    else
        tv_text_add(out, ": %zu would have cried wolf, in %zu of them, and only warn",
                    learned->crying, learned->runs_crying);
    if (learned->unnamed)
        tv_text_add(out, "; %zu methods have no rule, since no pattern names them alone",
                    learned->unnamed);
}

static enum tv_code add_rule(struct tv_out *out, const struct teaching *teaching,
                             const struct tv_learned_rule *rule, struct tv_buffer *pattern,
                             struct tv_error *err)
{
    TV_TRY(tv_learned_pattern(&teaching->join.methods[rule->method], rule->is_whole, pattern, err));
    if (rule->cried)
        tv_out_add(out, "# cried wolf in %zu of %zu\nwarn ", rule->cried, teaching->join.run_count);
    if (rule->is_time)
        tv_out_add(out, "inclusive %s of ", tv_run_clock_words[teaching->clock]);
    else
        tv_out_add(out, "calls of ");
    tv_out_text(out, tv_buffer_view(pattern));
    if (rule->is_time && rule->time_ns % TV_NS_PER_MS)
        tv_out_add(out, " <= %" PRIu64 ".%" PRIu64 " ms\n", rule->time_ns / TV_NS_PER_MS,
                   rule->time_ns % TV_NS_PER_MS / (TV_NS_PER_MS / 10));
    else if (rule->is_time)
        tv_out_add(out, " <= %" PRIu64 " ms\n", rule->time_ns / TV_NS_PER_MS);
    else if (rule->least_calls == rule->most_calls)
        tv_out_add(out, " in %" PRIu64 "\n", rule->least_calls);
    else
        tv_out_add(out, " in %" PRIu64 "..%" PRIu64 "\n", rule->least_calls, rule->most_calls);
    return TV_OK;
}

/* The file begins with a comment that says what the rules were learned from, since whoever edits it
 * later does not know. */
static enum tv_code write_rules(const struct teaching *teaching, struct tv_sink sink,
                                struct tv_error *err)
{
    struct tv_out out;
    struct tv_text summary;
    struct tv_buffer pattern;
    enum tv_code code = TV_OK;
    tv_out_init(&out, sink);
    tv_text_init(&summary, teaching->cli->alloc);
    tv_buffer_init(&pattern, teaching->cli->alloc);
    add_summary(&summary, teaching);
    tv_out_add(&out, "# ");
    tv_out_text(&out, tv_text_view(&summary));
    tv_out_add(&out,
               ".\n# 'traceview rules learn' wrote them; each recording was held against what "
               "the others teach.\n\n");
    for (size_t i = 0; code == TV_OK && i < teaching->learned.count; i++)
        code = add_rule(&out, teaching, &teaching->learned.of[i], &pattern, err);
    if (code == TV_OK)
        code = tv_out_finish(&out, err);
    if (code == TV_OK && summary.code != TV_OK)
        code = tv_fail_memory(err, summary.buffer.len);
    tv_buffer_release(&pattern);
    tv_text_release(&summary);
    return code;
}

/* A slip in the arguments, such as a forgotten name behind -o, must not cost a recording. */
static enum tv_code write_file(const struct teaching *teaching, const char *const *files,
                               size_t count, struct tv_error *err)
{
    const char *path = teaching->options->output ? teaching->options->output : "-";
    struct tv_output_file output;
    for (size_t i = 0; i < count; i++) {
        if (tv_output_replaces(path, files[i]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%s is a trace that was read, and would be overwritten", path);
    }
    TV_TRY(tv_output_open(&output, teaching->cli, path, TV_OUTPUT_TEXT, err));
    return tv_output_close(&output, write_rules(teaching, tv_output_sink(&output), err), err);
}

static int fail_memory(const struct tv_cli *cli, size_t len)
{
    struct tv_error err;
    (void)tv_fail_memory(&err, len);
    return tv_cli_fail(cli, NULL, &err);
}

/* With -o the user sees no file, and is told how it went. */
static int tell(const struct teaching *teaching)
{
    struct tv_text out;
    int status = TV_STATUS_FINE;
    if (!teaching->options->output)
        return status;
    tv_text_init(&out, teaching->cli->alloc);
    tv_text_add_name(&out, tv_str_from(teaching->options->output));
    tv_text_add(&out, ": ");
    add_summary(&out, teaching);
    tv_text_add(&out, "\n");
    if (out.code == TV_OK)
        tv_cli_answer_text(teaching->cli, tv_text_view(&out));
    else
        status = fail_memory(teaching->cli, out.buffer.len);
    tv_text_release(&out);
    return status;
}

/* 0 means as many as can be learned. */
static size_t count_of(const struct rules_options *options)
{
    return options->count ? (size_t)options->count : TV_LEARN_METHODS_MOST;
}

/* A file that says no rule checks nothing, so none is written. */
static enum tv_code check_learned(const struct teaching *teaching, struct tv_error *err)
{
    const char *mine = teaching->options->mine;
    if (teaching->learned.count)
        return TV_OK;
    if (mine && !teaching->join.count)
        return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                       "nothing to learn: mine is '%s', and no class with a method that was called "
                       "begins so",
                       mine);
    return tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                   "nothing to learn: the recordings teach no rule");
}

/* The clock is chosen when all recordings are there: CPU time where each of them has it. */
static int learn(struct teaching *teaching, const char *const *files, size_t count)
{
    struct tv_error err = {.code = TV_OK};
    tv_join_begin(&teaching->join, count);
    int status = tv_run_set_load(teaching->cli, files, count,
                                 &(struct tv_run_taker){.take = take_run, .ctx = teaching});
    if (status != TV_STATUS_FINE)
        return status;
    tv_run_set_tell_copies(teaching->cli, files, count);
    enum tv_code code = tv_join_finish(&teaching->join, &err);
    if (code == TV_OK)
        code = tv_run_clock(&teaching->clocks, teaching->options->clock, &teaching->clock, &err);
    if (code == TV_OK)
        code = tv_learn(&teaching->learned, &teaching->join,
                        &(struct tv_learn_opts){.clock = teaching->clock,
                                                .method_count = count_of(teaching->options),
                                                .margin = teaching->options->margin,
                                                .least_ns = LEAST_TIMED_NS},
                        &err);
    if (code == TV_OK)
        code = check_learned(teaching, &err);
    if (code == TV_OK)
        code = write_file(teaching, files, count, &err);
    if (code == TV_OK)
        return tell(teaching);
    (void)tv_cli_fail(teaching->cli, NULL, &err);
    return tv_cli_status(code);
}

/* Only one action is there so far; its word leaves room for more without a new verb. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct teaching teaching = {.cli = cli, .options = values};
    if (strcmp(arguments->of[0], "learn") != 0)
        return tv_cli_misuse(cli, "rules knows one action: 'traceview rules learn FILE...'");
    tv_join_init(&teaching.join, cli->alloc);
    tv_learned_init(&teaching.learned, cli->alloc);
    int status = learn(&teaching, arguments->of + 1, arguments->count - 1);
    tv_learned_release(&teaching.learned);
    tv_join_release(&teaching.join);
    return status;
}

static const struct tv_option options[] = {
    {.letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct rules_options, output),
     .argument = "OUT",
     .help = "write the rules there, instead of to standard output"},
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct rules_options, count),
     .argument = "COUNT",
     .help = "of how many methods, the longest first; 0 is 500 (20)",
     .most = TV_LEARN_METHODS_MOST},
    {.name = "mine",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct rules_options, mine),
     .argument = "PACKAGES",
     .help = "only methods of these packages",
     .group = TV_GROUP_PART},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct rules_options, clock),
     .argument = "CLOCK",
     .help = "wall or cpu (cpu where all recordings have it)",
     .choices = tv_run_clock_words},
    {.name = "margin",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct rules_options, margin),
     .argument = "PERCENT",
     .help = "how far limits of time are above the longest recording (25)"},
};

static const struct rules_options defaults = {.count = 20, .margin = 0.25};

const struct tv_verb tv_verb_rules = {
    .name = "rules",
    .summary = "rules that recordings teach, for check and diff",
    .arguments = "ACTION FILE...",
    .argument_count = 2,
    .repeats_last = true,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct rules_options),
    .notes = "ACTION is learn. Of two recordings or more, each is held against what the others\n"
             "teach; a rule that would have cried wolf is written as a warning.",
    .examples = {{"traceview rules learn --mine com.example. old.trace new.trace",
                  "limits for one's own code, of two recordings"},
                 {"traceview rules learn --margin 50 app.trace",
                  "limits that leave more room for a busy machine"}},
    .run = run,
};
