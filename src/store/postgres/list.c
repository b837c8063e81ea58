/*
 * Lists of traces. The words, labels and owners of a question go into the statement as one JSON
 * text (store/list_query.h), which PostgreSQL takes apart.
 */
#include "store/list_query.h"
#include "store/postgres/calls.h"

/* The question, and the seconds at which its days begin. The day of the month is added, since the
 * month may have no such day; the year 0 is none to PostgreSQL. What was not given is settled when
 * the statement is planned, which is done each time. */
#define ASKED                                                                                      \
    " CROSS JOIN (SELECT q, extract(epoch FROM make_date("                                         \
    "   greatest(left(q->>'from', 4)::integer, 1), substr(q->>'from', 6, 2)::integer, 1)"          \
    "   + substr(q->>'from', 9, 2)::integer - 1) AS since,"                                        \
    "  extract(epoch FROM make_date("                                                              \
    "   greatest(left(q->>'until', 4)::integer, 1), substr(q->>'until', 6, 2)::integer, 1)"        \
    "   + substr(q->>'until', 9, 2)::integer - 1) AS past"                                         \
    "  FROM (SELECT $1::jsonb AS q) AS text) AS asked WHERE"

/* $1 the JSON, $2 now, $3 and $4 the last row of the slice before, $5 the most rows, $6 the user,
 * $7 the kind.
 * No word has a blank, so none is found in two texts together. */
#define CONDITIONS                                                                                 \
    " raw IS NOT NULL AND kind=$7 AND (expires IS NULL OR expires>$2)"                             \
    " AND ($4::text IS NULL OR (created, id)<($3::bigint, $4::text))"                              \
    " AND (q->>'uploader' IS NULL OR user_name=q->>'uploader')"                                    \
    " AND (since IS NULL OR created>=since) AND (past IS NULL OR created<past)"                    \
    " AND (q->>'counted' IS NULL OR counting=1"                                                    \
    "   OR (counting=0 AND is_listed AND q->>'counted'='1'))"                                      \
    " AND (q->'words'='[]' OR title||' '||file_name||' '||note||' '||label_text"                   \
    "   ILIKE ALL(ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'words'))))"                   \
    " AND" TV_POSTGRES_MAY_BE_SEEN " AND (q->'labels'='[]' OR NOT EXISTS(SELECT 1 FROM"            \
    "   jsonb_to_recordset(q->'labels') AS wanted(key text, value text) WHERE NOT EXISTS("         \
    "   SELECT 1 FROM labels WHERE trace=traces.id AND labels.key=wanted.key"                      \
    "   AND (wanted.value='' OR labels.value=wanted.value))))"                                     \
    " ORDER BY created DESC, id DESC LIMIT $5"
#define SELECT "SELECT " TV_POSTGRES_TRACE_COLUMNS " FROM " TV_POSTGRES_TRACES ASKED

static const char listed[] = SELECT " is_listed AND $6::text IS NULL AND" CONDITIONS;
/* Owner and user have indexes in the database, so this does not go through all traces. */
static const char of_some[] =
    SELECT " (owner=ANY(ARRAY(SELECT jsonb_array_elements_text($1::jsonb->'owners')))"
           " OR user_name=$6) AND" CONDITIONS;
static const char of_all[] = SELECT " $6::text IS NOT DISTINCT FROM $6::text AND" CONDITIONS;

/* Of a label that few traces have these are looked for first, and put in order then. */
#define OF_LABEL " id=ANY(ARRAY(SELECT trace FROM labels WHERE key=$8 AND value=$9)) AND"
static const char listed_of_label[] =
    SELECT " is_listed AND $6::text IS NULL AND" OF_LABEL CONDITIONS;
static const char all_of_label[] =
    SELECT " $6::text IS NOT DISTINCT FROM $6::text AND" OF_LABEL CONDITIONS;

static enum tv_code count_traces(void *ctx, const struct tv_label *label, int64_t most,
                                 int64_t *count, struct tv_error *err)
{
    bool has;
    if (!label)
        return tv_pg_numbers(ctx, "SELECT count(*) FROM (SELECT 1 FROM traces LIMIT $1) AS found",
                             TV_SQL_VALUES(tv_sql_int(most + 1)), count, 1, &has, err);
    return tv_pg_numbers(
        ctx,
        "SELECT count(*) FROM (SELECT 1 FROM labels WHERE key=$1 AND value=$2"
        " LIMIT $3) AS found",
        TV_SQL_VALUES(tv_sql_text(label->key), tv_sql_text(label->value), tv_sql_int(most + 1)),
        count, 1, &has, err);
}

