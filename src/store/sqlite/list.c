/*
 * Lists of traces. The words, labels and owners of a question go into the statement as one JSON
 * text, which SQLite takes apart: so the text of the statement stays the same, however many of them
 * there are, and nothing of a question becomes SQL.
 */
#include "base/text/json.h"
#include "store/sqlite/calls.h"

/* Further words of a search are not looked at. */
#define WORDS_MOST 16u

/* Makes the LIKE pattern "%word%". Letters with a meaning in patterns get a backslash, which takes
 * their meaning away. */
static enum tv_code append_escaped(struct tv_buffer *pattern, struct tv_str word,
                                   struct tv_error *err)
{
    TV_TRY(tv_buffer_append(pattern, "%", 1, err));
    for (size_t i = 0; i < word.len; i++) {
        char letter = word.at[i];
        if (letter == '%' || letter == '_' || letter == '\\')
            TV_TRY(tv_buffer_append(pattern, "\\", 1, err));
        TV_TRY(tv_buffer_append(pattern, &letter, 1, err));
    }
    return tv_buffer_append(pattern, "%", 1, err);
}

/* A title or name must have all words of the search. More than WORDS_MOST are ignored, because each
 * costs a scan. */
static enum tv_code write_words(struct tv_json *json, struct tv_str text, struct tv_buffer *pattern,
                                struct tv_error *err)
{
    struct tv_str word;
    tv_json_open_array(json);
    for (unsigned count = 0; count < WORDS_MOST && tv_str_split(&text, ' ', &word);) {
        if (word.len == 0)
            continue;
        pattern->len = 0;
        TV_TRY(append_escaped(pattern, word, err));
        tv_json_str(json, tv_buffer_view(pattern));
        count++;
    }
    tv_json_close_array(json);
    return TV_OK;
}

static void write_labels(struct tv_json *json, const struct tv_label *labels, size_t count)
{
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++) {
        tv_json_open_object(json);
        tv_json_key_str(json, "key", labels[i].key);
        tv_json_key_str(json, "value", labels[i].value);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}

static void write_owners(struct tv_json *json, const struct tv_hash *owners, size_t count)
{
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        tv_json_text(json, owners[i].hex);
    tv_json_close_array(json);
}

static void write_texts(struct tv_json *json, const struct tv_str *texts, size_t count)
{
    tv_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        tv_json_str(json, texts[i]);
    tv_json_close_array(json);
}

/* A condition that was not given is NULL in the statement. */
static void write_given(struct tv_json *json, const char *key, struct tv_str text)
{
    if (text.len)
        tv_json_key_str(json, key, text);
}

/* The conditions go to SQLite as one text of JSON, which it takes apart itself. So the statement
 * stays the same for any number of words and labels, and can be kept prepared. */
static enum tv_code write_query(const struct tv_trace_query *query, struct tv_buffer *text,
                                struct tv_buffer *pattern, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(text));
    tv_json_open_object(&json);
    tv_json_key(&json, "words");
    TV_TRY(write_words(&json, query->text, pattern, err));
    tv_json_key(&json, "labels");
    write_labels(&json, query->labels, query->label_count);
    tv_json_key(&json, "owners");
    write_owners(&json, query->owners, query->owner_count);
    tv_json_key(&json, "not_of");
    write_texts(&json, query->not_of, query->not_of_count);
    write_given(&json, "reader", query->reader);
    write_given(&json, "uploader", query->uploader);
    write_given(&json, "from", query->from_day);
    write_given(&json, "until", query->until_day);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* ?1 the JSON, ?2 now, ?3 and ?4 the last row of the slice before, ?5 the most rows, ?6 the user,
 * ?7 the kind.
 * Labels of a trace are searched for a word only where title, file name and note do not have it. */
#define WHERE                                                                                      \
    " raw IS NOT NULL AND kind=?7 AND (expires IS NULL OR expires>?2)"                             \
    " AND (?4 IS NULL OR (created, id)<(?3, ?4))"                                                  \
    " AND ifnull(user=json_extract(?1, '$.uploader'), json_extract(?1, '$.uploader') IS NULL)"     \
    " AND created>=ifnull(CAST(strftime('%s', json_extract(?1, '$.from')) AS INTEGER), created)"   \
    " AND created<ifnull(CAST(strftime('%s', json_extract(?1, '$.until')) AS INTEGER), created+1)" \
    " AND NOT EXISTS(SELECT 1 FROM json_each(?1, '$.words') AS word WHERE NOT ("                   \
    "   title LIKE word.value ESCAPE '\\' OR file_name LIKE word.value ESCAPE '\\'"                \
    "   OR note LIKE word.value ESCAPE '\\' OR EXISTS(SELECT 1 FROM labels"                        \
    "     WHERE trace=traces.id AND labels.value LIKE word.value ESCAPE '\\')))"                   \
    " AND (ifnull(user=json_extract(?1, '$.reader'), 0) OR NOT EXISTS(SELECT 1 FROM labels"        \
    "   WHERE trace=traces.id AND labels.key='project'"                                            \
    "   AND labels.value IN (SELECT value FROM json_each(?1, '$.not_of'))))"                       \
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

/* Labels and figures are read after the rows, when the statement of the list has been left. */
static enum tv_code read_rows(struct tv_sql *sql, const struct tv_sql_statement *select,
                              struct tv_arena *arena, struct tv_trace_row *rows, size_t most,
                              size_t *count, struct tv_error *err)
{
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
        TV_TRY(tv_sqlite_read_rest(sql, arena, &rows[i], err));
    return TV_OK;
}

/* One statement for visitors and one for owners: an owner sees traces that are not listed for
 * others. */
static enum tv_code list(struct tv_sql *sql, const struct tv_trace_query *query, struct tv_str json,
                         struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                         struct tv_error *err)
{
    const struct tv_sql_statement *select;
    bool has_owner = query->owner_count || query->user.len;
    size_t most = query->most < TV_STORE_LIST_MOST ? query->most : TV_STORE_LIST_MOST;
    const char *text = query->is_of_all ? of_all : has_owner ? of_some : listed;
    TV_TRY(tv_sql_query(
        sql, text,
        TV_SQL_VALUES(tv_sql_text(json), tv_sql_int(query->now), tv_sql_int(query->after_created),
                      tv_sql_hex(query->after_id.hex), tv_sql_count(most),
                      tv_sql_or_null(query->user), tv_sql_int((int64_t)query->kind)),
        &select, err));
    return read_rows(sql, select, arena, rows, most, count, err);
}

/* The arena is the caller's, and holds all texts of the rows until the answer is written. */
enum tv_code tv_sqlite_list_traces(void *ctx, const struct tv_trace_query *query,
                                   struct tv_arena *arena, struct tv_trace_row *rows, size_t *count,
                                   struct tv_error *err)
{
    struct tv_sqlite *sqlite = ctx;
    struct tv_buffer json;
    struct tv_buffer pattern;
    *count = 0;
    tv_buffer_init(&json, sqlite->alloc);
    tv_buffer_init(&pattern, sqlite->alloc);
    enum tv_code code = write_query(query, &json, &pattern, err);
    if (code == TV_OK)
        code = tv_sql_begin(&sqlite->reader, err);
    if (code == TV_OK)
        code = tv_sql_end(
            &sqlite->reader,
            list(&sqlite->reader, query, tv_buffer_view(&json), arena, rows, count, err), err);
    tv_buffer_release(&json);
    tv_buffer_release(&pattern);
    return code;
}
