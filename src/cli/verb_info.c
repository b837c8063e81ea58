/*
 * info: what kind of trace a file is, its threads, and what was odd about it. All of it stands in
 * the index as it is, so there is no question to fill and nothing to compute.
 */
#include "api/answers.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "cli/findings.h"
#include "cli/load.h"
#include "cli/question.h"
#include "cli/table.h"
#include "cli/verb.h"

struct info_options {
    bool json;
};

static void add_label(struct tv_text *out, const char *label)
{
    tv_text_add(out, "%-11s", label);
}

/* Adds the format and its clocks, and which process on which VM recorded the trace, if that is
 * known. */
static void add_format(struct tv_text *out, const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    add_label(out, "Format");
    tv_text_add(out, "%s, ", info->format_name);
    bool has_wall = info->has_clock[TV_CLOCK_WALL];
    bool has_cpu = info->has_clock[TV_CLOCK_CPU];
    if (!has_wall && !has_cpu) {
        tv_text_add(out, "no clock\n");
        return;
    }
    if (has_wall && has_cpu)
        tv_text_add(out, "wall and CPU clock");
    else
        tv_text_add(out, "%s clock only,", has_wall ? "wall" : "CPU");
    tv_text_add(out, " in %s", info->unit_ns == 1 ? "nanoseconds" : "microseconds");
    if (!info->has_common_axis)
        tv_text_add(out, ", each thread from 0");
    tv_text_add(out, "%s\n",
                info->is_sampled ? "; looks sampled: call counts are runs of samples" : "");
    if (!info->vm_len && !info->has_pid)
        return;
    add_label(out, "Recorded by");
    tv_text_add(out, info->vm_len ? " " : "");
    tv_text_add_name(out, tv_index_text(index, info->vm_off, info->vm_len));
    if (info->has_pid)
        tv_text_add(out, "%sprocess %llu", info->vm_len ? ", " : " ",
                    (unsigned long long)info->pid);
    tv_text_add(out, "\n");
}

/* Adds how long the trace is and how much is in it. Methods with calls are counted; where the file
 * describes others, too, that number follows. */
static void add_totals(struct tv_text *out, const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    add_label(out, "Duration");
    tv_text_add_time(out, info->elapsed_ns);
    /* Ranges of time end with the records, whatever the header says. */
    if (info->elapsed_ns != tv_axis_len_ns(index)) {
        tv_text_add(out, " by the header, records up to ");
        tv_text_add_time(out, tv_axis_len_ns(index));
    }
    if (info->has_clock[TV_CLOCK_CPU]) {
        tv_text_add(out, "; CPU time of all threads ");
        tv_text_add_time(out, info->total[TV_CLOCK_CPU] * info->unit_ns);
    }
    tv_text_add(out, "\n");
    add_label(out, "Records");
    tv_text_add_count(out, info->records);
    tv_text_add(out, " in ");
    tv_text_add_size(out, info->file_len);
    tv_text_add(out, "\n");
    add_label(out, info->is_sampled ? "Runs" : "Calls");
    tv_text_add_count(out, info->calls);
    tv_text_add(out, " of ");
    tv_text_add_count(out, info->ranked_count);
    tv_text_add(out, info->ranked_count == 1 ? " method" : " methods");
    uint64_t unknown_count = info->findings.of[TV_FINDING_UNKNOWN_METHOD].count;
    if (info->ranked_count != index->method_count || unknown_count) {
        tv_text_add(out, " (");
        tv_text_add_count(out, index->method_count - unknown_count);
        tv_text_add(out, " described)");
    }
    tv_text_add(out, ", in ");
    tv_text_add_count(out, index->node_count);
    tv_text_add(out, index->node_count == 1 ? " calling context\n" : " calling contexts\n");
}

/* The threads with the most time on the default clock first, in a trace without any those with the
 * most records. */
static int compare_threads(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_index *index = ctx;
    enum tv_clock clock = tv_index_default_clock(index);
    const struct tv_index_thread *one = &index->threads[a];
    const struct tv_index_thread *other = &index->threads[b];
    bool has_clock = index->info->has_clock[clock];
    uint64_t one_sum = has_clock ? one->root_total[clock] : one->records;
    uint64_t other_sum = has_clock ? other->root_total[clock] : other->records;
    return (one_sum < other_sum) - (one_sum > other_sum);
}

/* The column of the default clock has the share of its total beside it. */
static void add_thread_columns(struct tv_table *table, const struct tv_index *index)
{
    static const char *const clocks[] = {"Wall ms", "CPU ms"};
    tv_table_column(table, "Id", TV_ALIGN_RIGHT);
    tv_table_column(table, "Records", TV_ALIGN_RIGHT);
    tv_table_column(table, index->info->is_sampled ? "Runs" : "Calls", TV_ALIGN_RIGHT);
    tv_table_column(table, "Depth", TV_ALIGN_RIGHT);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        tv_table_column(table, clocks[clock], TV_ALIGN_RIGHT);
        if (clock == tv_index_default_clock(index))
            tv_table_column(table, "%", TV_ALIGN_RIGHT);
    }
    tv_table_column(table, "Thread", TV_ALIGN_LEFT);
    if (index->process_count)
        tv_table_column(table, "Process", TV_ALIGN_LEFT);
}

