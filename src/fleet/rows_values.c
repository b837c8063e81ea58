/*
 * Columns of runs, rows and contexts as values of SQL, and back from an answer's cells. Their order
 * stands here and in the statements of fleet/rows_sql.h alone: SQLite and PostgreSQL share both,
 * and only how a cell is read differs between them.
 */
#include "fleet/rows_values.h"

#include <stdio.h>

void tv_rows_run_values(struct tv_sql_value values[TV_ROWS_RUN_VALUES],
                        const struct tv_fleet_run_key *key, const char *index,
                        const struct tv_trace_rows *rows)
{
    const struct tv_error *no_counts = &rows->no_counts;
    values[0] = tv_sql_text(tv_str_from(key->raw));
    values[1] = tv_sql_text(tv_str_from(key->trace));
    values[2] = tv_sql_text(tv_str_from(index));
    values[3] = tv_sql_count(rows->calls);
    values[4] = tv_sql_count(rows->total_ns[TV_CLOCK_WALL]);
    values[5] = tv_sql_count(rows->total_ns[TV_CLOCK_CPU]);
    values[6] = tv_sql_int(rows->clocks.lacks[TV_CLOCK_WALL]);
    values[7] = tv_sql_int(rows->clocks.lacks[TV_CLOCK_CPU]);
    values[8] = tv_sql_int(rows->clocks.has_idle_cpu);
    values[9] = tv_sql_text(tv_str_from(rows->clocks.processor));
    values[10] = tv_sql_text(tv_str_from(no_counts->code == TV_OK ? "" : no_counts->text));
    values[11] = tv_sql_count(rows->cut_calls);
    values[12] = tv_sql_int(rows->fell_back);
    values[13] = tv_sql_text(tv_str_from(rows->odd_wall ? rows->odd_wall : ""));
    values[14] = tv_sql_text(tv_str_from(rows->build.id));
    values[15] = tv_sql_int(rows->build.is_short);
}

static void time_values(struct tv_sql_value values[4], const struct tv_numbers *numbers)
{
    values[0] = tv_sql_count(numbers->inclusive_ns[TV_CLOCK_WALL]);
    values[1] = tv_sql_count(numbers->exclusive_ns[TV_CLOCK_WALL]);
    values[2] = tv_sql_count(numbers->inclusive_ns[TV_CLOCK_CPU]);
    values[3] = tv_sql_count(numbers->exclusive_ns[TV_CLOCK_CPU]);
}

void tv_rows_row_values(struct tv_sql_value values[TV_ROWS_VALUES], int64_t run, int64_t method,
                        const struct tv_fleet_row *row)
{
    values[0] = tv_sql_int(run);
    values[1] = tv_sql_int(method);
    values[2] = tv_sql_int((int64_t)row->kind);
    values[3] = tv_sql_count(row->numbers.numbers.calls);
    values[4] = tv_sql_count(row->numbers.recursive_calls);
    time_values(values + 5, &row->numbers.numbers);
    values[9] = tv_sql_count(row->slowest_ns);
    values[10] = tv_sql_count(row->slowest_at_ns);
    values[11] = tv_sql_count(row->numbers.numbers.unrecorded_ns[0]);
    values[12] = tv_sql_count(row->numbers.numbers.unrecorded_ns[1]);
}

/* A hash is kept as the signed number of the same bits. */
void tv_rows_context_values(struct tv_sql_value values[TV_ROWS_CONTEXT_VALUES], int64_t run,
                            int64_t method, const struct tv_fleet_context *context)
{
    values[0] = tv_sql_int(run);
    values[1] = tv_sql_int((int64_t)context->path);
    values[2] = tv_sql_int((int64_t)context->parent);
    values[3] = tv_sql_int(method);
    values[4] = tv_sql_int(context->depth);
    values[5] = tv_sql_int((int64_t)context->kind);
    values[6] = tv_sql_count(context->numbers.numbers.calls);
    time_values(values + 7, &context->numbers.numbers);
}

static enum tv_code copy(const struct tv_rows_cells *cells, int column, struct tv_arena *arena,
                         char *room, size_t cap, struct tv_error *err)
{
    struct tv_str text;
    TV_TRY(cells->keep(cells->ctx, cells->row, column, arena, &text, err));
    (void)snprintf(room, cap, "%.*s", (int)(text.len < cap ? text.len : cap - 1), text.at);
    return TV_OK;
}

enum tv_code tv_rows_read_run(const struct tv_rows_cells *cells, struct tv_arena *arena,
                              struct tv_fleet_run *run, struct tv_error *err)
{
    int64_t of[9];
    for (int i = 3; i < 9; i++)
        of[i] = cells->number(cells->ctx, cells->row, i);
    *run = (struct tv_fleet_run){
        .id = cells->number(cells->ctx, cells->row, 0),
        .calls = (uint64_t)of[3],
        .cut_calls = (uint64_t)cells->number(cells->ctx, cells->row, 12),
        .fell_back = cells->number(cells->ctx, cells->row, 13) != 0,
        .clocks = {.has_idle_cpu = of[8] != 0},
        .build = {.is_short = cells->number(cells->ctx, cells->row, 16) != 0},
    };
    run->total_ns[TV_CLOCK_WALL] = (uint64_t)of[4];
    run->total_ns[TV_CLOCK_CPU] = (uint64_t)of[5];
    run->clocks.lacks[TV_CLOCK_WALL] = of[6] != 0;
    run->clocks.lacks[TV_CLOCK_CPU] = of[7] != 0;
    TV_TRY(copy(cells, 1, arena, run->raw, sizeof(run->raw), err));
    TV_TRY(copy(cells, 2, arena, run->index, sizeof(run->index), err));
    TV_TRY(copy(cells, 9, arena, run->clocks.processor, sizeof(run->clocks.processor), err));
    TV_TRY(cells->keep(cells->ctx, cells->row, 14, arena, &run->odd_wall, err));
    TV_TRY(copy(cells, 11, arena, run->trace, sizeof(run->trace), err));
    TV_TRY(copy(cells, 15, arena, run->build.id, sizeof(run->build.id), err));
    return cells->keep(cells->ctx, cells->row, 10, arena, &run->no_counts, err);
}

enum tv_code tv_rows_read_names(const struct tv_rows_cells *cells, struct tv_arena *arena,
                                struct tv_fleet_method *names, struct tv_error *err)
{
    TV_TRY(cells->keep(cells->ctx, cells->row, 0, arena, &names->class_name, err));
    TV_TRY(cells->keep(cells->ctx, cells->row, 1, arena, &names->name, err));
    return cells->keep(cells->ctx, cells->row, 2, arena, &names->signature, err);
}
