/*
 * Mappings of names, which are rows of traces (`kind` is 1), and which of them are tried on a
 * trace.
 *
 * A mapping tells the names of a program's source, and whoever has the link of a trace sees the
 * names that it is shown with. So a mapping is tried on traces of the same owner token or user
 * alone, unless its owner said that it is for all; and then only where it has the trace's id or its
 * build, since a stranger's mapping that may know some names is no reason to rename anything.
 */
#include <string.h>

#include "store/row_check.h"
#include "store/sqlite/calls.h"
#include "store/tried_mappings.h"

/* More rows than are tried, since several may be of one file. */
#define ROWS_MOST 64u

#define LABEL(of, key) "(SELECT value FROM labels WHERE trace=" of ".id AND key='" key "')"

/* ?1 now, ?2 the owner, ?3 the user, ?4 the trace's label `build`, ?5 its label `app`, ?6 the id
 * that its methods have, ?7 the most rows. The indexes are named, since a walk through all traces
 * would be one for each request; without an id, one that is for all has to have the trace's build,
 * so those come by their label. An id is compared by its beginning, as a mapping's is
 * (retrace/name_mapping.h). What may be tried comes before what is less sure, the owner's own
 * before those for all, and the latest first. The kind that comes out is enum tv_named_by. */
static const char candidates[] =
    "WITH mine AS (SELECT id, 1 AS is_own FROM traces INDEXED BY mappings_by_owner"
    "   WHERE kind=1 AND owner=?2"
    "  UNION SELECT id, 1 FROM traces INDEXED BY mappings_by_user WHERE kind=1 AND user=?3"
    "  UNION SELECT id, ifnull(owner=?2, 0) OR ifnull(user=?3, 0) FROM traces"
    "   INDEXED BY mappings_for_all WHERE ?6 IS NOT NULL AND kind=1 AND is_for_all=1"
    "  UNION SELECT id, ifnull(owner=?2, 0) OR ifnull(user=?3, 0) FROM traces WHERE ?6 IS NULL"
    "   AND kind=1 AND is_for_all=1"
    "   AND id IN (SELECT trace FROM labels WHERE key='build' AND value=?4)),"
    " labelled AS MATERIALIZED (SELECT raw, bytes, created, id, is_own, map_id, map_hash,"
    "  " LABEL("traces", "build") " AS build, " LABEL(
        "traces", "app") " AS app"
                         "  FROM mine JOIN traces USING(id)"
                         "  WHERE raw IS NOT NULL AND (expires IS NULL OR expires>?1)),"
                         " judged AS (SELECT raw, bytes, created, id, is_own, CASE"
                         "  WHEN ?6 IS NOT NULL THEN iif(substr(map_hash, 1, length(?6))=?6"
                         "   OR substr(map_id, 1, length(?6))=?6 OR substr(?6, 1, "
                         "length(map_id))=map_id, 1, 0)"
                         "  WHEN app IS NOT NULL AND ?5 IS NOT NULL AND app<>?5 THEN 0"
                         "  WHEN build=?4 THEN 2"
                         "  WHEN is_own AND (build IS NULL OR ?4 IS NULL) THEN 3"
                         "  ELSE 0 END AS kind FROM labelled)"
                         "SELECT kind, raw, bytes FROM judged WHERE kind>0"
                         " ORDER BY kind, is_own DESC, created DESC, id DESC LIMIT ?7";

