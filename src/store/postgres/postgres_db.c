/*
 * The database of a store in PostgreSQL; see store/postgres/postgres_db.h.
 *
 * Each call is one statement, or one short transaction that is tried again where the server was
 * restarted or another transaction was in the way (postgres/turn.h). The server ends what takes too
 * long, and transactions whose client has gone, so that no lock outlives who holds it.
 */
#include "store/postgres/postgres_db.h"

#include <stdio.h>
#include <string.h>

#include "os/file/paths.h"
#include "store/postgres/calls.h"
#include "store/postgres/schema.h"

/* Each connection begins with these. Commits wait for the disk. */
#define SETTINGS "SET search_path=traceview; SET synchronous_commit=on;" TV_PG_SESSION
/* At once: requests hold one for milliseconds. */
#define CONNECTIONS 8u

/* The server looks after its pages and foreign keys itself; what is left is the sum that a trigger
 * keeps. */
static enum tv_code check_totals(struct tv_pg *pg, struct tv_buffer *faults, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    TV_TRY(tv_pg_query(pg,
                       "SELECT 'database: it counts '||files||' files of '||bytes||' bytes, and has"
                       " '||has||' of '||sum FROM totals, (SELECT count(*) AS has,"
                       " coalesce(sum(bytes), 0) AS sum FROM files) AS counted"
                       " WHERE files<>has OR bytes<>sum",
                       none, 0, err));
    for (size_t i = 0; i < tv_pg_row_count(pg); i++) {
        struct tv_str line = tv_pg_text(pg, i, 0);
        TV_TRY(tv_buffer_append(faults, line.at, line.len, err));
        TV_TRY(tv_buffer_append(faults, "\n", 1, err));
    }
    return TV_OK;
}

static enum tv_code check(void *ctx, struct tv_buffer *faults, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    size_t before = faults->len;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    while (tv_pg_turn_tries(&turn)) {
        faults->len = before;
        turn.code = check_totals(turn.pg, faults, &turn.err);
    }
    return tv_pg_turn_end(&turn, err);
}

static void hear_of_job(void *ctx, const char *payload)
{
    const struct tv_postgres *postgres = ctx;
    (void)payload;
    postgres->job_waits(postgres->job_waits_arg);
}

static void watch_jobs(void *ctx, void (*changed)(void *arg), void *arg)
{
    struct tv_postgres *postgres = ctx;
    if (changed) {
        postgres->job_waits = changed;
        postgres->job_waits_arg = arg;
    }
    tv_pg_pool_listen(postgres->pool, 0, TV_POSTGRES_JOBS, changed ? hear_of_job : NULL, postgres);
}

/* Anybody who may write into the database can notify anything. */
static void hear_of_state(void *ctx, const char *payload)
{
    const struct tv_postgres *postgres = ctx;
    struct tv_hash raw = {""};
    if (payload && strlen(payload) < sizeof(raw.hex))
        memcpy(raw.hex, payload, strlen(payload));
    postgres->state_changed(postgres->state_changed_arg, raw.hex[0] ? &raw : NULL);
}

static void watch_states(void *ctx, void (*changed)(void *arg, const struct tv_hash *raw),
                         void *arg)
{
    struct tv_postgres *postgres = ctx;
    if (changed) {
        postgres->state_changed = changed;
        postgres->state_changed_arg = arg;
    }
    tv_pg_pool_listen(postgres->pool, 1, TV_POSTGRES_STATES, changed ? hear_of_state : NULL,
                      postgres);
}

