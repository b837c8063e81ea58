/*
 * Lists of traces. The words, labels and owners of a question go into the statement as one JSON
 * text, which SQLite takes apart: so the text of the statement stays the same, however many of them
 * there are, and nothing of a question becomes SQL.
 */
#include "store/list_query.h"
#include "store/sqlite/calls.h"

/* ?1 the JSON, ?2 now, ?3 and ?4 the last row of the slice before, ?5 the most rows, ?6 the user,
 * ?7 the kind.
 * Labels of a trace are searched for a word only where title, file name and note do not have it. */
#define WHERE                                                                                      \
    " raw IS NOT NULL AND kind=?7 AND (expires IS NULL OR expires>?2)"                             \
    " AND (?4 IS NULL OR (created, id)<(?3, ?4))"                                                  \
    " AND ifnull(user=json_extract(?1, '$.uploader'), json_extract(?1, '$.uploader') IS NULL)"     \
    " AND created>=ifnull(CAST(strftime('%s', json_extract(?1, '$.from')) AS INTEGER), created)"   \
    " AND created<ifnull(CAST(strftime('%s', json_extract(?1, '$.until')) AS INTEGER), created+1)" \
    " AND (json_extract(?1, '$.counted') IS NULL OR counting=1"                                    \
    "   OR (counting=0 AND is_listed AND json_extract(?1, '$.counted')=1))"                        \
    " AND NOT EXISTS(SELECT 1 FROM json_each(?1, '$.words') AS word WHERE NOT ("                   \
    "   title LIKE word.value ESCAPE '\\' OR file_name LIKE word.value ESCAPE '\\'"                \
    "   OR note LIKE word.value ESCAPE '\\' OR EXISTS(SELECT 1 FROM labels"                        \
    "     WHERE trace=traces.id AND labels.value LIKE word.value ESCAPE '\\')))"                   \
    " AND" TV_SQLITE_MAY_BE_SEEN                                                                   \
    " AND NOT EXISTS(SELECT 1 FROM json_each(?1, '$.labels') AS wanted WHERE NOT EXISTS("          \
    "   SELECT 1 FROM labels WHERE trace=traces.id AND labels.key=wanted.value->>'key'"            \
    "   AND (wanted.value->>'value'='' OR labels.value=wanted.value->>'value')))"
#define ORDER " ORDER BY created DESC, id DESC LIMIT ?5"

static const char listed[] = "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces WHERE is_listed"
                             " AND ?6 IS NULL AND" WHERE ORDER;
/* Owner and user have indexes in the database, so this does not go through all traces. */
static const char of_some[] =
    "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces WHERE"
    " (owner IN (SELECT value FROM json_each(?1, '$.owners')) OR user=?6) AND" WHERE ORDER;

static const char of_all[] =
    "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces WHERE ?6 IS ?6 AND" WHERE ORDER;

/* Of a label that few traces have these are looked for first, and put in order then. */
#define OF_LABEL " AND traces.id IN (SELECT trace FROM labels WHERE key=?8 AND value=?9)"
#define ORDER_OF_FEW " ORDER BY +created DESC, id DESC LIMIT ?5"
static const char listed_of_label[] =
    "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces WHERE is_listed"
    " AND ?6 IS NULL AND" WHERE OF_LABEL ORDER_OF_FEW;
static const char all_of_label[] =
    "SELECT " TV_SQLITE_TRACE_COLUMNS " FROM traces WHERE ?6 IS ?6 AND" WHERE OF_LABEL ORDER_OF_FEW;

static enum tv_code count_traces(void *ctx, const struct tv_label *label, int64_t most,
                                 int64_t *count, struct tv_error *err)
{
    bool has;
    if (!label)
        return tv_sql_numbers(ctx, "SELECT count(*) FROM (SELECT 1 FROM traces LIMIT ?1)",
                              TV_SQL_VALUES(tv_sql_int(most + 1)), count, 1, &has, err);
    return tv_sql_numbers(
        ctx,
        "SELECT count(*) FROM (SELECT 1 FROM labels WHERE key=?1 AND value=?2"
        " LIMIT ?3)",
        TV_SQL_VALUES(tv_sql_text(label->key), tv_sql_text(label->value), tv_sql_int(most + 1)),
        count, 1, &has, err);
}

