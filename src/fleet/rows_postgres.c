/*
 * Rows in PostgreSQL; see fleet/rows_db.h, and fleet/rows_remote.h for how it is asked.
 *
 * They lie in a schema of their own beside the store's, whose name has the version: two versions of
 * the program that run at the same time have a schema each, and whoever makes one drops the earlier
 * ones. Whoever writes holds an advisory lock, so that methods are counted by one writer at a time,
 * and one question is one snapshot. The pool is not the store's: a question has its connection for
 * as long as it takes, and asks the store meanwhile.
 */
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/units.h"
#include "fleet/rows_remote.h"
#include "fleet/rows_sql.h"
#include "os/clock.h"
#include "postgres/address.h"
#include "postgres/turn.h"

#define SPACE "traceview_rows_" TV_ROWS_VERSION_NAME
/* "tvro" in ASCII. */
#define LOCK "1953919599"
/* Rows can be made again, so nobody waits for the disk. */
#define SETTINGS "SET search_path=" SPACE "; SET synchronous_commit=off;" TV_PG_SESSION
/* Questions at once, with what is written. */
#define CONNECTIONS 6u
/* An answer about this many runs stays within some ten MiB. */
#define RUNS_AT_ONCE 16u
/* A statement that the server does not end by itself has met one that hangs. */
#define ANSWER_NS (3 * (uint64_t)TV_NS_PER_S)

#define SCHEMA                                                                                     \
    TV_ROWS_SQL_SCHEMA("bigint PRIMARY KEY", "bigint NOT NULL", "text COLLATE \"C\" NOT NULL",     \
                       "bytea NOT NULL", TV_ROWS_SQL_RUNS_KEY, ")", TV_ROWS_SQL_ROWS_KEY,          \
                       TV_ROWS_SQL_CONTEXTS_KEY)

struct rows {
    struct tv_pg_address address;
    struct tv_pg_pool *pool;
};

/* --- a connection as a link --- */

static enum tv_code ask(void *ctx, struct tv_str text, const char *columns, struct tv_error *err)
{
    struct tv_pg *pg = ctx;
    struct tv_buffer ended;
    (void)columns;
    tv_buffer_init(&ended, tv_alloc_libc());
    enum tv_code code = tv_buffer_append(&ended, text.at, text.len, err);
    if (code == TV_OK)
        code = tv_buffer_append(&ended, "", 1, err);
    if (code == TV_OK)
        code = tv_pg_execute(pg, tv_buffer_view(&ended).at, err);
    tv_buffer_release(&ended);
    return code;
}

static size_t count_rows(const void *ctx)
{
    return tv_pg_row_count(ctx);
}

static int64_t number_of(const void *ctx, size_t row, int column)
{
    return tv_pg_number(ctx, row, column);
}

/* Bytes come as \x and their digits; digits of hashes do not begin so. */
static enum tv_code keep(const void *ctx, size_t row, int column, struct tv_arena *arena,
                         struct tv_str *text, struct tv_error *err)
{
    const struct tv_str came = tv_pg_text(ctx, row, column);
    char *bytes;
    if (!tv_str_starts_with(came, TV_STR("\\x")))
        return tv_arena_keep(arena, came, text, err);
    const size_t len = (came.len - 2) / 2;
    *text = (struct tv_str){"", 0};
    if (!len)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, len, &bytes, err));
    for (size_t i = 0; i < len; i++) {
        const char *digits = came.at + 2 + 2 * i;
        bytes[i] = (char)((tv_hex_value(digits[0]) << 4 | tv_hex_value(digits[1])) & 0xff);
    }
    *text = (struct tv_str){bytes, len};
    return TV_OK;
}

static const struct tv_rows_link link_of_bytes = {.bytes_begin = "'\\x", .bytes_end = "'::bytea"};

/* Digits may stand for bytes, too, but no bytes for digits: of the columns that are sent only those
 * of `runs` are digits, and PostgreSQL takes a text that is not told the type of for either. */
static enum tv_code add(void *ctx, struct tv_buffer *rows, const struct tv_sql_value *values,
                        size_t count, struct tv_error *err)
{
    const bool is_run = count == TV_ROWS_RUN_VALUES + 1;
    (void)ctx;
    TV_TRY(tv_buffer_append(rows, rows->len ? ",(" : "(", rows->len ? 2 : 1, err));
    for (size_t i = 0; i < count; i++) {
        const bool is_digits = is_run && i >= 1 && i <= 3;
        if (i)
            TV_TRY(tv_buffer_append(rows, ",", 1, err));
        TV_TRY(tv_rows_spell_value(&link_of_bytes, rows, &values[i], is_digits, err));
    }
    return tv_buffer_append(rows, ")", 1, err);
}