/* Adds a cell with a process, by its id where that is known and its name; an empty one for no
 * process. */
static void add_process(struct tv_table *table, const struct tv_index *index, uint32_t process)
{
    if (!index->process_count)
        return;
    if (process != TV_NONE && index->processes[process].id)
        tv_text_add(&table->cells, "%u ", index->processes[process].id);
    if (process != TV_NONE)
        tv_text_add_name(&table->cells, tv_index_process_name(index, process));
    tv_table_end_cell(table);
}

/* Adds the cells between the id and the name. */
static void add_thread_numbers(struct tv_table *table, const struct tv_index *index,
                               const struct tv_index_thread *thread)
{
    const struct tv_index_info *info = index->info;
    tv_table_count(table, thread->records);
    tv_table_count(table, thread->calls);
    tv_table_count(table, thread->max_depth);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!info->has_clock[clock])
            continue;
        tv_table_ms(table, (int64_t)(thread->root_total[clock] * info->unit_ns));
        if (clock == tv_index_default_clock(index))
            tv_table_percent(table, (int64_t)thread->root_total[clock], info->total[clock]);
    }
}

/* Adds the row of what `count` threads have together. */
static void add_threads_sum(struct tv_table *table, const struct tv_index *index, uint32_t count)
{
    const struct tv_index_info *info = index->info;
    struct tv_index_thread sum = {.records = info->records, .calls = info->calls};
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].max_depth > sum.max_depth)
            sum.max_depth = index->threads[i].max_depth;
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        sum.root_total[clock] = info->total[clock];
    tv_table_end_cell(table);
    add_thread_numbers(table, index, &sum);
    tv_text_add(&table->cells, "all %u threads", count);
    tv_table_end_cell(table);
    add_process(table, index, TV_NONE);
}

/* Adds a row for each thread with records, their sum, and how many threads have none. */
static enum tv_code add_threads(struct tv_text *out, const struct tv_cli *cli,
                                const struct tv_index *index, struct tv_error *err)
{
    uint32_t *threads;
    uint32_t count = 0;
    struct tv_table table;
    TV_TRY(tv_alloc_new(cli->alloc, &threads, index->thread_count, sizeof(*threads), err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].records)
            threads[count++] = i;
    }
    enum tv_code code = tv_sort(cli->alloc, threads, count, compare_threads, index, err);
    tv_table_init(&table, cli);
    add_thread_columns(&table, index);
    for (uint32_t i = 0; i < count && code == TV_OK; i++) {
        const struct tv_index_thread *thread = &index->threads[threads[i]];
        tv_text_add(&table.cells, "%u", thread->id);
        tv_table_end_cell(&table);
        add_thread_numbers(&table, index, thread);
        tv_table_name(&table, tv_index_thread_name(index, threads[i]));
        add_process(&table, index, thread->process);
    }
    if (count > 1)
        add_threads_sum(&table, index, count);
    tv_text_add(out, "\n");
    if (code == TV_OK)
        code = tv_table_write(&table, out, err);
    tv_table_release(&table);
    tv_alloc_release(cli->alloc, &threads, index->thread_count, sizeof(*threads));
    if (count < index->thread_count)
        tv_text_add(out, "and %u without records\n", index->thread_count - count);
    return code;
}

static enum tv_code write_text(const struct tv_asking *asking, const void *asked,
                               struct tv_text *out, struct tv_error *err)
{
    (void)asked;
    add_label(out, "File");
    tv_text_add_name(out, tv_file_label(asking->file));
    tv_text_add(out, "\n");
    add_format(out, asking->index);
    add_totals(out, asking->index);
    TV_TRY(add_threads(out, asking->cli, asking->index, err));
    (void)tv_findings_print(out, asking->index, "\nFindings\n");
    return TV_OK;
}

static enum tv_code write_json(const struct tv_api *api, const void *asked, struct tv_buffer *body,
                               struct tv_error *err)
{
    (void)asked;
    return tv_answer_info(api, body, err);
}

static const struct tv_question_plan plan = {.write_json = write_json, .write_text = write_text};

/* Warns of findings with --json only: the answer for people has them, and need not tell them twice.
 */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct info_options *options = values;
    const char *file = arguments->of[0];
    struct tv_index index;
    tv_index_init(&index);
    int status =
        tv_load_for_verb(cli, file, options->json ? TV_WARNINGS_TOLD : TV_WARNINGS_UNTOLD, &index);
    if (status == TV_STATUS_FINE)
        status = tv_question_answer(cli, file, &index, &plan, NULL, options->json);
    tv_index_release(&index);
    return status;
}

static const struct tv_option options[] = {
    {.name = "json",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct info_options, json),
     .help = "the answer as JSON",
     .group = TV_GROUP_OUTPUT},
};

const struct tv_verb tv_verb_info = {
    .name = "info",
    .summary = "format, clocks, duration, threads, counts and findings",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .prints_tables = true,
    .options = TV_OPTIONS(options),
    .values_len = sizeof(struct info_options),
    .examples = {{"traceview info app.trace", "what kind of trace it is, and which threads it has"},
                 {"traceview info --json app.trace", "the same for a program"}},
    .run = run,
};
