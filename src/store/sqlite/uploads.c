/*
 * Uploads: traces whose raw bytes still arrive, in parts.
 *
 * A part is a file of its own, and parts join without gaps: a part must begin where the bytes that
 * have arrived end. The same part may be sent again. When all have come, store/keep.c joins them
 * into one file; finishing puts that file into the row and drops the parts, and the upload is a
 * trace.
 */
#include <string.h>

#include "store/row_check.h"
#include "store/sqlite/calls.h"
#include "store/trace_columns.h"
#include "store/upload_progress.h"

static enum tv_code no_upload(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such upload");
}

/* Sums over the parts on each request: there are at most TV_STORE_PARTS_MOST, and a sum that is
 * kept would have to be kept right. */
static enum tv_code find(struct tv_sql *sql, const struct tv_id *id, int64_t now,
                         struct tv_upload_progress *progress, struct tv_error *err)
{
    int64_t numbers[3];
    bool has;
    TV_TRY(tv_sql_numbers(sql,
                          "SELECT told, (SELECT sum(bytes) FROM parts WHERE trace=?1),"
                          " (SELECT count(*) FROM parts WHERE trace=?1)"
                          " FROM traces WHERE id=?1 AND raw IS NULL AND until>?2",
                          TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now)), numbers, 3, &has,
                          err));
    *progress = (struct tv_upload_progress){numbers[0], numbers[1], numbers[2]};
    return has ? TV_OK : no_upload(err);
}

/* An upload is a trace without a file. Its length is what was told, 0 where nothing was. */
static enum tv_code get(struct tv_sql *sql, const struct tv_id *id, int64_t now,
                        struct tv_arena *arena, struct tv_upload *upload, struct tv_error *err)
{
    struct tv_upload_progress progress;
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(find(sql, id, now, &progress, err));
    TV_TRY(tv_sql_query(sql,
                        "SELECT " TV_SQLITE_TRACE_COLUMNS ", until,"
                        " (SELECT so_far FROM parts WHERE trace=?1 ORDER BY at DESC LIMIT 1)"
                        " FROM traces WHERE id=?1",
                        TV_SQL_VALUES(tv_sql_hex(id->hex)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return no_upload(err);
    TV_TRY(tv_sqlite_read_trace(rows, arena, &upload->trace, err));
    upload->until = tv_sql_number(rows, TV_TRACE_OWN_COUNT);
    tv_sql_copy(rows, TV_TRACE_OWN_COUNT + 1, upload->so_far.hex, sizeof(upload->so_far.hex));
    tv_sql_leave(rows);
    upload->trace.bytes = (uint64_t)progress.told;
    upload->arrived = (uint64_t)progress.arrived;
    upload->part_count = (size_t)progress.part_count;
    return tv_sqlite_read_rest(sql, "", arena, &upload->trace, err);
}

static enum tv_code drop_empty(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    uint64_t dropped;
    TV_TRY(tv_sql_run(sql,
                      "DELETE FROM traces WHERE id=?1 AND raw IS NULL"
                      " AND NOT EXISTS(SELECT 1 FROM parts WHERE trace=?1)",
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), &dropped, err));
    return dropped ? TV_OK : no_upload(err);
}

enum tv_code tv_sqlite_drop_empty_upload(void *ctx, const struct tv_id *id, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, drop_empty(&sqlite->writer, id, err), err);
}

enum tv_code tv_sqlite_get_upload(void *ctx, const struct tv_id *id, int64_t now,
                                  struct tv_arena *arena, struct tv_upload *upload,
                                  struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, get(&sqlite->reader, id, now, arena, upload, err), err);
}

/* Whether exactly this part is there. TV_ERR_CONFLICT: it is not, and does not begin at the end of
 * what has arrived. */
static enum tv_code find_same(struct tv_sql *sql, const struct tv_id *id,
                              const struct tv_part *part, const struct tv_upload_progress *progress,
                              bool *is_there, struct tv_error *err)
{
    int64_t is_same;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT bytes=?3 AND file=?4 FROM parts WHERE trace=?1 AND at=?2",
                          TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(part->offset),
                                        tv_sql_count(part->len), tv_sql_hex(part->file.hex)),
                          &is_same, 1, &has, err));
    *is_there = has && is_same;
    return *is_there ? TV_OK : tv_upload_progress_check_offset(progress, part, err);
}