static enum tv_code insert(void *ctx, const char *into, struct tv_str rows, const char *behind,
                           struct tv_error *err)
{
    struct tv_buffer text;
    char head[64];
    tv_buffer_init(&text, tv_alloc_libc());
    (void)snprintf(head, sizeof(head), "INSERT INTO %s VALUES", into);
    enum tv_code code = tv_buffer_append(&text, head, strlen(head), err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, rows.at, rows.len, err);
    if (code == TV_OK)
        code = tv_buffer_append(&text, behind, strlen(behind), err);
    if (code == TV_OK)
        code = ask(ctx, tv_buffer_view(&text), "", err);
    tv_buffer_release(&text);
    return code;
}

static struct tv_rows_link link_to(struct tv_pg *pg)
{
    struct tv_rows_link link = link_of_bytes;
    link.ctx = pg;
    link.rows = link.rows_in_any_order = tv_rows_sql_rows; /* by its key, they come in order */
    link.rows_of_method = tv_rows_sql_rows_of_method;
    link.ask = ask;
    link.count = count_rows;
    link.number = number_of;
    link.keep = keep;
    link.add = add;
    link.insert = insert;
    return link;
}

/* --- tables --- */

static enum tv_code has_tables(struct tv_pg *pg, bool *has, struct tv_error *err)
{
    TV_TRY(tv_pg_execute(
        pg, "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname='" SPACE "'", err));
    *has = tv_pg_number(pg, 0, 0) != 0;
    return TV_OK;
}

/* Those of before indexes had a part in it have one number, and are less than any with two. */
static enum tv_code drop_earlier(struct tv_pg *pg, struct tv_error *err)
{
    char text[640];
    (void)snprintf(text, sizeof(text),
                   "DO $$ DECLARE earlier text; BEGIN"
                   "  FOR earlier IN SELECT nspname FROM pg_catalog.pg_namespace"
                   "    WHERE CASE WHEN nspname ~ '^traceview_rows_[0-9]{1,6}(_[0-9]{1,6})?$'"
                   "      THEN string_to_array(substr(nspname, 16), '_')::int[] < ARRAY[%d, %d]"
                   "      ELSE false END"
                   "  LOOP EXECUTE format('DROP SCHEMA %%I CASCADE', earlier); END LOOP; END $$",
                   TV_ROWS_VERSION, TV_INDEX_VERSION);
    return tv_pg_execute(pg, text, err);
}

/* Waits for others that write, and makes the tables where they are missing. */
static enum tv_code begin_writing(struct tv_pg *pg, struct tv_error *err)
{
    bool has;
    TV_TRY(tv_pg_execute(pg, "SELECT pg_advisory_xact_lock(" LOCK ")", err));
    TV_TRY(has_tables(pg, &has, err));
    if (has)
        return TV_OK;
    TV_TRY(drop_earlier(pg, err));
    TV_TRY(tv_pg_execute(pg, "CREATE SCHEMA " SPACE, err));
    return tv_pg_execute(pg, SCHEMA, err);
}

/* --- writing --- */

static enum tv_code drop_run(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                             int64_t id, struct tv_error *err)
{
    static const char *const statements[] = {tv_rows_sql_leave_methods, tv_rows_sql_drop_methods,
                                             tv_rows_sql_drop_rows, tv_rows_sql_drop_contexts,
                                             tv_rows_sql_drop_run};
    const struct tv_sql_value value = tv_sql_int(id);
    const struct tv_rows_parameter parameter = {&value, 1, TV_ROWS_ANY};
    for (size_t i = 0; i < TV_COUNT_OF(statements); i++)
        TV_TRY(tv_rows_ask(link, alloc, statements[i], &parameter, 1, "", err));
    return TV_OK;
}

static enum tv_code drop_key(const struct tv_rows_link *link, const struct tv_alloc *alloc,
                             const struct tv_fleet_run_key *key, struct tv_error *err)
{
    int64_t *ids;
    size_t count;
    do {
        TV_TRY(tv_rows_find_ids(link, alloc, key, 1, &ids, &count, err));
        enum tv_code code = TV_OK;
        for (size_t i = 0; code == TV_OK && i < count; i++)
            code = drop_run(link, alloc, ids[i], err);
        if (count)
            tv_alloc_release(alloc, &ids, count, sizeof(*ids));
        TV_TRY(code);
    } while (count);
    return TV_OK;
}

