/*
 * Rows of traces, each with its labels.
 *
 * Uploads are rows of the same table without a raw file (uploads.c), so every question here asks
 * for `raw IS NOT NULL`. A row that has expired is not found, even before gc drops it. Each
 * function is one transaction, and adding the same row twice changes nothing.
 */
#include <string.h>

#include "store/list_query.h"
#include "store/row_check.h"
#include "store/sqlite/calls.h"
#include "store/trace_columns.h"

static enum tv_code write_labels(struct tv_sql *sql, const struct tv_id *id,
                                 const struct tv_label *labels, size_t count, struct tv_error *err)
{
    for (size_t i = 0; i < count; i++)
        TV_TRY(tv_sql_run(sql, "INSERT INTO labels(trace, key, value) VALUES(?1, ?2, ?3)",
                          TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_text(labels[i].key),
                                        tv_sql_text(labels[i].value)),
                          NULL, err));
    return TV_OK;
}

/* A trace without a hash is an upload in progress: it has the length that its uploader announced,
 * and a time until which it may grow. */
static enum tv_code insert(struct tv_sql *sql, const struct tv_trace_row *row, int64_t until,
                           struct tv_error *err)
{
    bool is_upload = row->raw.hex[0] == '\0';
    TV_TRY(tv_sql_run(
        sql,
        "INSERT INTO traces(" TV_SQLITE_TRACE_COLUMNS ", told, until)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21, ?22)",
        TV_SQL_VALUES(tv_sql_hex(row->id.hex), tv_sql_hex(row->raw.hex), tv_sql_hex(row->md5),
                      tv_sql_count(row->bytes), tv_sql_text(row->file_name),
                      tv_sql_text(row->title), tv_sql_text(row->note), tv_sql_int(row->created),
                      tv_sql_time(row->expires), tv_sql_hex(row->owner.hex),
                      tv_sql_hex(row->address.hex), tv_sql_or_null(row->user),
                      tv_sql_int(row->is_raw_shared), tv_sql_int(row->is_listed),
                      tv_sql_int(row->keeps_names), tv_sql_int((int64_t)row->kind),
                      tv_sql_int(row->is_for_all), tv_sql_or_null(row->map_id),
                      tv_sql_or_null(row->map_hash), tv_sql_int((int64_t)row->counting),
                      is_upload && row->bytes ? tv_sql_count(row->bytes) : tv_sql_null(),
                      is_upload ? tv_sql_int(until) : tv_sql_null()),
        NULL, err));
    return write_labels(sql, &row->id, row->labels, row->label_count, err);
}

/* Whether a row with this id is there. An id of another trace is a conflict; the same trace was
 * added before. */
static enum tv_code find_same(struct tv_sql *sql, const struct tv_trace_row *row, bool *is_there,
                              struct tv_error *err)
{
    int64_t is_same;
    TV_TRY(tv_sql_numbers(sql, "SELECT raw IS ?2 FROM traces WHERE id=?1",
                          TV_SQL_VALUES(tv_sql_hex(row->id.hex), tv_sql_hex(row->raw.hex)),
                          &is_same, 1, is_there, err));
    if (*is_there && !is_same)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "the id is that of another trace");
    return TV_OK;
}

/* The row's file must have been claimed before. The quota is held after the insert, in the same
 * transaction. */
static enum tv_code add(struct tv_sql *sql, const struct tv_trace_row *row, int64_t until,
                        const struct tv_quota *quota, enum tv_quota_of *over, struct tv_error *err)
{
    bool is_there;
    TV_TRY(find_same(sql, row, &is_there, err));
    if (is_there)
        return TV_OK;
    if (row->raw.hex[0])
        TV_TRY(tv_sqlite_need_file(sql, &row->raw, err));
    TV_TRY(insert(sql, row, until, err));
    TV_TRY(tv_sqlite_share_md5(sql, &row->id, err));
    return tv_sqlite_hold_quota(sql, quota, row, over, err);
}

