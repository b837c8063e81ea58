/*
 * Deliveries of the webhook, and tallies of all processes; see store/store_db.h.
 *
 * Each process with workers looks every second or two for a delivery that is due. It looks through
 * the connection that only reads, so that writers are not held up; a transaction that looks again
 * then takes the delivery. A deadline later than now and a lease was written by a clock that was
 * ahead, and is ignored.
 */
#include "store/sqlite/calls.h"

#include <assert.h>

#include "store/row_check.h"

#define COLUMNS "id, app, build, body, state, tries, created, next, ended, status, reason"
#define DUE                                                                                        \
    " FROM deliveries WHERE state=0 AND next<=?1"                                                  \
    " AND (deadline<=?1 OR deadline>?1+?2 OR worker=?3)"

static enum tv_code add(struct tv_sql *sql, const struct tv_delivery *delivery, int64_t now,
                        struct tv_error *err)
{
    TV_TRY(tv_sql_run(sql, "DELETE FROM deliveries WHERE state<>0 AND ended<=?1",
                      TV_SQL_VALUES(tv_sql_int(now - TV_STORE_DELIVERED_S)), NULL, err));
    return tv_sql_run(sql,
                      "INSERT OR IGNORE INTO deliveries(" COLUMNS ", worker, deadline)"
                      " VALUES(?1, ?2, ?3, ?4, 0, 0, ?5, ?5, 0, 0, '', '', 0)",
                      TV_SQL_VALUES(tv_sql_hex(delivery->id.hex), tv_sql_text(delivery->app),
                                    tv_sql_text(delivery->build), tv_sql_text(delivery->body),
                                    tv_sql_int(now)),
                      NULL, err);
}

enum tv_code tv_sqlite_add_delivery(void *ctx, const struct tv_delivery *delivery, int64_t now,
                                    struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_delivery(delivery, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, add(&sqlite->writer, delivery, now, err), err);
}

/* The row at hand. */
static enum tv_code read_row(const struct tv_sql_statement *rows, struct tv_arena *arena,
                             struct tv_delivery *delivery, struct tv_error *err)
{
    *delivery = (struct tv_delivery){.state = (enum tv_delivery_state)tv_sql_number(rows, 4),
                                     .tries = (unsigned)tv_sql_number(rows, 5),
                                     .created = tv_sql_number(rows, 6),
                                     .next = tv_sql_number(rows, 7),
                                     .ended = tv_sql_number(rows, 8),
                                     .status = (unsigned)tv_sql_number(rows, 9)};
    tv_sql_copy(rows, 0, delivery->id.hex, sizeof(delivery->id.hex));
    TV_TRY(tv_sql_keep(rows, 1, arena, &delivery->app, err));
    TV_TRY(tv_sql_keep(rows, 2, arena, &delivery->build, err));
    TV_TRY(tv_sql_keep(rows, 3, arena, &delivery->body, err));
    return tv_sql_keep(rows, 10, arena, &delivery->reason, err);
}

static enum tv_code take(struct tv_sql *sql, const char *worker, int64_t now, int64_t lease,
                         struct tv_arena *arena, struct tv_delivery *delivery, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(
        sql, "SELECT " COLUMNS DUE " ORDER BY next, id LIMIT 1",
        TV_SQL_VALUES(tv_sql_int(now), tv_sql_int(lease), tv_sql_text(tv_str_from(worker))), &rows,
        err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no delivery is due");
    enum tv_code code = read_row(rows, arena, delivery, err);
    tv_sql_leave(rows);
    TV_TRY(code);
    delivery->tries++;
    return tv_sql_run(sql,
                      "UPDATE deliveries SET worker=?2, deadline=?3, tries=tries+1 WHERE id=?1",
                      TV_SQL_VALUES(tv_sql_hex(delivery->id.hex), tv_sql_text(tv_str_from(worker)),
                                    tv_sql_int(now + lease)),
                      NULL, err);
}

enum tv_code tv_sqlite_take_delivery(void *ctx, const char *worker, int64_t now, int64_t lease,
                                     struct tv_arena *arena, struct tv_delivery *delivery,
                                     struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    int64_t is_due;
    bool has;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    TV_TRY(tv_sql_end(&sqlite->reader,
                      tv_sql_numbers(&sqlite->reader, "SELECT EXISTS(SELECT 1" DUE ")",
                                     TV_SQL_VALUES(tv_sql_int(now), tv_sql_int(lease),
                                                   tv_sql_text(tv_str_from(worker))),
                                     &is_due, 1, &has, err),
                      err));
    if (!is_due)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no delivery is due");
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer,
                      take(&sqlite->writer, worker, now, lease, arena, delivery, err), err);
}

