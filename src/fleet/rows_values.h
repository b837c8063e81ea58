/* Runs, rows and contexts as the columns of statements (fleet/rows_sql.h), and back, whichever
 * engine has them. */
#ifndef TV_FLEET_ROWS_VALUES_H
#define TV_FLEET_ROWS_VALUES_H

#include "base/sql_value.h"
#include "fleet/rows_db.h"

#define TV_ROWS_RUN_VALUES 16u     /* of a run without its id */
#define TV_ROWS_VALUES 13u         /* of a row */
#define TV_ROWS_CONTEXT_VALUES 11u /* of a context */

/* Texts are borrowed. */
void tv_rows_run_values(struct tv_sql_value values[TV_ROWS_RUN_VALUES],
                        const struct tv_fleet_run_key *key, const char *index,
                        const struct tv_trace_rows *rows);
void tv_rows_row_values(struct tv_sql_value values[TV_ROWS_VALUES], int64_t run, int64_t method,
                        const struct tv_fleet_row *row);
void tv_rows_context_values(struct tv_sql_value values[TV_ROWS_CONTEXT_VALUES], int64_t run,
                            int64_t method, const struct tv_fleet_context *context);

/* A row of an answer. */
struct tv_rows_cells {
    const void *ctx;
    size_t row;
    int64_t (*number)(const void *ctx, size_t row, int column);
    enum tv_code (*keep)(const void *ctx, size_t row, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err);
};
/* A row of TV_ROWS_SQL_RUN. */
enum tv_code tv_rows_read_run(const struct tv_rows_cells *cells, struct tv_arena *arena,
                              struct tv_fleet_run *run, struct tv_error *err) TV_MUST_CHECK;
/* The names of a row of TV_ROWS_SQL_METHOD. */
enum tv_code tv_rows_read_names(const struct tv_rows_cells *cells, struct tv_arena *arena,
                                struct tv_fleet_method *names, struct tv_error *err) TV_MUST_CHECK;

/* Which columns of a row are asked for. */
enum tv_rows_columns {
    TV_ROWS_ALL,
    TV_ROWS_OF_WALL, /* without the kind of thread, and the times of this clock alone */
    TV_ROWS_OF_CPU   /* the same, with what is not recorded */
};

static inline enum tv_rows_columns tv_rows_columns(const struct tv_fleet_wanted *wanted)
{
    if (!wanted->one_clock)
        return TV_ROWS_ALL;
    return wanted->clock == TV_CLOCK_CPU ? TV_ROWS_OF_CPU : TV_ROWS_OF_WALL;
}

/* How many columns they are; all are numbers. */
static inline int tv_rows_column_count(enum tv_rows_columns columns)
{
    static const int counts[] = {13, 8, 10};
    return counts[columns];
}

#define TV_ROWS_RUN_CELL 0 /* in which a row has the id of its run */

/* A row of TV_ROWS_SQL_ROW; `run` is the place of its run in a list. */
static inline struct tv_fleet_read_row tv_rows_read_row(const struct tv_rows_cells *cells,
                                                        enum tv_rows_columns columns, size_t run)
{
    const enum tv_clock clock = columns == TV_ROWS_OF_CPU ? TV_CLOCK_CPU : TV_CLOCK_WALL;
    uint64_t of[13];
    const int count = tv_rows_column_count(columns);
    for (int i = 1; i < count; i++)
        of[i] = (uint64_t)cells->number(cells->ctx, cells->row, i);
    struct tv_fleet_read_row read = {
        .run = run,
        .method = (int64_t)of[1],
        .row = {.numbers = {.numbers = {.calls = of[2]}, .recursive_calls = of[3]},
                .slowest_ns = of[4],
                .slowest_at_ns = of[5]}};
    struct tv_numbers *numbers = &read.row.numbers.numbers;
    numbers->inclusive_ns[clock] = of[6];
    numbers->exclusive_ns[clock] = of[7];
    if (columns == TV_ROWS_ALL) {
        numbers->inclusive_ns[TV_CLOCK_CPU] = of[8];
        numbers->exclusive_ns[TV_CLOCK_CPU] = of[9];
        read.row.kind = (enum tv_thread_kind)of[10];
    }
    for (int i = 0; i < 2 && columns != TV_ROWS_OF_WALL; i++)
        numbers->unrecorded_ns[i] = of[count - 2 + i];
    return read;
}

#endif
