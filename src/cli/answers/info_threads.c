/*
 * The threads of a trace as a table; see cli/answers/info_threads.h. Threads are in the order of
 * their time, and without clocks in that of their records. The sum is of all threads with records,
 * also of those that -n leaves out.
 */
#include "cli/answers/info_threads.h"

#include "analysis/selection/thread_order.h"
#include "base/alloc.h"
#include "base/memory/sort.h"
#include "cli/terminal/table.h"

/* A terminal with less room for names of threads does not show these columns. */
#define RECORDS_NAME_WIDTH 24u
#define DEPTH_NAME_WIDTH 22u
#define CALLS_NAME_WIDTH 20u
#define OTHER_CLOCK_NAME_WIDTH 18u

/* The column of the default clock has the share of its total beside it. */
static void add_thread_columns(struct tv_text_table *table, const struct tv_index *index)
{
    static const char *const clocks[] = {"Wall ms", "CPU ms"};
    tv_table_column(table, "Id", TV_ALIGN_RIGHT);
    tv_table_keep(table);
    tv_table_column(table, "Records", TV_ALIGN_RIGHT);
    tv_table_spare_below(table, RECORDS_NAME_WIDTH);
    tv_table_column(table, index->info->is_sampled ? "Runs" : "Calls", TV_ALIGN_RIGHT);
    tv_table_spare_below(table, CALLS_NAME_WIDTH);
    tv_table_column(table, "Depth", TV_ALIGN_RIGHT);
    tv_table_spare_below(table, DEPTH_NAME_WIDTH);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!index->info->has_clock[clock])
            continue;
        tv_table_column(table, clocks[clock], TV_ALIGN_RIGHT);
        if (clock == tv_index_default_clock(index))
            tv_table_column(table, "%", TV_ALIGN_RIGHT);
        else
            tv_table_spare_below(table, OTHER_CLOCK_NAME_WIDTH);
    }
    tv_table_column(table, "Thread", TV_ALIGN_LEFT);
    if (index->process_count) {
        tv_table_share(table);
        tv_table_column(table, "Process", TV_ALIGN_LEFT);
    }
}

/* Adds a cell with a process, by its id where that is known and its name; an empty one for no
 * process. */
static void add_process(struct tv_text_table *table, const struct tv_index *index, uint32_t process)
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
static void add_thread_numbers(struct tv_text_table *table, const struct tv_index *index,
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
static void add_threads_sum(struct tv_text_table *table, const struct tv_index *index,
                            uint32_t count)
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

/* Adds a row for each of the busiest threads, the sum of all with records, and how many threads
 * have none. */
enum tv_code tv_info_add_threads(struct tv_text *out, const struct tv_asking *asking, uint64_t most,
                                 struct tv_error *err)
{
    const struct tv_cli *cli = asking->cli;
    const struct tv_index *index = asking->index;
    uint32_t *threads;
    uint32_t count = 0;
    struct tv_text_table table;
    TV_TRY(tv_alloc_new(cli->alloc, &threads, index->thread_count, sizeof(*threads), err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].records)
            threads[count++] = i;
    }
    enum tv_code code = tv_sort(cli->alloc, threads, count, tv_thread_order, index, err);
    tv_table_init(&table, cli);
    add_thread_columns(&table, index);
    uint32_t shown = most && most < count ? (uint32_t)most : count;
    for (uint32_t i = 0; i < shown && code == TV_OK; i++) {
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
    if (shown < count)
        tv_text_add(out, "and %u more: -n 0 shows all\n", count - shown);
    if (count < index->thread_count)
        tv_text_add(out, "and %u without records\n", index->thread_count - count);
    return code;
}