enum tv_code tv_sqlite_add_trace(void *ctx, const struct tv_trace_row *row, int64_t until,
                                 const struct tv_quota *quota, enum tv_quota_of *over,
                                 struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    if (over)
        *over = TV_QUOTA_STORE;
    TV_TRY(tv_row_check_trace(row, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, add(&sqlite->writer, row, until, quota, over, err), err);
}

enum tv_code tv_sqlite_read_trace(const struct tv_sql_statement *rows, struct tv_arena *arena,
                                  struct tv_trace_row *row, struct tv_error *err)
{
    *row =
        (struct tv_trace_row){.bytes = (uint64_t)tv_sql_number(rows, TV_TRACE_BYTES),
                              .created = tv_sql_number(rows, TV_TRACE_CREATED),
                              .expires = tv_sql_number(rows, TV_TRACE_EXPIRES),
                              .is_raw_shared = tv_sql_number(rows, TV_TRACE_IS_RAW_SHARED) != 0,
                              .is_listed = tv_sql_number(rows, TV_TRACE_IS_LISTED) != 0,
                              .keeps_names = tv_sql_number(rows, TV_TRACE_KEEPS_NAMES) != 0,
                              .kind = (enum tv_kept_kind)tv_sql_number(rows, TV_TRACE_KIND),
                              .is_for_all = tv_sql_number(rows, TV_TRACE_IS_FOR_ALL) != 0,
                              .counting = (enum tv_counting)tv_sql_number(rows, TV_TRACE_COUNTING)};
    tv_sql_copy(rows, TV_TRACE_ID, row->id.hex, sizeof(row->id.hex));
    tv_sql_copy(rows, TV_TRACE_RAW, row->raw.hex, sizeof(row->raw.hex));
    tv_sql_copy(rows, TV_TRACE_MD5, row->md5, sizeof(row->md5));
    tv_sql_copy(rows, TV_TRACE_OWNER, row->owner.hex, sizeof(row->owner.hex));
    tv_sql_copy(rows, TV_TRACE_ADDRESS, row->address.hex, sizeof(row->address.hex));
    TV_TRY(tv_sql_keep(rows, TV_TRACE_FILE_NAME, arena, &row->file_name, err));
    TV_TRY(tv_sql_keep(rows, TV_TRACE_TITLE, arena, &row->title, err));
    TV_TRY(tv_sql_keep(rows, TV_TRACE_NOTE, arena, &row->note, err));
    TV_TRY(tv_sql_keep(rows, TV_TRACE_MAP_ID, arena, &row->map_id, err));
    TV_TRY(tv_sql_keep(rows, TV_TRACE_MAP_HASH, arena, &row->map_hash, err));
    return tv_sql_keep(rows, TV_TRACE_USER, arena, &row->user, err);
}

/* Counts first, so that the labels get one block of the arena. */
static enum tv_code read_labels(struct tv_sql *sql, struct tv_arena *arena,
                                struct tv_trace_row *row, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    struct tv_label *labels = NULL;
    int64_t count;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT count(*) FROM labels WHERE trace=?1",
                          TV_SQL_VALUES(tv_sql_hex(row->id.hex)), &count, 1, &has, err));
    if (count == 0)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, (size_t)count * sizeof(*labels), &labels, err));
    row->labels = labels;
    TV_TRY(tv_sql_query(sql, "SELECT key, value FROM labels WHERE trace=?1 ORDER BY key",
                        TV_SQL_VALUES(tv_sql_hex(row->id.hex)), &rows, err));
    while (row->label_count < (size_t)count) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        TV_TRY(tv_sql_keep(rows, 0, arena, &labels[row->label_count].key, err));
        TV_TRY(tv_sql_keep(rows, 1, arena, &labels[row->label_count].value, err));
        row->label_count++;
    }
    tv_sql_leave(rows);
    return TV_OK;
}

/* Jobs are looked at only of what has no figures, which are few traces. */
static enum tv_code read_failure(struct tv_sql *sql, struct tv_trace_row *row, struct tv_error *err)
{
    int64_t is_failed;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT ifnull(min(state)=3, 0) FROM jobs WHERE raw=?1",
                          TV_SQL_VALUES(tv_sql_hex(row->raw.hex)), &is_failed, 1, &has, err));
    row->figures.has_failed = has && is_failed;
    return TV_OK;
}

