/*
 * Uploads: traces whose raw bytes still arrive, in parts; see store/sqlite/uploads.c.
 *
 * What changes an upload locks its row first, by a statement of its own: those that follow see the
 * parts that others have added before.
 */
#include "store/upload_progress.h"

#include <string.h>

#include "store/postgres/calls.h"
#include "store/row_check.h"

static enum tv_code no_upload(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such upload");
}

static enum tv_code lock(struct tv_pg *pg, const struct tv_id *id, struct tv_error *err)
{
    return tv_pg_run(pg, "SELECT 1 FROM traces WHERE id=$1 FOR UPDATE",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}

static enum tv_code find(struct tv_pg *pg, const struct tv_id *id, int64_t now,
                         struct tv_upload_progress *progress, struct tv_error *err)
{
    int64_t numbers[3];
    bool has;
    TV_TRY(tv_pg_numbers(pg,
                         "SELECT told, (SELECT sum(bytes)::bigint FROM parts WHERE trace=$1),"
                         " (SELECT count(*) FROM parts WHERE trace=$1)"
                         " FROM traces WHERE id=$1 AND raw IS NULL AND until>$2",
                         TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now)), numbers, 3, &has,
                         err));
    *progress = (struct tv_upload_progress){numbers[0], numbers[1], numbers[2]};
    return has ? TV_OK : no_upload(err);
}

/* An upload is a trace without a file. Its length is what was told, 0 where nothing was. */
static enum tv_code get(struct tv_pg *pg, const struct tv_id *id, int64_t now,
                        struct tv_arena *arena, struct tv_upload *upload, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT " TV_POSTGRES_TRACE_COLUMNS ", until, told,"
                       " (SELECT sum(bytes)::bigint FROM parts WHERE trace=$1),"
                       " (SELECT count(*) FROM parts WHERE trace=$1),"
                       " (SELECT so_far FROM parts WHERE trace=$1 ORDER BY at DESC LIMIT 1)"
                       " FROM " TV_POSTGRES_TRACES " WHERE id=$1 AND raw IS NULL AND until>$2",
                       TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now)), err));
    if (!tv_pg_row_count(pg))
        return no_upload(err);
    TV_TRY(tv_postgres_read_trace(pg, 0, arena, &upload->trace, err));
    upload->until = tv_pg_number(pg, 0, TV_POSTGRES_TRACE_COLUMN_COUNT);
    upload->trace.bytes = (uint64_t)tv_pg_number(pg, 0, TV_POSTGRES_TRACE_COLUMN_COUNT + 1);
    upload->arrived = (uint64_t)tv_pg_number(pg, 0, TV_POSTGRES_TRACE_COLUMN_COUNT + 2);
    upload->part_count = (size_t)tv_pg_number(pg, 0, TV_POSTGRES_TRACE_COLUMN_COUNT + 3);
    tv_pg_copy(pg, 0, TV_POSTGRES_TRACE_COLUMN_COUNT + 4, upload->so_far.hex,
               sizeof(upload->so_far.hex));
    return TV_OK;
}

