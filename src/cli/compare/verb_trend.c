/*
 * trend: what stepped where, of recordings in the order of time (compare/trend.h). They are named
 * in that order, or are those of a folder, in the order of their names.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/comparisons/trend_points.h"
#include "cli/compare/run_files.h"
#include "cli/compare/run_set.h"
#include "cli/file/load.h"
#include "cli/terminal/table.h"
#include "cli/verb.h"
#include "compare/benchmark.h"

struct trend_options {
    const char *clock;
    const char *kind;
    double least;
    uint64_t count;
    bool json;
};

struct trending {
    const struct tv_cli *cli;
    const struct trend_options *options;
    struct tv_run_files files;
    struct tv_side_mappings mappings; /* of the first recording, and of the others */
    struct tv_trend_points points;
};

/* The mapping of the first recording stands for the old side, and those of all others for the new
 * one. */
static enum tv_code take_run(void *ctx, struct tv_asking *asking, size_t run, struct tv_error *err)
{
    struct trending *trending = ctx;
    tv_side_mappings_take(&trending->mappings, asking, run ? TV_SIDE_NEW : TV_SIDE_OLD);
    return tv_trend_points_add(&trending->points, run, asking->index, asking->cli->pool,
                               tv_file_label(asking->file), err);
}

/* Where names of one benchmark are given in another order than a folder's, as a shell's pattern has
 * start-10 before start-2: their order is taken for that of time. */
static void warn_of_order(const struct trending *trending)
{
    const char *const *of = trending->files.of;
    for (size_t i = 1; i < trending->files.count; i++) {
        const struct tv_str before = tv_str_from(of[i - 1]);
        const struct tv_str name = tv_str_from(of[i]);
        if (!tv_str_equal(tv_benchmark_of_path(before), tv_benchmark_of_path(name)) ||
            tv_trace_names_compare(before, name) <= 0)
            continue;
        tv_cli_note(
            trending->cli, of[i],
            "stands behind %s, and by its name before it: recordings are taken in the order "
            "in which they are named, and those of a folder by their names",
            of[i - 1]);
        return;
    }
}

/* Whether another recording among the files has the same benchmark as this one. */
static bool has_fellow(const struct tv_run_files *files, size_t place)
{
    const struct tv_str name = tv_benchmark_of_path(tv_str_from(files->of[place]));
    for (size_t i = 0; i < files->count; i++) {
        if (i != place && tv_str_equal(name, tv_benchmark_of_path(tv_str_from(files->of[i]))))
            return true;
    }
    return false;
}

/* Where two benchmarks have several recordings each, what differs between these is no step. */
static void warn_of_benchmarks(const struct trending *trending)
{
    const struct tv_run_files *files = &trending->files;
    const char *first = NULL;
    for (size_t i = 0; i < files->count; i++) {
        if (!has_fellow(files, i))
            continue;
        if (first && !tv_str_equal(tv_benchmark_of_path(tv_str_from(first)),
                                   tv_benchmark_of_path(tv_str_from(files->of[i])))) {
            tv_cli_note(trending->cli, files->of[i],
                        "is of another benchmark than %s by its name: both are taken for one "
                        "history",
                        first);
            return;
        }
        first = files->of[i];
    }
}

static enum tv_code find_files(struct trending *trending, const struct tv_arguments *arguments,
                               struct tv_error *err)
{
    for (size_t i = 0; i < arguments->count; i++)
        TV_TRY(tv_run_files_add(&trending->files, arguments->of[i], err));
    return TV_OK;
}

static enum tv_code find_steps(struct trending *trending, struct tv_error *err)
{
    const struct trend_options *options = trending->options;
    enum tv_clock clock = TV_CLOCK_WALL;
    if (options->clock)
        clock = (enum tv_clock)tv_choice_position(tv_run_clock_words, options->clock);
    const struct tv_trend_opts opts = {.clock = options->clock ? &clock : NULL,
                                       .kind = tv_run_kind(options->kind),
                                       .least = options->least};
    return tv_trend_points_find(&trending->points, &opts, err);
}