/* An upload has none: its bytes still arrive. */
static enum tv_code read_figures(struct tv_sql *sql, const char *indexes, struct tv_trace_row *row,
                                 struct tv_error *err)
{
    int64_t of[4];
    struct tv_trace_figures *figures = &row->figures;
    if (!row->raw.hex[0])
        return TV_OK;
    TV_TRY(
        tv_sql_numbers(sql,
                       "SELECT duration_ns, threads, worst_frame_ns, startup_ns FROM build_figures"
                       " WHERE raw=?1 AND build=?2",
                       TV_SQL_VALUES(tv_sql_hex(row->raw.hex), tv_sql_text(tv_str_from(indexes))),
                       of, TV_COUNT_OF(of), &figures->is_known, err));
    if (!figures->is_known)
        return read_failure(sql, row, err);
    figures->duration_ns = (uint64_t)of[0];
    figures->threads = (uint64_t)of[1];
    figures->worst_frame_ns = (uint64_t)of[2];
    figures->startup_ns = (uint64_t)of[3];
    return TV_OK;
}

enum tv_code tv_sqlite_read_rest(struct tv_sql *sql, const char *indexes, struct tv_arena *arena,
                                 struct tv_trace_row *row, struct tv_error *err)
{
    TV_TRY(read_figures(sql, indexes, row, err));
    return read_labels(sql, arena, row, err);
}

enum tv_code tv_sqlite_share_md5(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    return tv_sql_run(sql,
                      "UPDATE traces SET md5=(SELECT other.md5 FROM traces AS other"
                      "  WHERE other.raw=traces.raw AND other.md5 IS NOT NULL LIMIT 1)"
                      " WHERE id=?1 AND raw IS NOT NULL AND md5 IS NULL",
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}

enum tv_code tv_sqlite_lacks_md5(void *ctx, const struct tv_hash *raw, bool *lacks,
                                 struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    int64_t count;
    bool has;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    enum tv_code code = tv_sql_numbers(
        &sqlite->reader, "SELECT count(*) FROM traces WHERE raw=?1 AND kind=0 AND md5 IS NULL",
        TV_SQL_VALUES(tv_sql_hex(raw->hex)), &count, 1, &has, err);
    TV_TRY(tv_sql_end(&sqlite->reader, code, err));
    *lacks = count > 0;
    return TV_OK;
}

enum tv_code tv_sqlite_note_md5(void *ctx, const struct tv_hash *raw, const char md5[33],
                                struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code =
        tv_sql_run(&sqlite->writer, "UPDATE traces SET md5=?2 WHERE raw=?1 AND md5 IS NULL",
                   TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_hex(md5)), NULL, err);
    return tv_sql_end(&sqlite->writer, code, err);
}

/* Those of another build go when it has no index of the file any more. */
static enum tv_code note_figures(struct tv_sqlite *sqlite, const struct tv_hash *raw,
                                 const struct tv_trace_figures *figures, struct tv_error *err)
{
    TV_TRY(tv_sql_run(&sqlite->writer,
                      "DELETE FROM build_figures WHERE raw=?1 AND build NOT IN"
                      " (SELECT build FROM jobs WHERE raw=?1)",
                      TV_SQL_VALUES(tv_sql_hex(raw->hex)), NULL, err));
    return tv_sql_run(
        &sqlite->writer,
        "INSERT OR REPLACE INTO build_figures"
        " SELECT name, ?2, ?3, ?4, ?5, ?6 FROM files WHERE name=?1",
        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(tv_str_from(sqlite->indexes)),
                      tv_sql_count(figures->duration_ns), tv_sql_count(figures->threads),
                      tv_sql_count(figures->worst_frame_ns), tv_sql_count(figures->startup_ns)),
        NULL, err);
}

enum tv_code tv_sqlite_note_figures(void *ctx, const struct tv_hash *raw,
                                    const struct tv_trace_figures *figures, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, note_figures(sqlite, raw, figures, err), err);
}

static enum tv_code no_trace(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such trace");
}

/* An expired trace is not found, whether gc has been there or not: what a link shows must not
 * depend on when gc runs. */