enum tv_code tv_postgres_get_upload(void *ctx, const struct tv_id *id, int64_t now,
                                    struct tv_arena *arena, struct tv_upload *upload,
                                    struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = get(turn.pg, id, now, arena, upload, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code drop_empty(struct tv_pg *pg, const struct tv_id *id, bool is_unsure,
                               struct tv_error *err)
{
    uint64_t dropped;
    TV_TRY(lock(pg, id, err));
    TV_TRY(tv_pg_run(pg,
                     "DELETE FROM traces WHERE id=$1 AND raw IS NULL"
                     " AND NOT EXISTS(SELECT 1 FROM parts WHERE trace=$1)",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), &dropped, err));
    return dropped || is_unsure ? TV_OK : no_upload(err);
}

enum tv_code tv_postgres_drop_empty_upload(void *ctx, const struct tv_id *id, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = drop_empty(turn.pg, id, turn.is_unsure, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Whether exactly this part is there. TV_ERR_CONFLICT: it is not, and does not begin at the end of
 * what has arrived. */
static enum tv_code find_same(struct tv_pg *pg, const struct tv_id *id, const struct tv_part *part,
                              const struct tv_upload_progress *progress, bool *is_there,
                              struct tv_error *err)
{
    int64_t is_same;
    bool has;
    TV_TRY(tv_pg_numbers(pg, "SELECT bytes=$3 AND file=$4 FROM parts WHERE trace=$1 AND at=$2",
                         TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(part->offset),
                                       tv_sql_count(part->len), tv_sql_hex(part->file.hex)),
                         &is_same, 1, &has, err));
    *is_there = has && is_same;
    return *is_there ? TV_OK : tv_upload_progress_check_offset(progress, part, err);
}

/* What quotas have to know of the one who began an upload: the user and the project. */
struct uploader {
    struct tv_trace_row row;
    struct tv_label label;
    char user[TV_STORE_NAME_MOST + 1];
    char project[TV_STORE_LABEL_VALUE_MOST + 1];
};

static enum tv_code find_uploader(struct tv_pg *pg, const struct tv_id *id, struct uploader *who,
                                  struct tv_error *err)
{
    memset(who, 0, sizeof(*who));
    TV_TRY(tv_pg_query(pg,
                       "SELECT owner, address, user_name, (SELECT value FROM labels"
                       " WHERE trace=id AND key='project') FROM traces WHERE id=$1",
                       TV_SQL_VALUES(tv_sql_hex(id->hex)), err));
    if (!tv_pg_row_count(pg))
        return no_upload(err);
    tv_pg_copy(pg, 0, 0, who->row.owner.hex, sizeof(who->row.owner.hex));
    tv_pg_copy(pg, 0, 1, who->row.address.hex, sizeof(who->row.address.hex));
    tv_pg_copy(pg, 0, 2, who->user, sizeof(who->user));
    tv_pg_copy(pg, 0, 3, who->project, sizeof(who->project));
    who->row.user = tv_str_from(who->user);
    who->label = (struct tv_label){TV_STR("project"), tv_str_from(who->project)};
    who->row.labels = &who->label;
    who->row.label_count = 1;
    return TV_OK;
}

static enum tv_code insert_part(struct tv_pg *pg, const struct tv_id *id,
                                const struct tv_part *part, int64_t until, struct tv_error *err)
{
    TV_TRY(tv_pg_run(
        pg, "INSERT INTO parts(trace, at, bytes, file, so_far) VALUES($1, $2, $3, $4, $5)",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(part->offset), tv_sql_count(part->len),
                      tv_sql_hex(part->file.hex), tv_sql_hex(part->so_far.hex)),
        NULL, err));
    return tv_pg_run(pg,
                     "UPDATE traces SET until=$2, bytes=greatest(bytes, $3), seen_expired=NULL"
                     " WHERE id=$1",
                     TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(until),
                                   tv_sql_count(part->offset + part->len)),
                     NULL, err);
}

/* The sum of the parts is the row's length so far, which quotas count, and each part gives the
 * upload more time. */
static enum tv_code add(struct tv_pg *pg, const struct tv_id *id, const struct tv_part *part,
                        int64_t now, int64_t until, const struct tv_quota *quota,
                        enum tv_quota_of *over, struct tv_error *err)
{
    struct tv_upload_progress progress;
    struct uploader who;
    bool is_there;
    TV_TRY(find_uploader(pg, id, &who, err));
    TV_TRY(tv_postgres_lock_quota(pg, quota, &who.row, err));
    TV_TRY(lock(pg, id, err));
    TV_TRY(find(pg, id, now, &progress, err));
    TV_TRY(find_same(pg, id, part, &progress, &is_there, err));
    if (is_there)
        return TV_OK;
    TV_TRY(tv_upload_progress_check(&progress, part, err));
    TV_TRY(tv_postgres_need_file(pg, &part->file, err));
    TV_TRY(insert_part(pg, id, part, until, err));
    return tv_postgres_hold_quota(pg, quota, &who.row, over, err);
}