/* The points with their numbers, by which the steps below name them. */
static enum tv_code add_runs(const struct trending *trending, struct tv_text *out,
                             struct tv_error *err)
{
    struct tv_text_table table;
    tv_table_init(&table, trending->cli);
    tv_table_column(&table, "Point", TV_ALIGN_RIGHT);
    tv_table_keep(&table);
    tv_table_column(&table, "Calls", TV_ALIGN_RIGHT);
    tv_table_column(&table, trending->points.clock == TV_CLOCK_CPU ? "CPU ms" : "Wall ms",
                    TV_ALIGN_RIGHT);
    tv_table_column(&table, "File", TV_ALIGN_LEFT);
    for (size_t i = 0; i < trending->files.count; i++) {
        tv_table_count(&table, i + 1);
        tv_table_count(&table, trending->points.of[i].calls);
        tv_table_ms(&table, (int64_t)trending->points.of[i].total_ns[trending->points.clock]);
        tv_table_name_by_end(&table, tv_str_from(trending->files.of[i]));
    }
    enum tv_code code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    return code;
}

/* Change and p are there only for times that were tested; the columns are those of add_steps. */
static enum tv_code add_row(const struct trending *trending, const struct tv_step *step,
                            struct tv_text_table *table, struct tv_buffer *name,
                            struct tv_error *err)
{
    tv_table_count(table, tv_trend_points_number(&trending->points, step->run));
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        if (step->is_time)
            tv_table_ms(table, (int64_t)step->sides[side].median.time_ns);
        else
            tv_table_range(table, step->sides[side].least_calls, step->sides[side].most_calls);
    }
    if (step->is_time && !step->is_apart) {
        tv_text_add(&table->cells, "%+.1f %%", (exp(step->change) - 1) * 100);
        tv_table_end_cell(table);
        tv_text_add(&table->cells, "%.2g", step->p);
        tv_table_end_cell(table);
    }
    TV_TRY(tv_joined_text(&trending->points.join.methods[step->method], name, err));
    tv_table_method(table, tv_buffer_view(name));
    return TV_OK;
}

/* Steps [first, end) of the list, at most as many as are asked for. */
static enum tv_code add_steps(const struct trending *trending, size_t first, size_t end,
                              struct tv_text *out, struct tv_error *err)
{
    size_t shown = end - first;
    bool is_time, is_apart;
    struct tv_text_table table;
    struct tv_buffer name;
    enum tv_code code = TV_OK;
    if (first == end)
        return TV_OK;
    is_time = trending->points.trend.of[first].is_time;
    is_apart = trending->points.trend.of[first].is_apart;
    if (trending->options->count && shown > trending->options->count)
        shown = (size_t)trending->options->count;
    tv_table_init(&table, trending->cli);
    tv_buffer_init(&name, trending->cli->alloc);
    tv_table_column(&table, "From point", TV_ALIGN_RIGHT);
    tv_table_keep(&table);
    tv_table_column(&table, is_time ? "Old ms" : "Old calls", TV_ALIGN_RIGHT);
    tv_table_column(&table, is_time ? "New ms" : "New calls", TV_ALIGN_RIGHT);
    tv_table_keep(&table);
    if (is_time && !is_apart) {
        tv_table_column(&table, "Change", TV_ALIGN_RIGHT);
        tv_table_column(&table, "p", TV_ALIGN_RIGHT);
    }
    tv_table_column(&table, "Method", TV_ALIGN_LEFT);
    for (size_t i = first; code == TV_OK && i < first + shown; i++)
        code = add_row(trending, &trending->points.trend.of[i], &table, &name, err);
    tv_text_add(out, "\n");
    if (code == TV_OK)
        code = tv_table_write(&table, out, err);
    if (shown < end - first)
        tv_text_add(out, "\nand %zu more: -n 0 shows all\n", end - first - shown);
    tv_buffer_release(&name);
    tv_table_release(&table);
    return code;
}

static void add_count(struct tv_text *out, size_t count, const char *one, const char *many)
{
    tv_text_add_count(out, count);
    tv_text_add(out, " %s", count == 1 ? one : many);
}

/* What everything has in common is no step of a method, and is told apart. */
static void add_machine(const struct trending *trending, struct tv_text *out)
{
    const struct tv_trend *trend = &trending->points.trend;
    if (!trend->has_machine_step)
        return;
    tv_text_add(
        out,
        "The median method itself: %+.1f %% from point %zu on (p %.2g), which is the machine, "
        "or a change of everything.\n",
        (exp(trend->machine) - 1) * 100,
        tv_trend_points_number(&trending->points, trend->machine_run), trend->machine_p);
}

