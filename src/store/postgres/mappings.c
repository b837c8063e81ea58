/*
 * Mappings of names, and which of them are tried on a trace.
 *
 * A mapping is a row of the table of traces, with `kind` 1. Who may see names by whose mapping is
 * told in store/sqlite/mappings.c. The statement `candidates` puts the mappings into an order; C
 * then takes the first few that differ in their bytes (store/tried_mappings.h).
 */
#include "store/tried_mappings.h"

#include <string.h>

#include "store/postgres/calls.h"
#include "store/row_check.h"

/* More rows than are tried, since several may be of one file. */
#define ROWS_MOST 64u

#define LABEL(key) "(SELECT value FROM labels WHERE trace=traces.id AND key='" key "')"
#define IS_OWN "coalesce(owner=$2, false) OR coalesce(user_name=$3, false)"

/* $1 now, $2 the owner, $3 the user, $4 the trace's label `build`, $5 its label `app`, $6 the raw
 * file, whose methods may have an id, $7 the most rows. Where the trace's methods have no id, a
 * mapping for all has to have the trace's label `build`, so that these mappings are found by their
 * label. Two ids fit where one begins with the other (retrace/name_mapping.h). The surer kinds come
 * first, then the owner's own before those for all, then the latest. `kind` in the result is enum
 * tv_named_by. */
static const char candidates[] =
    "WITH wanted AS (SELECT (SELECT id FROM map_ids WHERE raw=$6) AS map_id),"
    " mine AS (SELECT id, true AS is_own FROM traces WHERE kind=1 AND owner=$2"
    "  UNION SELECT id, true FROM traces WHERE kind=1 AND user_name=$3"
    "  UNION SELECT id, " IS_OWN " FROM traces, wanted WHERE wanted.map_id IS NOT NULL"
    "   AND kind=1 AND is_for_all"
    "  UNION SELECT id, " IS_OWN " FROM traces, wanted WHERE wanted.map_id IS NULL"
    "   AND kind=1 AND is_for_all"
    "   AND id IN (SELECT trace FROM labels WHERE key='build' AND value=$4)),"
    " labelled AS (SELECT raw, bytes, created, id, is_own, traces.map_id, map_hash,"
    "   " LABEL("build") " AS build, " LABEL(
        "app") " AS app, wanted.map_id AS wanted"
               "  FROM mine JOIN traces USING(id), wanted"
               "  WHERE raw IS NOT NULL AND (expires IS NULL OR expires>$1)),"
               " judged AS (SELECT raw, bytes, created, id, is_own, CASE"
               "  WHEN wanted IS NOT NULL THEN CASE WHEN starts_with(map_hash, wanted)"
               "   OR starts_with(map_id, wanted) OR starts_with(wanted, map_id) THEN 1 ELSE 0 END"
               "  WHEN app IS NOT NULL AND $5::text IS NOT NULL AND app<>$5 THEN 0"
               "  WHEN build=$4 THEN 2"
               "  WHEN is_own AND (build IS NULL OR $4::text IS NULL) THEN 3"
               "  ELSE 0 END AS kind FROM labelled)"
               " SELECT kind, raw, bytes FROM judged WHERE kind>0"
               " ORDER BY kind, is_own DESC, created DESC, id DESC LIMIT $7";

static enum tv_code choose(struct tv_pg *pg, const struct tv_trace_row *row, int64_t now,
                           struct tv_mapping_list *list, struct tv_error *err)
{
    struct tv_tried_mappings tried = {.list = list};
    memset(list, 0, sizeof(*list));
    TV_TRY(tv_pg_query(
        pg, candidates,
        TV_SQL_VALUES(tv_sql_int(now), tv_sql_hex(row->owner.hex), tv_sql_or_null(row->user),
                      tv_sql_or_null(tv_label_value(row->labels, row->label_count, "build")),
                      tv_sql_or_null(tv_label_value(row->labels, row->label_count, "app")),
                      tv_sql_hex(row->raw.hex), tv_sql_count(ROWS_MOST)),
        err));
    for (size_t i = 0; i < tv_pg_row_count(pg); i++) {
        struct tv_hash file = {.hex = {0}};
        tv_pg_copy(pg, i, 1, file.hex, sizeof(file.hex));
        tv_tried_mappings_add(&tried, (enum tv_named_by)tv_pg_number(pg, i, 0), file.hex,
                              (uint64_t)tv_pg_number(pg, i, 2));
    }
    return TV_OK;
}