enum tv_code tv_sqlite_end_delivery(void *ctx, const struct tv_id *id, const char *worker,
                                    int64_t now, const struct tv_delivery_end *end,
                                    struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    uint64_t changed = 0;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = tv_sql_run(
        &sqlite->writer,
        "UPDATE deliveries SET state=?3, next=?4, ended=?5, status=?6, reason=?7, deadline=0"
        " WHERE id=?1 AND worker=?2 AND state=0",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_text(tv_str_from(worker)), tv_sql_int(end->state),
                      tv_sql_int(end->next),
                      tv_sql_int(end->state == TV_DELIVERY_WAITING ? 0 : now),
                      tv_sql_int(end->status), tv_sql_text(tv_row_cut_reason(end->reason))),
        &changed, err);
    TV_TRY(tv_sql_end(&sqlite->writer, code, err));
    return changed ? TV_OK
                   : tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                             "the delivery is not this worker's any more");
}

static enum tv_code list(struct tv_sql *sql, struct tv_arena *arena, struct tv_delivery *to,
                         size_t cap, size_t *count, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(tv_sql_query(
        sql, "SELECT " COLUMNS " FROM deliveries ORDER BY created DESC, id DESC LIMIT ?1",
        TV_SQL_VALUES(tv_sql_count(cap)), &rows, err));
    while (*count < cap) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        TV_TRY(read_row(rows, arena, &to[*count], err));
        ++*count;
    }
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_list_deliveries(void *ctx, struct tv_arena *arena, struct tv_delivery *rows,
                                       size_t cap, size_t *count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    *count = 0;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, list(&sqlite->reader, arena, rows, cap, count, err), err);
}

enum tv_code tv_sqlite_count_deliveries(void *ctx, uint64_t counts[TV_DELIVERY_STATES],
                                        struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    struct tv_sqlite *sqlite = ctx;
    int64_t numbers[TV_DELIVERY_STATES];
    bool has;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    enum tv_code code = tv_sql_numbers(&sqlite->reader,
                                       "SELECT count(*) FILTER (WHERE state=0),"
                                       " count(*) FILTER (WHERE state=1),"
                                       " count(*) FILTER (WHERE state=2) FROM deliveries",
                                       none, 0, numbers, TV_COUNT_OF(numbers), &has, err);
    for (size_t i = 0; i < TV_DELIVERY_STATES; i++)
        counts[i] = code == TV_OK ? (uint64_t)numbers[i] : 0;
    return tv_sql_end(&sqlite->reader, code, err);
}

/* --- tallies --- */

static enum tv_code change_tallies(void *ctx, const char *text, const struct tv_sql_value *values,
                                   size_t count, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, tv_sql_run(&sqlite->writer, text, values, count, NULL, err),
                      err);
}

enum tv_code tv_sqlite_add_tallies(void *ctx, const uint64_t by[TV_TALLY_COUNT],
                                   struct tv_error *err)
{
    static const char text[] =
        "INSERT INTO tallies(which, value) SELECT column1, column2 FROM (VALUES (0, ?1), (1, ?2),"
        " (2, ?3), (3, ?4), (4, ?5), (5, ?6), (6, ?7), (7, ?8)) WHERE column2>0"
        " ON CONFLICT(which) DO UPDATE SET value=value+excluded.value";
    struct tv_sql_value values[TV_TALLY_COUNT];
    static_assert(TV_TALLY_COUNT == 8, "the statement has them all");
    for (size_t i = 0; i < TV_TALLY_COUNT; i++)
        values[i] = tv_sql_count(by[i]);
    return change_tallies(ctx, text, values, TV_TALLY_COUNT, err);
}

enum tv_code tv_sqlite_set_tally(void *ctx, enum tv_tally which, uint64_t value,
                                 struct tv_error *err)
{
    return change_tallies(ctx,
                          "INSERT INTO tallies(which, value) VALUES(?1, ?2)"
                          " ON CONFLICT(which) DO UPDATE SET value=?2",
                          TV_SQL_VALUES(tv_sql_int(which), tv_sql_count(value)), err);
}

static enum tv_code read_tallies(struct tv_sql *sql, uint64_t values[TV_TALLY_COUNT],
                                 struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql, "SELECT which, value FROM tallies", none, 0, &rows, err));
    for (;;) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        const int64_t which = tv_sql_number(rows, 0);
        if (which >= 0 && which < (int64_t)TV_TALLY_COUNT)
            values[which] = (uint64_t)tv_sql_number(rows, 1);
    }
}

enum tv_code tv_sqlite_read_tallies(void *ctx, uint64_t values[TV_TALLY_COUNT],
                                    struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    for (size_t i = 0; i < TV_TALLY_COUNT; i++)
        values[i] = 0;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, read_tallies(&sqlite->reader, values, err), err);
}