static enum tv_code put_run(const struct tv_fleet_db *db, const struct tv_fleet_run_key *key,
                            const char *index, const struct tv_trace_rows *rows,
                            struct tv_error *err)
{
    const struct rows *of = db->ctx;
    struct tv_pg_turn turn = tv_pg_turn(of->pool, TV_PG_PATIENT);
    while (tv_pg_turn_tries(&turn)) {
        const struct tv_rows_link link = link_to(turn.pg);
        turn.code = begin_writing(turn.pg, &turn.err);
        if (turn.code == TV_OK)
            turn.code = drop_key(&link, db->alloc, key, &turn.err);
        if (turn.code == TV_OK)
            turn.code =
                tv_rows_send(&link, key, index, rows, tv_rows_new_run(key, index, 0),
                             " ON CONFLICT(id) DO UPDATE SET runs=methods.runs+1", &turn.err);
    }
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code drop_runs(const struct tv_fleet_db *db, const struct tv_fleet_run_key *keys,
                              size_t count, struct tv_error *err)
{
    const struct rows *of = db->ctx;
    for (size_t i = 0; i < count; i++) {
        struct tv_pg_turn turn = tv_pg_turn(of->pool, TV_PG_PATIENT);
        while (tv_pg_turn_tries(&turn)) {
            const struct tv_rows_link link = link_to(turn.pg);
            turn.code = begin_writing(turn.pg, &turn.err);
            if (turn.code == TV_OK)
                turn.code = drop_key(&link, db->alloc, &keys[i], &turn.err);
        }
        TV_TRY(tv_pg_turn_end(&turn, err));
    }
    return TV_OK;
}

/* --- reading --- */

struct reading {
    struct tv_rows_reading remote; /* the first: what the shared functions know */
    struct tv_pg_turn turn;
};

/* A question may take longer than a request to the store; each of its statements may not. */
static enum tv_code ask_in_time(void *ctx, struct tv_str text, const char *columns,
                                struct tv_error *err)
{
    struct tv_pg *pg = ctx;
    pg->end_ns = tv_now_ns() + ANSWER_NS;
    return ask(ctx, text, columns, err);
}

static void close_reader(struct tv_fleet_reader *reader)
{
    struct reading *reading = reader->ctx;
    if (!reading)
        return;
    /* Nothing was written: how the transaction ends does not matter, and it is not tried again. */
    reading->turn.code = TV_OK;
    reading->turn.end_ns = 0;
    if (reading->turn.pg) {
        reading->turn.pg->end_ns = tv_now_ns() + ANSWER_NS;
        while (tv_pg_turn_tries(&reading->turn))
            continue;
    }
    tv_rows_reading_release(&reading->remote);
    tv_alloc_release(reader->alloc, &reading, 1, sizeof(*reading));
    reader->ctx = NULL;
}

static enum tv_code begin_reading(struct reading *reading, bool *has, struct tv_error *err)
{
    if (!tv_pg_turn_tries(&reading->turn))
        return tv_pg_turn_end(&reading->turn, err);
    struct tv_pg *pg = reading->turn.pg;
    reading->remote.link = link_to(pg);
    reading->remote.link.ask = ask_in_time;
    TV_TRY(tv_pg_execute(pg, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", err));
    return has_tables(pg, has, err);
}

static enum tv_code open_reader(struct tv_fleet_reader *reader, struct tv_error *err)
{
    const struct rows *of = reader->db->ctx;
    struct reading *reading;
    bool has = false;
    TV_TRY(tv_alloc_new(reader->alloc, &reading, 1, sizeof(*reading), err));
    reader->ctx = reading;
    tv_rows_reading_init(&reading->remote, reader);
    reading->remote.runs_at_once = RUNS_AT_ONCE;
    reading->turn = tv_pg_turn(of->pool, TV_PG_TRANSACTION);
    TV_TRY(begin_reading(reading, &has, err));
    if (!has)
        close_reader(reader);
    return TV_OK;
}

/* --- the engine --- */

static void close_db(struct tv_fleet_db *db)
{
    struct rows *of = db->ctx;
    tv_pg_pool_close(of->pool);
    tv_pg_address_release(&of->address);
    tv_alloc_release(db->alloc, &of, 1, sizeof(*of));
}

static const struct tv_rows_engine engine = {
    .close = close_db,
    .put = put_run,
    .drop = drop_runs,
    .open_reader = open_reader,
    .close_reader = close_reader,
    .find_runs = tv_rows_remote_find_runs,
    .read_runs = tv_rows_remote_read_runs,
    .read_rows = tv_rows_remote_read_rows,
    .read_method = tv_rows_remote_read_method,
    .find_method = tv_rows_remote_find_method,
};

static enum tv_code open_pool(struct rows *of, const struct tv_fleet_db *db,
                              const struct tv_fleet_place *place, struct tv_error *err)
{
    TV_TRY(tv_pg_address_read(&of->address, place->url, place->password_file, db->alloc, err));
    const struct tv_pg_pool_opts opts = {.alloc = db->alloc,
                                         .address = &of->address,
                                         .settings =
                                             db->is_read_only ? SETTINGS TV_PG_READ_ONLY : SETTINGS,
                                         .connections = CONNECTIONS};
    return tv_pg_pool_open(&of->pool, &opts, err);
}

enum tv_code tv_rows_in_postgres(struct tv_fleet_db *db, const struct tv_fleet_place *place,
                                 struct tv_error *err)
{
    struct rows *of;
    TV_TRY(tv_alloc_new(db->alloc, &of, 1, sizeof(*of), err));
    const enum tv_code code = open_pool(of, db, place, err);
    if (code != TV_OK) {
        tv_pg_address_release(&of->address);
        tv_alloc_release(db->alloc, &of, 1, sizeof(*of));
        return code;
    }
    db->ctx = of;
    db->engine = &engine;
    return TV_OK;
}
