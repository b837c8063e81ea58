/* Shared columns of top, tree and callers. */
#include "cli/profile_table.h"

#include "analysis/selection/names.h"
#include "base/error.h"

static const char *const measure_words[] = {"Wall", "CPU", "Wait"};

void tv_profile_table_init(struct tv_profile_table *table, const struct tv_question *question,
                           const uint64_t total_ns[TV_CLOCK_COUNT])
{
    *table = (struct tv_profile_table){.question = question};
    int64_t total = tv_measure_of(total_ns, question->view.measure);
    table->total_ns = total > 0 ? (uint64_t)total : 0;
    tv_table_init(&table->table, question->cli->alloc);
    tv_buffer_init(&table->name, question->cli->alloc);
}

void tv_profile_table_release(struct tv_profile_table *table)
{
    tv_buffer_release(&table->name);
    tv_table_release(&table->table);
}

void tv_profile_table_time_columns(struct tv_profile_table *table)
{
    tv_table_column(&table->table, "Excl ms", TV_ALIGN_RIGHT);
    tv_table_column(&table->table, "%", TV_ALIGN_RIGHT);
    tv_table_column(&table->table, "Incl ms", TV_ALIGN_RIGHT);
    tv_table_column(&table->table, "%", TV_ALIGN_RIGHT);
}

void tv_profile_table_times(struct tv_profile_table *table, const struct tv_numbers *numbers)
{
    enum tv_measure measure = table->question->view.measure;
    int64_t exclusive_ns = tv_measure_of(numbers->exclusive_ns, measure);
    int64_t inclusive_ns = tv_measure_of(numbers->inclusive_ns, measure);
    tv_table_ms(&table->table, exclusive_ns);
    tv_table_percent(&table->table, exclusive_ns, table->total_ns);
    tv_table_ms(&table->table, inclusive_ns);
    tv_table_percent(&table->table, inclusive_ns, table->total_ns);
}

void tv_profile_table_method(struct tv_profile_table *table, uint32_t method_ix, unsigned indent)
{
    if (table->code == TV_OK)
        table->code = tv_method_text(table->question->index, method_ix, &table->name, NULL);
    tv_text_add(&table->table.cells, "%*s", (int)indent, "");
    tv_table_name(&table->table, tv_buffer_view(&table->name));
}

void tv_profile_table_caption(const struct tv_profile_table *table, struct tv_text *out)
{
    const struct tv_selection *selection = &table->question->view.selection;
    tv_text_add(out, "%s time", measure_words[table->question->view.measure]);
    if (selection->has_range) {
        tv_text_add(out, " from ");
        tv_text_add_time(out, selection->from_ns);
        tv_text_add(out, " to ");
        tv_text_add_time(out, selection->to_ns);
    }
    tv_text_add(out, "; 100 %% is ");
    tv_text_add_ms(out, (int64_t)table->total_ns);
    tv_text_add(out, " ms, the root calls of ");
    if (selection->threads)
        tv_text_add(out, "%u %s\n\n", selection->thread_count,
                    selection->thread_count == 1 ? "thread" : "threads");
    else
        tv_text_add(out, "all threads\n\n");
}

enum tv_code tv_profile_table_write(const struct tv_profile_table *table, struct tv_text *out,
                                    struct tv_error *err)
{
    if (table->code != TV_OK)
        return tv_fail_memory(err, table->name.len);
    return tv_table_write(&table->table, table->question->cli, out, err);
}

const char *tv_calls_header(const struct tv_index *index)
{
    return index->info->is_sampled ? "Runs" : "Calls";
}