/* Points that lost data, each with its reason. */
static void add_left_out(const struct trending *trending, struct tv_text *out)
{
    for (size_t i = 0; i < trending->points.count; i++) {
        if (!tv_trend_points_leave_out(&trending->points, i))
            continue;
        tv_text_add(out, "Point %zu is left out: ", i + 1);
        tv_text_add_name(out, trending->points.of[i].file);
        tv_text_add(out, " %s\n", trending->points.of[i].lost.text);
    }
    tv_text_add(out, trending->points.leaves_out ? "\n" : "");
}

/* Steps of calls are exact, so they come first. Where one recording's counts are not those of the
 * program, none is told. */
static void add_calls(const struct trending *trending, struct tv_text *out)
{
    const struct tv_trend *trend = &trending->points.trend;
    if (trending->points.no_counts.code != TV_OK) {
        tv_text_add_not_compared(out, "Calls", trending->points.no_counts_of,
                                 trending->points.no_counts.text);
        return;
    }
    tv_text_add(out, "Calls: ");
    add_count(out, trend->call_count, "step", "steps");
    if (trend->pending_count) {
        tv_text_add(out, "; of ");
        add_count(out, trend->pending_count, "method", "methods");
        tv_text_add(out, " the last point alone differs, and the next one will tell");
    }
    tv_text_add(out, ".\n");
}

/* Says why times are not tested. False where they are. */
static bool add_not_tested(const struct trending *trending, struct tv_text *out)
{
    if (trending->files.count < 2 * TV_TREND_SIDE_LEAST) {
        tv_text_add(out, "\nTime is not tested: it needs %u points at least.\n",
                    2 * TV_TREND_SIDE_LEAST);
        return true;
    }
    if (trending->points.lost.why.code != TV_OK) {
        tv_text_add(out, "\n");
        tv_text_add_not_compared(out, "Times", trending->points.lost.of,
                                 trending->points.lost.why.text);
        return true;
    }
    if (!tv_run_clocks_are_mixed(&trending->points.clocks))
        return false;
    tv_text_add(out, "\nTimes are of samples here and of each call there, and are not tested.\n");
    return true;
}

/* `step_count`: steps of time that were tested. */
static void add_tested(const struct trending *trending, size_t step_count, struct tv_text *out)
{
    const struct tv_trend *trend = &trending->points.trend;
    if (trending->points.clocks.has_other_processor)
        tv_text_add(out, "\nThe recordings are of different processors: steps of time may be "
                         "theirs.\n");
    tv_text_add(out, "\n%s time of ", trending->points.clock == TV_CLOCK_CPU ? "CPU" : "Wall");
    add_count(out, trend->tested_count, "method", "methods");
    tv_text_add(out, " was tested: ");
    add_count(out, step_count, "step", "steps");
    tv_text_add(out, " by more than %.3g %%%s.\n", trending->options->least * 100,
                trend->is_normalised ? ", beside the median method" : "");
    if (step_count)
        tv_text_add(out,
                    "Old and new are medians of the points before and behind%s; the change is "
                    "that of their geometric means%s.\n",
                    trend->runs < TV_TREND_PARTS_FROM
                        ? ""
                        : ", of all or of the half of them where the step is surest",
                    trend->is_normalised ? ", beside the median method" : "");
    add_machine(trending, out);
}

/* The trend has its steps in the order calls, times that were tested, methods that are only apart,
 * and calls that a mapping explains; each list is a range of it. */
static enum tv_code write_text(const struct trending *trending, struct tv_text *out,
                               struct tv_error *err)
{
    const struct tv_trend *trend = &trending->points.trend;
    const size_t tested_end = tv_trend_tested_end(trend);
    const size_t apart_end = tv_trend_apart_end(trend);
    TV_TRY(add_runs(trending, out, err));
    tv_text_add(out, "\n");
    add_left_out(trending, out);
    add_calls(trending, out);
    TV_TRY(add_steps(trending, 0, trend->call_count, out, err));
    if (trend->inlined_count) {
        tv_text_add(out,
                    "\nUndecided, since a mapping says that the methods were inlined where they "
                    "have fewer calls: ");
        add_count(out, trend->inlined_count, "step", "steps");
        tv_text_add(out, ".\n");
    }
    TV_TRY(add_steps(trending, apart_end, trend->count, out, err));
    if (add_not_tested(trending, out))
        return TV_OK;
    add_tested(trending, tested_end - trend->call_count, out);
    TV_TRY(add_steps(trending, trend->call_count, tested_end, out, err));
    if (trend->apart_count) {
        tv_text_add(out, "\nNot tested, since a point has no time of it, and apart: ");
        add_count(out, trend->apart_count, "method", "methods");
        tv_text_add(out, ".\n");
    }
    return add_steps(trending, tested_end, apart_end, out, err);
}