static enum tv_code get(struct tv_sqlite *sqlite, const struct tv_id *id, int64_t now,
                        struct tv_arena *arena, struct tv_trace_row *row, struct tv_error *err)
{
    struct tv_sql *sql = &sqlite->reader;
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(sql,
                        "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces"
                        " WHERE id=?1 AND raw IS NOT NULL AND (expires IS NULL OR expires>?2)",
                        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return no_trace(err);
    TV_TRY(tv_sqlite_read_trace(rows, arena, row, err));
    tv_sql_leave(rows);
    return tv_sqlite_read_rest(sql, sqlite->indexes, arena, row, err);
}

enum tv_code tv_sqlite_get_trace(void *ctx, const struct tv_id *id, int64_t now,
                                 struct tv_arena *arena, struct tv_trace_row *row,
                                 struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, get(sqlite, id, now, arena, row, err), err);
}

/* Of several traces with the same bytes the oldest, with ties by id, so that an old link always
 * leads to the same one. */
static enum tv_code find(struct tv_sql *sql, const struct tv_trace_query *query, struct tv_str json,
                         const char md5[33], struct tv_id *id, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(tv_sql_query(sql,
                        "SELECT id FROM traces WHERE md5=upper(?2) AND raw IS NOT NULL AND kind=0"
                        " AND (expires IS NULL OR expires>?3) AND" TV_SQLITE_MAY_BE_SEEN
                        " ORDER BY created, id LIMIT 1",
                        TV_SQL_VALUES(tv_sql_text(json), tv_sql_hex(md5), tv_sql_int(query->now)),
                        &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return no_trace(err);
    tv_sql_copy(rows, 0, id->hex, sizeof(id->hex));
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_find_md5(void *ctx, const struct tv_trace_query *query, const char md5[33],
                                struct tv_id *id, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_buffer json;
    tv_buffer_init(&json, sqlite->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK)
        code = tv_sql_begin(&sqlite->reader, err);
    if (code == TV_OK)
        code = tv_sql_end(&sqlite->reader,
                          find(&sqlite->reader, query, tv_buffer_view(&json), md5, id, err), err);
    tv_buffer_release(&json);
    return code;
}

static enum tv_code counts_raw(struct tv_sql *sql, const struct tv_hash *raw,
                               enum tv_count_rule rule, int64_t now, bool *counts,
                               struct tv_error *err)
{
    int64_t number;
    return tv_sql_numbers(
        sql,
        "SELECT 1 FROM traces WHERE raw=?1 AND kind=0 AND (expires IS NULL OR expires>?2)"
        " AND (counting=1 OR (counting=0 AND is_listed AND ?3=1)) LIMIT 1",
        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_int(now), tv_sql_int((int64_t)rule)), &number, 1,
        counts, err);
}

enum tv_code tv_sqlite_counts_raw(void *ctx, const struct tv_hash *raw, enum tv_count_rule rule,
                                  int64_t now, bool *counts, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    *counts = false;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, counts_raw(&sqlite->reader, raw, rule, now, counts, err),
                      err);
}

/* Changes what the change names: NULL stands for a column that is not changed, and coalesce() keeps
 * what is in the row. New labels replace all labels. */
static enum tv_code change_row(struct tv_sql *sql, const struct tv_id *id, int64_t now,
                               const struct tv_trace_change *change, struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_sql_run(
        sql,
        "UPDATE traces SET title=coalesce(?3, title), note=coalesce(?4, note),"
        " is_raw_shared=coalesce(?5, is_raw_shared), is_listed=coalesce(?6, is_listed),"
        " expires=iif(?7, ?8, expires), seen_expired=iif(?7, NULL, seen_expired),"
        " keeps_names=coalesce(?9, keeps_names),"
        " user=iif(?10, ?11, user), owner=iif(?12, ?13, owner),"
        " counting=coalesce(?14, counting)"
        " WHERE id=?1 AND raw IS NOT NULL AND (expires IS NULL OR expires>?2)",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now), tv_sql_new_text(change->title),
                      tv_sql_new_text(change->note), tv_sql_new_truth(change->is_raw_shared),
                      tv_sql_new_truth(change->is_listed), tv_sql_int(change->expires != NULL),
                      tv_sql_time(change->expires ? *change->expires : 0),
                      tv_sql_new_truth(change->keeps_names), tv_sql_int(change->user != NULL),
                      tv_sql_or_null(change->user ? *change->user : (struct tv_str){NULL, 0}),
                      tv_sql_int(change->owner != NULL),
                      tv_sql_hex(change->owner ? change->owner->hex : ""),
                      change->counting ? tv_sql_int((int64_t)*change->counting) : tv_sql_null()),
        &changed, err));
    if (!changed)
        return no_trace(err);
    if (!change->labels)
        return TV_OK;
    TV_TRY(tv_sql_run(sql, "DELETE FROM labels WHERE trace=?1", TV_SQL_VALUES(tv_sql_hex(id->hex)),
                      NULL, err));
    TV_TRY(write_labels(sql, id, change->labels, change->label_count, err));
    const struct tv_quota quota = {.bytes = {[TV_QUOTA_PROJECT] = change->project_quota}};
    const struct tv_trace_row moved = {.labels = change->labels,
                                       .label_count = change->label_count};
    return tv_sqlite_hold_quota(sql, &quota, &moved, change->over, err);
}