enum tv_code tv_postgres_choose_mappings(void *ctx, const struct tv_trace_row *row, int64_t now,
                                         struct tv_mapping_list *list, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    memset(list, 0, sizeof(*list));
    if (row->keeps_names)
        return TV_OK;
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = choose(turn.pg, row, now, list, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

enum tv_code tv_postgres_note_map_id(void *ctx, const struct tv_hash *raw, struct tv_str id,
                                     struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(tv_row_check_map_id(id, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code =
            tv_pg_run(turn.pg,
                      "INSERT INTO map_ids(raw, id) SELECT name, $2::text FROM files"
                      " WHERE name=$1 ON CONFLICT(raw) DO UPDATE SET id=excluded.id",
                      TV_SQL_VALUES(tv_sql_hex(raw->hex), tv_sql_text(id)), NULL, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

static enum tv_code note_mapping(struct tv_pg *pg, const struct tv_id *id, struct tv_str map_id,
                                 struct tv_str map_hash, struct tv_error *err)
{
    uint64_t changed;
    TV_TRY(tv_pg_run(
        pg, "UPDATE traces SET map_id=$2, map_hash=$3 WHERE id=$1 AND kind=1",
        TV_SQL_VALUES(tv_sql_hex(id->hex), tv_sql_or_null(map_id), tv_sql_or_null(map_hash)),
        &changed, err));
    return changed ? TV_OK
                   : tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such mapping");
}

enum tv_code tv_postgres_note_mapping(void *ctx, const struct tv_id *id, struct tv_str map_id,
                                      struct tv_str map_hash, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    TV_TRY(tv_row_check_map_id(map_id, err));
    TV_TRY(tv_row_check_map_id(map_hash, err));
    struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
    while (tv_pg_turn_tries(&turn))
        turn.code = note_mapping(turn.pg, id, map_id, map_hash, &turn.err);
    return tv_pg_turn_end(&turn, err);
}

/* The indexes that tried the mapping go with it, since they have its names. The row of its file is
 * locked, so that no job with its names comes meanwhile. */
#define IS_NAMED_BY_IT                                                                             \
    " mappings<>'' AND strpos(mappings, (SELECT raw FROM traces WHERE id=$1 AND kind=1))>0"        \
    " AND NOT EXISTS(SELECT 1 FROM traces AS other WHERE other.kind=1 AND other.id<>$1"            \
    "  AND other.raw=(SELECT raw FROM traces WHERE id=$1))"

enum tv_code tv_postgres_drop_named(struct tv_pg *pg, const struct tv_id *id, struct tv_error *err)
{
    int64_t mappings;
    bool has;
    TV_TRY(tv_pg_numbers(pg, "SELECT count(*) FROM traces WHERE id=$1 AND kind=1",
                         TV_SQL_VALUES(tv_sql_hex(id->hex)), &mappings, 1, &has, err));
    if (!mappings)
        return TV_OK;
    TV_TRY(tv_pg_run(pg,
                     "INSERT INTO dropped(file) SELECT DISTINCT result FROM jobs"
                     " WHERE result IS NOT NULL AND" IS_NAMED_BY_IT " ON CONFLICT DO NOTHING",
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err));
    return tv_pg_run(pg, "DELETE FROM jobs WHERE" IS_NAMED_BY_IT,
                     TV_SQL_VALUES(tv_sql_hex(id->hex)), NULL, err);
}