/* Labels and figures are read after the rows, when the statement of the list has been left. */
static enum tv_code read_rows(struct tv_sqlite *sqlite, const struct tv_sql_statement *select,
                              struct tv_arena *arena, struct tv_trace_row *rows, size_t most,
                              size_t *count, struct tv_error *err)
{
    struct tv_sql *sql = &sqlite->reader;
    bool has = true;
    while (*count < most) {
        TV_TRY(tv_sql_next(sql, select, &has, err));
        if (!has)
            break;
        TV_TRY(tv_sqlite_read_trace(select, arena, &rows[*count], err));
        ++*count;
    }
    if (has)
        tv_sql_leave(select);
    for (size_t i = 0; i < *count; i++)
        TV_TRY(tv_sqlite_read_rest(sql, sqlite->indexes, arena, &rows[i], err));
    return TV_OK;
}

/* One statement for visitors and one for owners: an owner sees traces that are not listed for
 * others. */
static enum tv_code list(struct tv_sqlite *sqlite, const struct tv_trace_query *query,
                         struct tv_str json, struct tv_arena *arena, struct tv_trace_row *rows,
                         size_t *count, struct tv_error *err)
{
    const struct tv_sql_statement *select;
    struct tv_sql *sql = &sqlite->reader;
    bool has_owner = query->owner_count || query->user.len;
    size_t most = query->most < TV_STORE_LIST_MOST ? query->most : TV_STORE_LIST_MOST;
    const char *text = query->is_of_all ? of_all : has_owner ? of_some : listed;
    const struct tv_label *rare;
    TV_TRY(tv_list_query_find_rare(query, count_traces, sql, &rare, err));
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
    TV_TRY(tv_sql_query(sql, text, values, TV_COUNT_OF(values) - (rare ? 0 : 2), &select, err));
    return read_rows(sqlite, select, arena, rows, most, count, err);
}

/* The arena is the caller's, and holds all texts of the rows until the answer is written. */
enum tv_code tv_sqlite_list_traces(void *ctx, const struct tv_trace_query *query,
                                   struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                                   struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_buffer json;
    *count = 0;
    if (tv_list_query_finds_nothing(query))
        return TV_OK;
    tv_buffer_init(&json, sqlite->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK)
        code = tv_sql_begin(&sqlite->reader, err);
    if (code == TV_OK)
        code = tv_sql_end(&sqlite->reader,
                          list(sqlite, query, tv_buffer_view(&json), arena, rows, count, err), err);
    tv_buffer_release(&json);
    return code;
}

static enum tv_code find_others(struct tv_sql *sql, const struct tv_trace_query *query,
                                struct tv_str json, struct tv_arena *arena,
                                struct tv_other_projects *others, struct tv_error *err)
{
    const struct tv_sql_statement *rows;
    bool has = true;
    TV_TRY(tv_sql_query(sql,
                        "SELECT labels.value, sum(count(*)) OVER (), count(*) OVER () FROM labels"
                        " JOIN traces ON id=trace WHERE labels.key='project' AND labels.value"
                        " NOT IN (SELECT value FROM json_each(?1, '$.projects'))"
                        " AND raw IS NOT NULL AND kind=0 AND (expires IS NULL OR expires>?2)"
                        " GROUP BY labels.value ORDER BY count(*) DESC, labels.value LIMIT ?3",
                        TV_SQL_VALUES(tv_sql_text(json), tv_sql_int(query->now),
                                      tv_sql_count(TV_STORE_OTHERS_NAMED)),
                        &rows, err));
    while (others->named < TV_STORE_OTHERS_NAMED) {
        TV_TRY(tv_sql_next(sql, rows, &has, err));
        if (!has)
            return TV_OK;
        TV_TRY(tv_sql_keep(rows, 0, arena, &others->names[others->named++], err));
        others->traces = (uint64_t)tv_sql_number(rows, 1);
        others->projects = (size_t)tv_sql_number(rows, 2);
    }
    tv_sql_leave(rows);
    return TV_OK;
}

enum tv_code tv_sqlite_find_other_projects(void *ctx, const struct tv_trace_query *query,
                                           struct tv_arena *arena, struct tv_other_projects *others,
                                           struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_buffer json;
    *others = (struct tv_other_projects){.traces = 0};
    tv_buffer_init(&json, sqlite->alloc);
    enum tv_code code = tv_list_query_write(query, &json, err);
    if (code == TV_OK)
        code = tv_sql_begin(&sqlite->reader, err);
    if (code == TV_OK)
        code = tv_sql_end(
            &sqlite->reader,
            find_others(&sqlite->reader, query, tv_buffer_view(&json), arena, others, err), err);
    tv_buffer_release(&json);
    return code;
}
