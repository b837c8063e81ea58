/*
 * Rows of traces, each with its labels.
 *
 * Uploads are rows of the same table without a raw file (uploads.c), so questions about traces
 * ask for `raw IS NOT NULL`; adding and dropping are the same for both. A row that has expired is
 * not found, even before gc drops it. A transaction locks in this order, so that two seldom wait
 * for each other: quotas, the trace's row, the rows of files.
 */
#include <string.h>

#include "store/list_query.h"
#include "store/postgres/calls.h"
#include "store/row_check.h"
#include "store/trace_columns.h"

/* All labels in one statement, as JSON. */
static enum tv_code write_labels(struct tv_pg *pg, const struct tv_id *id,
                                 const struct tv_label *labels, size_t count, struct tv_error *err)
{
    struct tv_buffer text;
    struct tv_json json;
    if (!count)
        return TV_OK;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_json_init(&json, tv_buffer_sink(&text));
    tv_list_query_labels(&json, labels, count);
    enum tv_code code = tv_json_finish(&json, err);
    if (code == TV_OK)
        code = tv_pg_run(pg,
                         "INSERT INTO labels(trace, key, value) SELECT $1, key, value"
                         " FROM jsonb_to_recordset($2::jsonb) AS label(key text, value text)",
                         TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_text(tv_buffer_view(&text))),
                         NULL, err);
    tv_buffer_release(&text);
    return code;
}

/* A trace without a hash is an upload in progress: it has the length that its uploader announced,
 * and a time until which it may grow. *is_new is false where another process has added the id
 * meanwhile. */
static enum tv_code insert(struct tv_pg *pg, const struct tv_trace_row *row, int64_t until,
                           bool *is_new, struct tv_error *err)
{
    bool is_upload = row->raw.hex[0] == '\0';
    uint64_t changed;
    TV_TRY(tv_pg_run(
        pg,
        "INSERT INTO traces(" TV_POSTGRES_TRACE_OWN ", told, until)"
        " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,"
        " $19, $20, $21, $22) ON CONFLICT DO NOTHING",
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
        &changed, err));
    *is_new = changed > 0;
    return *is_new ? write_labels(pg, &row->id, row->labels, row->label_count, err) : TV_OK;
}

/* Whether the same trace has a row with this id, from an earlier try. A row with this id for
 * another file is a conflict. */
static enum tv_code find_same(struct tv_pg *pg, const struct tv_trace_row *row, bool *is_there,
                              struct tv_error *err)
{
    int64_t is_same;
    TV_TRY(tv_pg_numbers(pg, "SELECT raw IS NOT DISTINCT FROM $2 FROM traces WHERE id=$1",
                         TV_SQL_VALUES(tv_sql_hex(row->id.hex), tv_sql_hex(row->raw.hex)), &is_same,
                         1, is_there, err));
    if (*is_there && !is_same)
        return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "the id is that of another trace");
    return TV_OK;
}

/* The quota is held after the insert, in the same transaction, and nobody else adds to the same
 * sums meanwhile. */
static enum tv_code add(struct tv_pg *pg, const struct tv_trace_row *row, int64_t until,
                        const struct tv_quota *quota, enum tv_quota_of *over, struct tv_error *err)
{
    bool is_there;
    bool is_new;
    TV_TRY(find_same(pg, row, &is_there, err));
    if (is_there)
        return TV_OK;
    TV_TRY(tv_postgres_lock_quota(pg, quota, row, err));
    if (row->raw.hex[0])
        TV_TRY(tv_postgres_need_file(pg, &row->raw, err));
    TV_TRY(insert(pg, row, until, &is_new, err));
    if (!is_new)
        return find_same(pg, row, &is_there, err);
    TV_TRY(tv_postgres_share_md5(pg, &row->id, err));
    return tv_postgres_hold_quota(pg, quota, row, over, err);
}