/* The id that the methods of the raw file have; NULL: none is known. */
static enum tv_code find_id(struct tv_sql *sql, const struct tv_hash *raw,
                            char id[TV_STORE_MAP_ID_MOST + 1], struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has;
    id[0] = '\0';
    TV_TRY(tv_sql_query(sql, "SELECT id FROM map_ids WHERE raw=?1",
                        TV_SQL_VALUES(tv_sql_hex(raw->hex)), &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    if (!has)
        return TV_OK;
    tv_sql_copy(rows, 0, id, TV_STORE_MAP_ID_MOST + 1);
    tv_sql_leave(rows);
    return TV_OK;
}

static enum tv_code choose(struct tv_sql *sql, const struct tv_trace_row *row, int64_t now,
                           struct tv_mapping_list *list, struct tv_error *err)
{
    char id[TV_STORE_MAP_ID_MOST + 1];
    struct tv_tried_mappings tried = {.list = list};
    const struct tv_sql_statement *rows;
    bool has;
    TV_TRY(find_id(sql, &row->raw, id, err));
    TV_TRY(tv_sql_query(
        sql, candidates,
        TV_SQL_VALUES(tv_sql_int(now), tv_sql_hex(row->owner.hex), tv_sql_or_null(row->user),
                      tv_sql_or_null(tv_label_value(row->labels, row->label_count, "build")),
                      tv_sql_or_null(tv_label_value(row->labels, row->label_count, "app")),
                      tv_sql_hex(id), tv_sql_count(ROWS_MOST)),
        &rows, err));
    TV_TRY(tv_sql_next(sql, rows, &has, err));
    while (has) {
        struct tv_hash file = {.hex = {0}};
        tv_sql_copy(rows, 1, file.hex, sizeof(file.hex));
        tv_tried_mappings_add(&tried, (enum tv_named_by)tv_sql_number(rows, 0), file.hex,
                              (uint64_t)tv_sql_number(rows, 2));
        TV_TRY(tv_sql_next(sql, rows, &has, err));
    }
    return TV_OK;
}

enum tv_code tv_sqlite_choose_mappings(void *ctx, const struct tv_trace_row *row, int64_t now,
                                       struct tv_mapping_list *list, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    memset(list, 0, sizeof(*list));
    if (row->keeps_names)
        return TV_OK;
    TV_TRY(tv_sql_begin(&sqlite->reader, err));
    return tv_sql_end(&sqlite->reader, choose(&sqlite->reader, row, now, list, err), err);
}

enum tv_code tv_sqlite_note_map_id(void *ctx, const struct tv_hash *raw, struct tv_str id,
                                   struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_row_check_map_id(id, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = tv_sql_run(&sqlite->writer,
                                   "INSERT OR REPLACE INTO map_ids(raw, id) SELECT name, ?2"
                                   " FROM files WHERE name=?1",
                                   TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(id)), NULL, err);
    return tv_sql_end(&sqlite->writer, code, err);
}

enum tv_code tv_sqlite_note_mapping(void *ctx, const struct tv_id *id, struct tv_str map_id,
                                    struct tv_str map_hash, struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    uint64_t changed = 0;
    TV_TRY(tv_row_check_map_id(map_id, err));
    TV_TRY(tv_row_check_map_id(map_hash, err));
    TV_TRY(tv_sql_begin(&sqlite->writer, err));
    enum tv_code code = tv_sql_run(
        &sqlite->writer, "UPDATE traces SET map_id=?2, map_hash=?3 WHERE id=?1 AND kind=1",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_or_null(map_id), tv_sql_or_null(map_hash)),
        &changed, err);
    TV_TRY(tv_sql_end(&sqlite->writer, code, err));
    return changed ? TV_OK
                   : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such mapping");
}

/* The indexes that tried the mapping go with it, since they have its names. */
#define IS_NAMED_BY_IT                                                                             \
    " mappings<>'' AND instr(mappings, (SELECT raw FROM traces WHERE id=?1 AND kind=1))"           \
    " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.kind=1 AND other.id<>?1"            \
    "  AND other.raw=(SELECT raw FROM traces WHERE id=?1))"

enum tv_code tv_sqlite_drop_named(struct tv_sql *sql, const struct tv_id *id, struct tv_error *err)
{
    int64_t mappings;
    bool has;
    TV_TRY(tv_sql_numbers(sql, "SELECT count(*) FROM traces WHERE id=?1 AND kind=1",
                          TV_SQL_VALUES(tv_sql_hex(id->hex)), &mappings, 1, &has, err));
    if (!mappings)
        return TV_OK;
    TV_TRY(tv_sql_run(sql,
                      "INSERT OR IGNORE INTO dropped(file) SELECT result FROM jobs"
                      " WHERE result IS NOT NULL AND" IS_NAMED_BY_IT,
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return tv_sql_run(sql, "DELETE FROM jobs WHERE" IS_NAMED_BY_IT,
                      TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}