/* Not now(), which stands still in a transaction. */
static enum tv_code read_clock(void *ctx, int64_t *now, struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    bool has;
    *now = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code =
            tv_pg_numbers(turn.pg, "SELECT floor(extract(epoch FROM clock_timestamp()))::bigint",
                          none, 0, now, 1, &has, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* The identifier of a cluster is made with it, and its standbys have it; the number of a database
 * in it is never given again. A server that tells no identifier has the number alone. */
static const char by_cluster[] =
    "SELECT 'postgres '||system_identifier||' '||(SELECT oid FROM pg_database"
    " WHERE datname=current_database()) FROM pg_control_system()";
static const char by_number[] =
    "SELECT 'postgres '||oid FROM pg_database WHERE datname=current_database()";

static enum tv_code ask_identity(struct tv_pg *pg, char identity[TV_STORE_OWNER_CAP],
                                 struct tv_error *err)
{
    static const struct tv_sql_value none[1];
    int64_t may;
    bool has;
    TV_TRY(tv_pg_numbers(pg,
                         "SELECT count(*) FROM pg_proc WHERE proname='pg_control_system'"
                         " AND has_function_privilege(oid, 'EXECUTE')",
                         none, 0, &may, 1, &has, err));
    TV_TRY(tv_pg_query(pg, may ? by_cluster : by_number, none, 0, err));
    tv_pg_copy(pg, 0, 0, identity, TV_STORE_OWNER_CAP);
    return TV_OK;
}

static enum tv_code identify(void *ctx, char identity[TV_STORE_OWNER_CAP], struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_PATIENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = ask_identity(turn.pg, identity, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static void close_db(void *ctx)
{
    struct tv_postgres *postgres = ctx;
    tv_pg_pool_close(postgres->pool);
    tv_pg_address_release(&postgres->address);
    tv_alloc_release(postgres->alloc, &postgres, 1, sizeof(*postgres));
}

static enum tv_code open_pool(struct tv_postgres *postgres,
                              const struct tv_postgres_opening *opening, struct tv_error *err)
{
    TV_TRY(tv_pg_address_read(&postgres->address, opening->url, opening->password_file,
                              postgres->alloc, err));
    (void)snprintf(postgres->settings, sizeof(postgres->settings),
                   SETTINGS " SET traceview.indexes='%.*s';%s", (int)TV_STORE_BUILD_MOST,
                   opening->indexes ? opening->indexes : "",
                   opening->is_read_only ? TV_PG_READ_ONLY : "");
    const struct tv_pg_pool_opts opts = {.alloc = postgres->alloc,
                                         .address = &postgres->address,
                                         .settings = postgres->settings,
                                         .connections = CONNECTIONS};
    return tv_pg_pool_open(&postgres->pool, &opts, err);
}

/* Refuses an empty database beside files before anything is written: the rows were lost, and new
 * ones would let gc remove the files. */
static enum tv_code look_at_schema(struct tv_postgres *postgres,
                                   const struct tv_postgres_opening *opening, struct tv_error *err)
{
    const struct tv_postgres_schema *schema = &tv_postgres_schema;
    int64_t version;
    TV_TRY(tv_postgres_schema_check(postgres->pool, schema, &version, err));
    if (!version && opening->has_files)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET,
                       "the database of the store is empty or new, but there are files: bring back "
                       "a copy of the database, or remove the files");
    if (!version && !opening->may_make)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no store in that database");
    if (opening->may_make)
        return tv_postgres_schema_migrate(postgres->pool, schema, err);
    return version >= (int64_t)schema->count
               ? TV_OK
               : tv_fail(err, TV_ERR_UNSUPPORTED, TV_NO_OFFSET,
                         "the store is of an earlier version of traceview (schema %lld, and this "
                         "program's is %zu): 'traceview store make' brings it to this one",
                         (long long)version, schema->count);
}

static const struct tv_store_db calls = {
    .claim_file = tv_postgres_claim_file,
    .take_unneeded = tv_postgres_take_unneeded,
    .take_dropped = tv_postgres_take_dropped,
    .drop_claim = tv_postgres_drop_claim,
    .forget_file = tv_postgres_forget_file,
    .list_files = tv_postgres_list_files,
    .add_trace = tv_postgres_add_trace,
    .get_trace = tv_postgres_get_trace,
    .find_md5 = tv_postgres_find_md5,
    .change_trace = tv_postgres_change_trace,
    .drop_trace = tv_postgres_drop_trace,
    .drop_empty_upload = tv_postgres_drop_empty_upload,
    .list_traces = tv_postgres_list_traces,
    .find_other_projects = tv_postgres_find_other_projects,
    .add_program_token = tv_postgres_add_program_token,
    .find_program_token = tv_postgres_find_program_token,
    .list_program_tokens = tv_postgres_list_program_tokens,
    .list_all_program_tokens = tv_postgres_list_all_program_tokens,
    .drop_program_token = tv_postgres_drop_program_token,
    .add_delivery = tv_postgres_add_delivery,
    .take_delivery = tv_postgres_take_delivery,
    .end_delivery = tv_postgres_end_delivery,
    .list_deliveries = tv_postgres_list_deliveries,
    .count_deliveries = tv_postgres_count_deliveries,
    .add_tallies = tv_postgres_add_tallies,
    .set_tally = tv_postgres_set_tally,
    .read_tallies = tv_postgres_read_tallies,
    .get_upload = tv_postgres_get_upload,
    .add_part = tv_postgres_add_part,
    .get_parts = tv_postgres_get_parts,
    .finish_upload = tv_postgres_finish_upload,
    .choose_mappings = tv_postgres_choose_mappings,
    .note_map_id = tv_postgres_note_map_id,
    .note_mapping = tv_postgres_note_mapping,
    .lacks_md5 = tv_postgres_lacks_md5,
    .note_md5 = tv_postgres_note_md5,
    .counts_raw = tv_postgres_counts_raw,
    .note_figures = tv_postgres_note_figures,
    .want_job = tv_postgres_want_job,
    .take_job = tv_postgres_take_job,
    .find_unserved = tv_postgres_find_unserved,
    .find_left_job = tv_postgres_find_left_job,
    .renew_job = tv_postgres_renew_job,
    .end_job = tv_postgres_end_job,
    .retry_jobs = tv_postgres_retry_jobs,
    .watch_jobs = watch_jobs,
    .watch_states = watch_states,
    .clock = read_clock,
    .identify = identify,
    .expire = tv_postgres_expire,
    .drop_replaced = tv_postgres_drop_replaced,
    .sums = tv_postgres_sums,
    .sum_files = tv_postgres_sum_files,
    .check = check,
    .close = close_db,
};

enum tv_code tv_postgres_db_open(struct tv_store_db *db, const struct tv_postgres_opening *opening,
                                 const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_postgres *postgres = NULL;
    TV_TRY(tv_alloc_new(alloc, &postgres, 1, sizeof(*postgres), err));
    postgres->alloc = alloc;
    postgres->is_read_only = opening->is_read_only;
    enum tv_code code = open_pool(postgres, opening, err);
    if (code == TV_OK)
        code = look_at_schema(postgres, opening, err);
    if (code != TV_OK) {
        close_db(postgres);
        return code;
    }
    *db = calls;
    db->ctx = postgres;
    return TV_OK;
}