enum tv_code tv_postgres_add_trace(void *ctx, const struct tv_trace_row *row, int64_t until,
                                   const struct tv_quota *quota, enum tv_quota_of *over,
                                   struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    if (over)
        *over = TV_QUOTA_STORE;
    TV_TRY(tv_row_check_trace(row, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = add(turn.pg, row, until, quota, over, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* --- reading rows --- */

/* Takes a text of `len` bytes from the start of the rest. */
static struct tv_str take_text(struct tv_str *rest, uint64_t len)
{
    struct tv_str text = {rest->at, len < rest->len ? (size_t)len : rest->len};
    *rest = (struct tv_str){rest->at + text.len, rest->len - text.len};
    return text;
}

/* One label of the text that TV_POSTGRES_TRACE_COLUMNS tells of; false: there is none. */
static bool take_label(struct tv_str *rest, struct tv_str *key, struct tv_str *value)
{
    uint64_t key_len;
    uint64_t value_len;
    struct tv_str number;
    if (!tv_str_split(rest, ' ', &number) || !tv_str_to_u64(number, 10, &key_len) ||
        !tv_str_split(rest, ' ', &number) || !tv_str_to_u64(number, 10, &value_len))
        return false;
    *key = take_text(rest, key_len);
    *value = take_text(rest, value_len);
    return true;
}

static enum tv_code read_labels(struct tv_str text, struct tv_arena *arena,
                                struct tv_trace_row *row, struct tv_error *err)
{
    struct tv_label *labels = NULL;
    struct tv_str key;
    struct tv_str value;
    if (!text.len)
        return TV_OK;
    TV_TRY(tv_arena_take(arena, TV_STORE_LABELS_MOST * sizeof(*labels), &labels, err));
    row->labels = labels;
    while (row->label_count < TV_STORE_LABELS_MOST && text.len && take_label(&text, &key, &value)) {
        TV_TRY(tv_arena_keep(arena, key, &labels[row->label_count].key, err));
        TV_TRY(tv_arena_keep(arena, value, &labels[row->label_count].value, err));
        row->label_count++;
    }
    return TV_OK;
}

static struct tv_trace_figures read_figures(const struct tv_pg *pg, size_t at)
{
    struct tv_trace_figures figures = {
        .is_known = tv_pg_number(pg, at, TV_POSTGRES_TRACE_HAS_FIGURES) != 0};
    figures.has_failed = tv_pg_number(pg, at, TV_POSTGRES_TRACE_HAS_FAILED) != 0;
    if (!figures.is_known)
        return figures;
    figures.duration_ns = (uint64_t)tv_pg_number(pg, at, TV_POSTGRES_TRACE_DURATION_NS);
    figures.threads = (uint64_t)tv_pg_number(pg, at, TV_POSTGRES_TRACE_THREADS);
    figures.worst_frame_ns = (uint64_t)tv_pg_number(pg, at, TV_POSTGRES_TRACE_WORST_FRAME_NS);
    figures.startup_ns = (uint64_t)tv_pg_number(pg, at, TV_POSTGRES_TRACE_STARTUP_NS);
    return figures;
}

enum tv_code tv_postgres_read_trace(const struct tv_pg *pg, size_t at, struct tv_arena *arena,
                                    struct tv_trace_row *row, struct tv_error *err)
{
    *row =
        (struct tv_trace_row){.bytes = (uint64_t)tv_pg_number(pg, at, TV_TRACE_BYTES),
                              .created = tv_pg_number(pg, at, TV_TRACE_CREATED),
                              .expires = tv_pg_number(pg, at, TV_TRACE_EXPIRES),
                              .is_raw_shared = tv_pg_number(pg, at, TV_TRACE_IS_RAW_SHARED) != 0,
                              .is_listed = tv_pg_number(pg, at, TV_TRACE_IS_LISTED) != 0,
                              .keeps_names = tv_pg_number(pg, at, TV_TRACE_KEEPS_NAMES) != 0,
                              .kind = (enum tv_kept_kind)tv_pg_number(pg, at, TV_TRACE_KIND),
                              .is_for_all = tv_pg_number(pg, at, TV_TRACE_IS_FOR_ALL) != 0,
                              .counting = (enum tv_counting)tv_pg_number(pg, at, TV_TRACE_COUNTING),
                              .figures = read_figures(pg, at)};
    tv_pg_copy(pg, at, TV_TRACE_ID, row->id.hex, sizeof(row->id.hex));
    tv_pg_copy(pg, at, TV_TRACE_RAW, row->raw.hex, sizeof(row->raw.hex));
    tv_pg_copy(pg, at, TV_TRACE_MD5, row->md5, sizeof(row->md5));
    tv_pg_copy(pg, at, TV_TRACE_OWNER, row->owner.hex, sizeof(row->owner.hex));
    tv_pg_copy(pg, at, TV_TRACE_ADDRESS, row->address.hex, sizeof(row->address.hex));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_FILE_NAME, arena, &row->file_name, err));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_TITLE, arena, &row->title, err));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_NOTE, arena, &row->note, err));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_USER, arena, &row->user, err));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_MAP_ID, arena, &row->map_id, err));
    TV_TRY(tv_pg_keep(pg, at, TV_TRACE_MAP_HASH, arena, &row->map_hash, err));
    return read_labels(tv_pg_text(pg, at, TV_POSTGRES_TRACE_LABELS), arena, row, err);
}