/* Holds the quotas of whoever began the upload; the row knows who that is. */
static enum tv_code hold_quota(struct tv_sql *sql, const struct tv_id *id,
                               const struct tv_quota *quota, enum tv_quota_of *over,
                               struct tv_error *err)
{
    struct tv_trace_row who = {.bytes = 0};
    struct tv_label label = {.key = TV_STR("project")};
    char user[TV_STORE_NAME_MOST + 1];
    char project[TV_STORE_LABEL_VALUE_MOST + 1];
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(sql,
                        "SELECT owner, address, user, (SELECT value FROM labels"
                        " WHERE trace=id AND key='project') FROM traces WHERE id=?1",
                        TV_SQL_VALUES(tv_sql_hex(id->hex)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return no_upload(err);
    tv_sql_copy(rows, 0, who.owner.hex, sizeof(who.owner.hex));
    tv_sql_copy(rows, 1, who.address.hex, sizeof(who.address.hex));
    tv_sql_copy(rows, 2, user, sizeof(user));
    who.user = tv_str_from(user);
    tv_sql_copy(rows, 3, project, sizeof(project));
    label.value = tv_str_from(project);
    who.labels = &label;
    who.label_count = 1;
    tv_sql_leave(rows);
    return tv_sqlite_hold_quota(sql, quota, &who, over, err);
}

/* The sum of the parts is the row's length so far, which quotas count, and each part gives the
 * upload more time. */
static enum tv_code add(struct tv_sql *sql, const struct tv_id *id, const struct tv_part *part,
                        int64_t now, int64_t until, const struct tv_quota *quota,
                        enum tv_quota_of *over, struct tv_error *err)
{
    struct tv_upload_progress progress;
    bool is_there;
    TV_TRY(find(sql, id, now, &progress, err));
    TV_TRY(find_same(sql, id, part, &progress, &is_there, err));
    if (is_there)
        return TV_OK;
    TV_TRY(tv_upload_progress_check(&progress, part, err));
    TV_TRY(tv_sqlite_need_file(sql, &part->file, err));
    TV_TRY(tv_sql_run(sql,
                      "INSERT INTO parts(trace, at, bytes, file, so_far)"
                      " VALUES(?1, ?2, ?3, ?4, ?5)",
                      TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(part->offset),
                                    tv_sql_count(part->len), tv_sql_hex(part->file.hex),
                                    tv_sql_hex(part->so_far.hex)),
                      NULL, err));
    TV_TRY(tv_sql_run(sql,
                      "UPDATE traces SET until=?2, bytes=max(bytes, ?3), seen_expired=NULL"
                      " WHERE id=?1",
                      TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(until),
                                    tv_sql_count(part->offset + part->len)),
                      NULL, err));
    return hold_quota(sql, id, quota, over, err);
}

enum tv_code tv_sqlite_add_part(void *ctx, const struct tv_id *id, const struct tv_part *part,
                                int64_t now, int64_t until, const struct tv_quota *quota,
                                enum tv_quota_of *over, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    if (over)
        *over = TV_QUOTA_STORE;
    TV_TRY(tv_row_check_hash(&part->file, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, add(&sqlite->writer, id, part, now, until, quota, over, err),
                      err);
}

/* In the order of their bytes, which is the order in which they are joined. */
static enum tv_code get_parts(struct tv_sql *sql, const struct tv_id *id, uint64_t offset,
                              struct tv_part *parts, size_t cap, size_t *count,
                              struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql,
                        "SELECT at, bytes, file, so_far FROM parts WHERE trace=?1 AND at>=?2"
                        " ORDER BY at",
                        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_count(offset)), &rows, err));
    for (*count = 0; *count < cap; ++*count) {
        struct tv_part *part = &parts[*count];
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        part->offset = (uint64_t)tv_sql_number(rows, 0);
        part->len = (uint64_t)tv_sql_number(rows, 1);
        tv_sql_copy(rows, 2, part->file.hex, sizeof(part->file.hex));
        tv_sql_copy(rows, 3, part->so_far.hex, sizeof(part->so_far.hex));
    }
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_get_parts(void *ctx, const struct tv_id *id, uint64_t offset,
                                 struct tv_part *parts, size_t cap, size_t *count,
                                 struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    *count = 0;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader,
                      get_parts(&sqlite->reader, id, offset, parts, cap, count, err), err);
}

/* Whether the upload is already a trace with that raw file. */
static enum tv_code is_finished(struct tv_sql *sql, const struct tv_id *id,
                                const struct tv_hash *raw, bool *is_done, struct tv_error *err)
{
    int64_t is_same;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT raw=?2 FROM traces WHERE id=?1 AND raw IS NOT NULL",
                          TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_hex(raw->hex)), &is_same, 1,
                          &has, err));
    *is_done = has && is_same;
    return has && !is_same
               ? tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "the upload ended with other bytes")
               : TV_OK;
}

/* The parts of a trace that is whole are soon gone, and nobody is charged for them twice. The only
 * part of an upload may be the whole file. */
static enum tv_code drop_parts(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    TV_TRY(tv_sql_run(sql,
                      "INSERT OR IGNORE INTO dropped(file) SELECT file FROM parts WHERE trace=?1"
                      " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=file)"
                      " AND NOT EXISTS(SELECT 1 FROM parts AS other WHERE other.file=parts.file"
                      "  AND other.trace<>?1)",
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return tv_sql_run(sql, "DELETE FROM parts WHERE trace=?1", TV_SQL_VALUES(tv_sql_hex(id->hex)),
                      NULL, err);
}

/* One transaction makes the upload a trace: its parts go and its file comes. The lengths must
 * agree, since parts may have come meanwhile. */
static enum tv_code finish(struct tv_sql *sql, const struct tv_id *id, const struct tv_hash *raw,
                           uint64_t bytes, int64_t now, struct tv_error *err)
{
    struct tv_upload_progress progress;
    bool is_done;
    TV_TRY(is_finished(sql, id, raw, &is_done, err));
    if (is_done)
        return TV_OK;
    TV_TRY(find(sql, id, now, &progress, err));
    TV_TRY(tv_upload_progress_check_end(&progress, bytes, err));
    TV_TRY(tv_sqlite_need_file(sql, raw, err));
    TV_TRY(tv_sql_run(sql,
                      "UPDATE traces SET raw=?2, bytes=?3, told=NULL, until=NULL,"
                      " seen_expired=NULL WHERE id=?1",
                      TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_hex(raw->hex), tv_sql_count(bytes)),
                      NULL, err));
    TV_TRY(tv_sqlite_share_md5(sql, id, err));
    return drop_parts(sql, id, err);
}

enum tv_code tv_sqlite_finish_upload(void *ctx, const struct tv_id *id, const struct tv_hash *raw,
                                     uint64_t bytes, int64_t now, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, finish(&sqlite->writer, id, raw, bytes, now, err), err);
}