/* One statement for visitors and one for owners: an owner sees traces that are not listed for
 * others. */
static enum tv_code list(struct tv_pg *pg, const struct tv_trace_query *query, struct tv_str json,
                         struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                         struct tv_error *err)
{
    bool has_owner = query->owner_count || query->user.len;
    size_t most = query->most < TV_STORE_LIST_MOST ? query->most : TV_STORE_LIST_MOST;
    const char *text = query->is_of_all ? of_all : has_owner ? of_some : listed;
    const struct tv_label *rare;
    TV_TRY(tv_list_query_find_rare(query, count_traces, pg, &rare, err));
    if (rare)
        text = query->is_of_all ? all_of_label : listed_of_label;
    const struct tv_sql_value values[] = {
        tv_sql_text(json),
        tv_sql_int(query->now),
        tv_sql_int(query->after_created),
        tv_sql_hex(query->after_id.hex),
        tv_sql_count(most),
        tv_sql_or_null(query->user),
        tv_sql_int((int64_t)query->kind),
        tv_sql_text(rare ? rare->key : TV_STR("")),
        tv_sql_text(rare ? rare->value : TV_STR("")),
    };
    TV_TRY(tv_pg_query(pg, text, values, TV_COUNT_OF(values) - (rare ? 0 : 2), err));
    size_t found = tv_pg_row_count(pg);
    for (*count = 0; *count < found && *count < most; ++*count)
        TV_TRY(tv_postgres_read_trace(pg, *count, arena, &rows[*count], err));
    return TV_OK;
}

enum tv_code tv_postgres_list_traces(void *ctx, const struct tv_trace_query *query,
                                     struct tv_arena *arena, struct tv_trace_row *rows,
                                     size_t *count, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_buffer json;
    *count = 0;
    if (tv_list_query_finds_nothing(query))
        return TV_OK;
    tv_buffer_init(&json, postgres->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK) {
        struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
        while (tv_pg_turn_tries(&turn))
            turn.code = list(turn.pg, query, tv_buffer_view(&json), arena, rows, count, &turn.err);
        code = tv_pg_turn_end(&turn, err);
    }
    if (code != TV_OK)
        *count = 0;
    tv_buffer_release(&json);
    return code;
}

static enum tv_code find_others(struct tv_pg *pg, const struct tv_trace_query *query,
                                struct tv_str json, struct tv_arena *arena,
                                struct tv_other_projects *others, struct tv_error *err)
{
    *others = (struct tv_other_projects){.traces = 0};
    TV_TRY(tv_pg_query(pg,
                       "SELECT labels.value, (sum(count(*)) OVER ())::bigint, count(*) OVER ()"
                       " FROM labels JOIN traces ON id=trace WHERE labels.key='project'"
                       " AND NOT $1::jsonb->'projects' ? labels.value"
                       " AND raw IS NOT NULL AND kind=0 AND (expires IS NULL OR expires>$2)"
                       " GROUP BY labels.value ORDER BY count(*) DESC, labels.value LIMIT $3",
                       TV_SQL_VALUES(tv_sql_text(json), tv_sql_int(query->now),
                                     tv_sql_count(TV_STORE_OTHERS_NAMED)),
                       err));
    const size_t found = tv_pg_row_count(pg);
    for (size_t i = 0; i < found && i < TV_STORE_OTHERS_NAMED; i++) {
        TV_TRY(tv_pg_keep(pg, i, 0, arena, &others->names[i], err));
        others->traces = (uint64_t)tv_pg_number(pg, i, 1);
        others->projects = (size_t)tv_pg_number(pg, i, 2);
        others->named = i + 1;
    }
    return TV_OK;
}

enum tv_code tv_postgres_find_other_projects(void *ctx, const struct tv_trace_query *query,
                                             struct tv_arena *arena,
                                             struct tv_other_projects *others, struct tv_error *err)
{
    struct tv_postgres *postgres = ctx;
    struct tv_buffer json;
    tv_buffer_init(&json, postgres->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK) {
        struct tv_pg_turn turn = tv_pg_turn(postgres->pool, TV_PG_STATEMENT);
        while (tv_pg_turn_tries(&turn))
            turn.code =
                find_others(turn.pg, query, tv_buffer_view(&json), arena, others, &turn.err);
        code = tv_pg_turn_end(&turn, err);
    }
    tv_buffer_release(&json);
    return code;
}