static enum tv_code no_trace(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such trace");
}

/* An expired trace is not found, whether gc has been there or not: what a link shows must not
 * depend on when gc runs. */
static enum tv_code get(struct tv_pg *pg, const struct tv_id *id, int64_t now,
                        struct tv_arena *arena, struct tv_trace_row *row, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT " TV_POSTGRES_TRACE_COLUMNS " FROM " TV_POSTGRES_TRACES
                       " WHERE id=$1 AND raw IS NOT NULL AND (expires IS NULL OR expires>$2)",
                       TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_int(now)), err));
    return tv_pg_row_count(pg) ? tv_postgres_read_trace(pg, 0, arena, row, err) : no_trace(err);
}

enum tv_code tv_postgres_get_trace(void *ctx, const struct tv_id *id, int64_t now,
                                   struct tv_arena *arena, struct tv_trace_row *row,
                                   struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = get(turn.pg, id, now, arena, row, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Of several traces with the same bytes the oldest, with ties by id, so that an old link always
 * leads to the same one. */
static enum tv_code find(struct tv_pg *pg, const struct tv_trace_query *query, struct tv_str json,
                         const char md5[33], struct tv_id *id, struct tv_error *err)
{
    TV_TRY(tv_pg_query(pg,
                       "SELECT id FROM traces CROSS JOIN (SELECT $1::jsonb AS q) AS asked"
                       " WHERE md5=upper($2) AND raw IS NOT NULL AND kind=0"
                       " AND (expires IS NULL OR expires>$3) AND" TV_POSTGRES_MAY_BE_SEEN
                       " ORDER BY created, id LIMIT 1",
                       TV_SQL_VALUES(tv_sql_text(json), tv_sql_hex(md5), tv_sql_int(query->now)),
                       err));
    if (!tv_pg_row_count(pg))
        return no_trace(err);
    tv_pg_copy(pg, 0, 0, id->hex, sizeof(id->hex));
    return TV_OK;
}

enum tv_code tv_postgres_find_md5(void *ctx, const struct tv_trace_query *query, const char md5[33],
                                  struct tv_id *id, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_buffer json;
    tv_buffer_init(&json, postgres->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK) {
        struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
        while (tv_pg_turn_tries(&turn))
            turn.code = find(turn.pg, query, tv_buffer_view(&json), md5, id, &turn.err);
        code = tv_pg_turn_end(&turn, err);
    }
    tv_buffer_release(&json);
    return code;
}

/* --- what workers find --- */

enum tv_code tv_postgres_share_md5(struct tv_pg *pg, const struct tv_id *id, struct tv_error *err)
{
    return tv_pg_run(pg,
                     "UPDATE traces SET md5=(SELECT other.md5 FROM traces AS other"
                     "  WHERE other.raw=traces.raw AND other.md5 IS NOT NULL LIMIT 1)"
                     " WHERE id=$1 AND raw IS NOT NULL AND md5 IS NULL",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}

enum tv_code tv_postgres_lacks_md5(void *ctx, const struct tv_hash *raw, bool *lacks,
                                   struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    int64_t count = 0;
    bool has;
    TV_TRY(tv_row_check_hash(raw, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = tv_pg_numbers(
            turn.pg, "SELECT count(*) FROM traces WHERE raw=$1 AND kind=0 AND md5 IS NULL",
            TV_SQL_VALUES(tv_sql_hex(raw->hex)), &count, 1, &has, &turn.err);
    *lacks = count > 0;
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_note_md5(void *ctx, const struct tv_hash *raw, const char md5[33],
                                  struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code =
            tv_pg_run(turn.pg, "UPDATE traces SET md5=$2 WHERE raw=$1 AND md5 IS NULL",
                      TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_hex(md5)), NULL, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_counts_raw(void *ctx, const struct tv_hash *raw, enum tv_count_rule rule,
                                    int64_t now, bool *counts, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    int64_t number;
    *counts = false;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = tv_pg_numbers(
            turn.pg,
            "SELECT 1 FROM traces WHERE raw=$1 AND kind=0 AND (expires IS NULL OR expires>$2)"
            " AND (counting=1 OR (counting=0 AND is_listed AND $3::bigint=1)) LIMIT 1",
            TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_int(now), tv_sql_int((int64_t)rule)),
            &number, 1, counts, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Those of another build go when it has no index of the file any more. */
static enum tv_code note_figures(struct tv_pg *pg, const struct tv_hash *raw,
                                 const struct tv_trace_figures *figures, struct tv_error *err)
{
    return tv_pg_run(
        pg,
        "WITH gone AS (DELETE FROM build_figures WHERE raw=$1 AND build<>" TV_POSTGRES_INDEXES
        "  AND build NOT IN (SELECT build FROM jobs WHERE raw=$1))"
        " INSERT INTO build_figures SELECT name, " TV_POSTGRES_INDEXES ","
        "  $2::bigint, $3::bigint, $4::bigint, $5::bigint FROM files WHERE name=$1"
        " ON CONFLICT(raw, build) DO UPDATE SET duration_ns=excluded.duration_ns,"
        " threads=excluded.threads, worst_frame_ns=excluded.worst_frame_ns,"
        " startup_ns=excluded.startup_ns",
        TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_count(figures->duration_ns),
                      tv_sql_count(figures->threads), tv_sql_count(figures->worst_frame_ns),
                      tv_sql_count(figures->startup_ns)),
        NULL, err);
}

enum tv_code tv_postgres_note_figures(void *ctx, const struct tv_hash *raw,
                                      const struct tv_trace_figures *figures, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = note_figures(turn.pg, raw, figures, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* --- changing and dropping --- */

/* NULL for a column that is not changed: coalesce() in the statement keeps what is in the row. */
static enum tv_code change_columns(struct tv_pg *pg, const struct tv_id *id, int64_t now,
                                   const struct tv_trace_change *change, struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(
        pg,
        "UPDATE traces SET title=coalesce($3, title), note=coalesce($4, note),"
        " is_raw_shared=coalesce($5, is_raw_shared), is_listed=coalesce($6, is_listed),"
        " expires=CASE WHEN $7::boolean THEN $8 ELSE expires END,"
        " seen_expired=CASE WHEN $7::boolean THEN NULL ELSE seen_expired END,"
        " keeps_names=coalesce($9, keeps_names),"
        " user_name=CASE WHEN $10::boolean THEN $11 ELSE user_name END,"
        " owner=CASE WHEN $12::boolean THEN $13 ELSE owner END, counting=coalesce($14, counting)"
        " WHERE id=$1 AND raw IS NOT NULL AND (expires IS NULL OR expires>$2)",
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
    return changed ? TV_OK : no_trace(err);
}

/* Changes what the change names. New labels replace all labels. */
static enum tv_code change_row(struct tv_pg *pg, const struct tv_id *id, int64_t now,
                               const struct tv_trace_change *change, struct tv_error *err)
{
    const struct tv_quota quota = {.bytes = {[TV_QUOTA_PROJECT] = change->project_quota}};
    const struct tv_trace_row moved = {.labels = change->labels,
                                       .label_count = change->label_count};
    if (change->labels)
        TV_TRY(tv_postgres_lock_quota(pg, &quota, &moved, err));
    TV_TRY(change_columns(pg, id, now, change, err));
    if (!change->labels)
        return TV_OK;
    TV_TRY(tv_pg_run(pg, "DELETE FROM labels WHERE trace=$1", TV_SQL_VALUES(tv_sql_hex(id->hex)),
                     NULL, err));
    TV_TRY(write_labels(pg, id, change->labels, change->label_count, err));
    return tv_postgres_hold_quota(pg, &quota, &moved, change->over, err);
}

enum tv_code tv_postgres_change_trace(void *ctx, const struct tv_id *id, int64_t now,
                                      const struct tv_trace_change *change, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_change(change, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = change_row(turn.pg, id, now, change, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* Notes the files that are dropped with a row, before the row is: the raw file or the parts, which
 * count for the uploader's quota until their bytes are gone, and the indexes, which count for
 * nobody's. Files that another row needs are left out. */
static enum tv_code note_dropped(struct tv_pg *pg, const struct tv_id *id, struct tv_error *err)
{
    static const char *const notes[] = {
        "INSERT INTO dropped SELECT raw, owner, address, user_name FROM traces"
        " WHERE id=$1 AND raw IS NOT NULL"
        " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.raw=traces.raw AND other.id<>$1)"
        " AND NOT EXISTS(SELECT 1 FROM parts WHERE file=traces.raw)"
        " AND NOT EXISTS(SELECT 1 FROM jobs WHERE result=traces.raw) ON CONFLICT DO NOTHING",
        "INSERT INTO dropped SELECT DISTINCT file, owner, address, user_name FROM parts"
        " JOIN traces ON id=trace WHERE trace=$1"
        " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.raw=file)"
        " AND NOT EXISTS(SELECT 1 FROM parts AS other WHERE other.file=parts.file"
        "  AND other.trace<>$1)"
        " AND NOT EXISTS(SELECT 1 FROM jobs WHERE jobs.raw=file OR result=file)"
        " ON CONFLICT DO NOTHING",
        "INSERT INTO dropped(file) SELECT DISTINCT result FROM jobs"
        " WHERE raw=(SELECT raw FROM traces WHERE id=$1) AND result IS NOT NULL"
        " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=jobs.raw AND id<>$1)"
        " ON CONFLICT DO NOTHING",
    };
    for (size_t i = 0; i < TV_COUNT_OF(notes); i++)
        TV_TRY(tv_pg_run(pg, notes[i], TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return TV_OK;
}

/* Locks the rows that decide which files are dropped with the row: the row itself, and those of its
 * files. */
static enum tv_code lock_row(struct tv_pg *pg, const struct tv_id *id, bool *has,
                             struct tv_error *err)
{
    int64_t number;
    TV_TRY(tv_pg_numbers(pg, "SELECT 1 FROM traces WHERE id=$1 FOR UPDATE",
                         TV_SQL_VALUES(tv_sql_hex(id->hex)), &number, 1, has, err));
    if (!*has)
        return TV_OK;
    return tv_pg_run(
        pg,
        TV_POSTGRES_LOCK_FILES("SELECT raw FROM traces WHERE id=$1"
                               " UNION SELECT file FROM parts WHERE trace=$1"
                               " UNION SELECT result FROM jobs WHERE raw=(SELECT raw FROM traces"
                               "  WHERE id=$1)"),
        TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}

/* Drops a trace or an upload, and the jobs of its raw file unless another trace has the same file.
 * The files stay until gc finds that nobody needs them. */
enum tv_code tv_postgres_drop_row(struct tv_pg *pg, const struct tv_id *id, bool *dropped,
                                  struct tv_error *err)
{
    TV_TRY(lock_row(pg, id, dropped, err));
    if (!*dropped)
        return TV_OK;
    TV_TRY(note_dropped(pg, id, err));
    TV_TRY(tv_postgres_drop_named(pg, id, err));
    TV_TRY(tv_pg_run(pg,
                     "DELETE FROM jobs WHERE raw=(SELECT raw FROM traces WHERE id=$1)"
                     " AND NOT EXISTS(SELECT 1 FROM traces WHERE raw=jobs.raw AND id<>$1)",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return tv_pg_run(pg, "DELETE FROM traces WHERE id=$1", TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL,
                     err);
}

/* Where an earlier try may have been committed (is_unsure), a trace that is gone was dropped by
 * that try, and that is a success. */
static enum tv_code drop(struct tv_pg *pg, const struct tv_id *id, bool is_unsure,
                         struct tv_error *err)
{
    bool dropped;
    TV_TRY(tv_postgres_drop_row(pg, id, &dropped, err));
    return dropped || is_unsure ? TV_OK : no_trace(err);
}

enum tv_code tv_postgres_drop_trace(void *ctx, const struct tv_id *id, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_TRANSACTION);
    while (tv_pg_turn_tries(&turn))
        turn.code = drop(turn.pg, id, turn.is_unsure, &turn.err);
    return tv_pg_turn_end(&turn, err);
}