enum tv_code tv_postgres_add_part(void *ctx, const struct tv_id *id, const struct tv_part *part,
                                  int64_t now, int64_t until, const struct tv_quota *quota,
                                  enum tv_quota_of *over, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    if (over)
        *over = TV_QUOTA_STORE;
    TV_TRY(tv_row_check_hash(&part->file, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = add(turn.pg, id, part, now, until, quota, over, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* In the order of their bytes, which is the order in which they are joined. */
static enum tv_code get_parts(struct tv_pg *pg, const struct tv_id *id, uint64_t offset,
                              struct tv_part *parts, size_t cap, size_t *count,
                              struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT at, bytes, file, so_far FROM parts WHERE trace=$1 AND at>=$2"
                       " ORDER BY at LIMIT $3",
                       TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(offset), tv_sql_count(cap)),
                       err));
    size_t found = tv_pg_row_count(pg);
    for (*count = 0; *count < found && *count < cap; ++*count) {
        struct tv_part *part = &parts[*count];
        part->offset = (uint64_t)tv_pg_number(pg, *count, 0);
        part->len = (uint64_t)tv_pg_number(pg, *count, 1);
        tv_pg_copy(pg, *count, 2, part->file.hex, sizeof(part->file.hex));
        tv_pg_copy(pg, *count, 3, part->so_far.hex, sizeof(part->so_far.hex));
    }
    return TV_OK;
}

enum tv_code tv_postgres_get_parts(void *ctx, const struct tv_id *id, uint64_t offset,
                                   struct tv_part *parts, size_t cap, size_t *count,
                                   struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    *count = 0;
    while (tv_pg_turn_tries(&turn))
        turn.code = get_parts(turn.pg, id, offset, parts, cap, count, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Whether the upload is already a trace with that raw file. */
static enum tv_code is_finished(struct tv_pg *pg, const struct tv_id *id, const struct tv_hash *raw,
                                bool *is_done, struct tv_error *err)
{
    int64_t is_same;
    bool has;
    TV_TRY(tv_pg_numbers(pg, "SELECT raw=$2 FROM traces WHERE id=$1 AND raw IS NOT NULL",
                         TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_hex(raw->hex)), &is_same, 1,
                         &has, err));
    *is_done = has && is_same;
    return has && !is_same
               ? tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "the upload ended with other bytes")
               : TV_OK;
}

/* The parts of a trace that is whole are soon gone, and nobody is charged for them twice. The only
 * part of an upload may be the whole file. */
static enum tv_code drop_parts(struct tv_pg *pg, const struct tv_id *id, struct tv_error *err)
{
    TV_TRY(tv_pg_run(pg,
                     "INSERT INTO dropped(file) SELECT DISTINCT file FROM parts WHERE trace=$1"
                     " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=file)"
                     " AND NOT EXISTS(SELECT 1 FROM parts AS other WHERE other.file=parts.file"
                     "  AND other.trace<>$1) ON CONFLICT DO NOTHING",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return tv_pg_run(pg, "DELETE FROM parts WHERE trace=$1", TV_SQL_VALUES(tv_sql_hex(id->hex)),
                     NULL, err);
}

/* One transaction makes the upload a trace: its parts go and its file comes. The lengths must
 * agree, since parts may have come meanwhile. */
static enum tv_code finish(struct tv_pg *pg, const struct tv_id *id, const struct tv_hash *raw,
                           uint64_t bytes, int64_t now, struct tv_error *err)
{
    struct tv_upload_progress progress;
    bool is_done;
    TV_TRY(lock(pg, id, err));
    TV_TRY(is_finished(pg, id, raw, &is_done, err));
    if (is_done)
        return TV_OK;
    TV_TRY(find(pg, id, now, &progress, err));
    TV_TRY(tv_upload_progress_check_end(&progress, bytes, err));
    TV_TRY(tv_pg_run(
        pg, TV_POSTGRES_LOCK_FILES("SELECT file FROM parts WHERE trace=$1 UNION SELECT $2"),
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_hex(raw->hex)), NULL, err));
    TV_TRY(tv_postgres_need_file(pg, raw, err));
    TV_TRY(tv_pg_run(pg,
                     "UPDATE traces SET raw=$2, bytes=$3, told=NULL, until=NULL,"
                     " seen_expired=NULL WHERE id=$1",
                     TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_hex(raw->hex), tv_sql_count(bytes)),
                     NULL, err));
    TV_TRY(tv_postgres_share_md5(pg, id, err));
    return drop_parts(pg, id, err);
}

enum tv_code tv_postgres_finish_upload(void *ctx, const struct tv_id *id, const struct tv_hash *raw,
                                       uint64_t bytes, int64_t now, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = finish(turn.pg, id, raw, bytes, now, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