/* --json prints what the api answers, so both say the same. */
static int answer(const struct trending *trending)
{
    const struct tv_cli *cli = trending->cli;
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    tv_text_init(&out, cli->alloc);
    enum tv_code code = trending->options->json
                            ? tv_answer_trend(&trending->points, trending->options->count,
                                              &out.buffer, SIZE_MAX, &err)
                            : write_text(trending, &out, &err);
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    if (code == TV_OK && trending->options->json)
        tv_cli_answer(cli, tv_text_view(&out));
    else if (code == TV_OK)
        tv_cli_answer_text(cli, tv_text_view(&out));
    tv_text_release(&out);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, NULL, &err);
}

/* Warnings about the order of the files come before the loading, which takes most of the time. */
static int load_and_answer(struct trending *trending, const struct tv_arguments *arguments)
{
    const struct tv_cli *cli = trending->cli;
    struct tv_error err = {.code = TV_OK};
    enum tv_code code = find_files(trending, arguments, &err);
    if (code == TV_OK && (trending->files.count < 2 || trending->files.count > TV_TREND_RUNS_MOST))
        return tv_cli_misuse(cli, "trend needs 2 to %u recordings, and there %s %zu",
                             TV_TREND_RUNS_MOST, trending->files.count == 1 ? "is" : "are",
                             trending->files.count);
    if (code != TV_OK) {
        (void)tv_cli_fail(cli, NULL, &err);
        return tv_cli_status(code);
    }
    warn_of_order(trending);
    warn_of_benchmarks(trending);
    tv_trend_points_begin(&trending->points, trending->files.count);
    int status = tv_run_set_load(cli, trending->files.of, trending->files.count,
                                 &(struct tv_run_taker){.take = take_run, .ctx = trending});
    if (status != TV_STATUS_FINE)
        return status;
    tv_run_set_tell_copies(cli, trending->files.of, trending->files.count);
    (void)tv_side_mappings_tell(&trending->mappings, cli, "the first recording");
    code = find_steps(trending, &err);
    if (code == TV_OK)
        return answer(trending);
    (void)tv_cli_fail(cli, NULL, &err);
    return tv_cli_status(code);
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct trending trending = {.cli = cli, .options = values};
    if (trending.options->least <= 0)
        return tv_cli_misuse(cli, "trend: --least needs more than 0 percent");
    tv_run_files_init(&trending.files, cli);
    tv_trend_points_init(&trending.points, cli->alloc);
    int status = load_and_answer(&trending, arguments);
    tv_trend_points_release(&trending.points);
    tv_run_files_release(&trending.files);
    return status;
}

static const struct tv_option options[] = {
    {.letter = 'n',
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct trend_options, count),
     .argument = "COUNT",
     .help = "how many rows of each list; 0 is all (20)",
     .most = UINT32_MAX},
    {.name = "clock",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct trend_options, clock),
     .argument = "CLOCK",
     .help = "wall or cpu (cpu where all recordings have it)",
     .choices = tv_run_clock_words},
    {.name = "by",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct trend_options, kind),
     .argument = "TIME",
     .help = "which time: inclusive (the default) or exclusive",
     .choices = tv_run_kind_words},
    {.name = "least",
     .kind = TV_OPTION_SHARE,
     .field = offsetof(struct trend_options, least),
     .argument = "PERCENT",
     .help = "a step of time counts from here on (5)"},
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct trend_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

static const struct trend_options defaults = {.least = 0.05, .count = 20};

const struct tv_verb tv_verb_trend = {
    .name = "trend",
    .summary = "what stepped where, of recordings in the order of time",
    .arguments = "FILE...",
    .argument_count = 1,
    .repeats_last = true,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct trend_options),
    .notes =
        "FILE may be one folder: its traces, in the order of their names; of more than 100 those "
        "that were changed last.\n"
        "\n"
        "A step needs two recordings behind it, and one of time two before it, too.",
    .examples = {{"traceview trend old.trace new.trace", "which methods are called more or less"},
                 {"traceview trend --json old.trace new.trace", "the same for programs"}},
    .run = run,
};