enum tv_code tv_sqlite_change_trace(void *ctx, const struct tv_id *id, int64_t now,
                                    const struct tv_trace_change *change, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_change(change, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, change_row(&sqlite->writer, id, now, change, err), err);
}

/* Notes the files that go with a row, before the row goes: the raw file or the parts, for which
 * the uploader stays charged until their bytes are gone, and the indexes, for which nobody was.
 * What another row needs is left out. */
static enum tv_code note_dropped(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    static const char *const notes[] = {
        "INSERT OR IGNORE INTO dropped SELECT raw, owner, address, user FROM traces"
        " WHERE id=?1 AND raw IS NOT NULL"
        " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.raw=traces.raw AND other.id<>?1)"
        " AND NOT EXISTS(SELECT 1 FROM parts WHERE file=traces.raw)"
        " AND NOT EXISTS(SELECT 1 FROM jobs WHERE result=traces.raw)",
        "INSERT OR IGNORE INTO dropped SELECT file, owner, address, user FROM parts"
        " JOIN traces ON id=trace WHERE trace=?1"
        " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.raw=file)"
        " AND NOT EXISTS(SELECT 1 FROM parts AS other WHERE other.file=parts.file"
        "  AND other.trace<>?1)"
        " AND NOT EXISTS(SELECT 1 FROM jobs WHERE raw=file OR result=file)",
        "INSERT OR IGNORE INTO dropped(file) SELECT result FROM jobs"
        " WHERE raw=(SELECT raw FROM traces WHERE id=?1) AND result IS NOT NULL"
        " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=jobs.raw AND id<>?1)",
    };
    for (size_t i = 0; i < TV_COUNT_OF(notes); i++)
        TV_TRY(tv_sql_run(sql, notes[i], TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return TV_OK;
}

/* Drops a trace or an upload, and the jobs of its raw file unless another trace has the same file.
 * The files stay until gc finds that nobody needs them. */
enum tv_code tv_sqlite_drop_row(struct tv_sql *sql, const struct tv_id *id, bool *dropped,
                                struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(note_dropped(sql, id, err));
    TV_TRY(tv_sqlite_drop_named(sql, id, err));
    TV_TRY(tv_sql_run(sql,
                      "DELETE FROM jobs WHERE raw=(SELECT raw FROM traces WHERE id=?1)"
                      " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=jobs.raw AND id<>?1)",
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    TV_TRY(tv_sql_run(sql, "DELETE FROM traces WHERE id=?1", TV_SQL_VALUES(tv_sql_hex(id->hex)),
                      &changed, err));
    *dropped = changed > 0;
    return TV_OK;
}

static enum tv_code drop(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    bool dropped;
    TV_TRY(tv_sqlite_drop_row(sql, id, &dropped, err));
    return dropped ? TV_OK : no_trace(err);
}

enum tv_code tv_sqlite_drop_trace(void *ctx, const struct tv_id *id, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    return tv_sql_end(&sqlite->writer, drop(&sqlite->writer, id, err), err);
}
