/*
 * Lists in JSON answers of a site as tables; see cli/site/answer_table.h.
 *
 * While a row is read, each value has a path: the keys and places that lead to it, with dots
 * between. The values whose paths a column asks for are gathered, all others are passed over; then
 * the cells are written from them. The answer comes from a server, so nothing but its syntax is
 * relied on: memory is bounded, and a path that is too long fits no column.
 */
#include "cli/site/answer_table.h"

#include <stdio.h>
#include <string.h>

#include "base/text/json_read.h"
#include "cli/terminal/table.h"

#define PATH_CAP 128u
/* Values of a row: one of each column, two of a range, three of a method. */
#define VALUES_MOST (TV_ANSWER_COLUMNS_MOST + 8u)

/* Where a value of the answer stands: keys and places with a dot between. */
struct path {
    char text[PATH_CAP];
    size_t len;
};

struct value {
    char path[PATH_CAP];
    struct tv_str raw;
};

struct gathering {
    struct tv_json_reader json;
    struct path path;
    struct value values[VALUES_MOST];
    size_t count;
};

/* Adds a part to the path. A path without room for it is cut, to one that no column asks for. */
static void enter(struct path *path, struct tv_str part)
{
    const int len = snprintf(path->text + path->len, PATH_CAP - path->len, "%s%.*s",
                             path->len ? "." : "", tv_str_shown_len(part), part.at);
    path->len =
        len < 0 || (size_t)len >= PATH_CAP - path->len ? PATH_CAP - 1 : path->len + (size_t)len;
}

static void leave(struct path *path, size_t len)
{
    path->len = len;
    path->text[len] = '\0';
}

static void note(struct gathering *gathering)
{
    if (gathering->count == VALUES_MOST)
        return;
    struct value *value = &gathering->values[gathering->count];
    for (size_t i = 0; i < gathering->count; i++) {
        if (strcmp(gathering->values[i].path, gathering->path.text) == 0)
            return;
    }
    (void)snprintf(value->path, PATH_CAP, "%s", gathering->path.text);
    value->raw = gathering->json.raw;
    gathering->count++;
}

/* Whether a value is asked for, or something inside it. */
static bool is_wanted(const struct gathering *gathering, const char *const *wanted, size_t count)
{
    const size_t len = gathering->path.len;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(wanted[i], gathering->path.text, len) == 0 &&
            (wanted[i][len] == '\0' || wanted[i][len] == '.'))
            return true;
        /* Where an array is asked for as a whole, each of its places is. */
        const size_t asked = strlen(wanted[i]);
        if (asked < len && gathering->path.text[asked] == '.' &&
            strncmp(wanted[i], gathering->path.text, asked) == 0)
            return true;
    }
    return false;
}

/* Reads one object or array to its end, without recursion: the path tells the level. */
static enum tv_code gather(struct gathering *gathering, enum tv_json_token first,
                           const char *const *wanted, size_t count, struct tv_error *err)
{
    size_t lens[TV_JSON_LEVELS_MOST + 1];
    uint64_t places[TV_JSON_LEVELS_MOST + 1] = {0};
    bool is_array[TV_JSON_LEVELS_MOST + 1];
    size_t level = 0;
    enum tv_json_token token = first;
    lens[0] = gathering->path.len;
    is_array[0] = first == TV_JSON_ARRAY;
    for (;;) {
        TV_TRY(tv_json_read(&gathering->json, &token, err));
        if (token == TV_JSON_OBJECT_END || token == TV_JSON_ARRAY_END || token == TV_JSON_END) {
            if (level-- == 0 || token == TV_JSON_END)
                return TV_OK;
            leave(&gathering->path, lens[level]);
            continue;
        }
        if (is_array[level]) {
            char place[24];
            (void)snprintf(place, sizeof(place), "%llu", (unsigned long long)places[level]++);
            enter(&gathering->path, tv_str_from(place));
        } else {
            enter(&gathering->path, gathering->json.raw);
            TV_TRY(tv_json_read(&gathering->json, &token, err));
        }
        const bool is_open = token == TV_JSON_OBJECT || token == TV_JSON_ARRAY;
        const bool is_asked = is_wanted(gathering, wanted, count);
        if (is_open && is_asked && level + 1 < TV_COUNT_OF(lens)) {
            level++;
            is_array[level] = token == TV_JSON_ARRAY;
            places[level] = 0;
            lens[level] = gathering->path.len;
            continue;
        }
        if (is_open)
            TV_TRY(tv_json_read_past(&gathering->json, token, err));
        else if (is_asked)
            note(gathering);
        leave(&gathering->path, lens[level]);
    }
}

static struct tv_str value_of(const struct gathering *gathering, const char *path)
{
    for (size_t i = 0; i < gathering->count; i++) {
        if (strcmp(gathering->values[i].path, path) == 0)
            return gathering->values[i].raw;
    }
    return TV_STR("");
}

/* --- a row --- */

static uint64_t number_of(struct tv_str raw)
{
    uint64_t number = 0;
    return tv_str_to_u64(raw, 10, &number) ? number : 0;
}

/* Appends what a raw string says to `text`, behind a separator where something stands there. */
static enum tv_code append(struct tv_buffer *text, const char *separator, struct tv_str raw,
                           struct tv_error *err)
{
    size_t len;
    if (!raw.len)
        return TV_OK;
    if (text->len)
        TV_TRY(tv_buffer_append(text, separator, strlen(separator), err));
    const size_t at = text->len;
    TV_TRY(tv_buffer_append(text, raw.at, raw.len, err));
    TV_TRY(tv_json_unescape(raw, (char *)text->bytes + at, &len, err));
    text->len = at + len;
    return TV_OK;
}

static enum tv_code add_method(const struct gathering *row, struct tv_text_table *table,
                               struct tv_buffer *room, struct tv_error *err)
{
    TV_TRY(append(room, "", value_of(row, "class"), err));
    TV_TRY(append(room, ".", value_of(row, "name"), err));
    TV_TRY(append(room, " ", value_of(row, "signature"), err));
    tv_table_method(table, tv_buffer_view(room));
    return TV_OK;
}

/* Cells of numbers may be null or absent in the answer, where no trace has the figure: they stay
 * empty, since 0 would be a statement. */
static enum tv_code add_cell(const struct gathering *row, const struct tv_answer_column *column,
                             struct tv_text_table *table, struct tv_buffer *room,
                             struct tv_error *err)
{
    char path[PATH_CAP];
    const struct tv_str raw = value_of(row, column->path);
    room->len = 0;
    switch (column->kind) {
    case TV_ANSWER_COUNT:
    case TV_ANSWER_MS:
        if (!raw.len || tv_str_equal(raw, TV_STR("null")))
            tv_table_end_cell(table);
        else if (column->kind == TV_ANSWER_MS)
            tv_table_ms(table, (int64_t)number_of(raw));
        else
            tv_table_count(table, number_of(raw));
        return TV_OK;
    case TV_ANSWER_RANGE: {
        (void)snprintf(path, sizeof(path), "%s.0", column->path);
        const uint64_t least = number_of(value_of(row, path));
        (void)snprintf(path, sizeof(path), "%s.1", column->path);
        tv_table_range(table, least, number_of(value_of(row, path)));
        return TV_OK;
    }
    case TV_ANSWER_METHOD:
        return add_method(row, table, room, err);
    case TV_ANSWER_TEXT:
        break;
    }
    TV_TRY(append(room, "", raw, err));
    tv_table_name(table, tv_buffer_view(room));
    return TV_OK;
}

/* --- a list --- */

/* Reads on to the value of a key of the outermost object. False: there is none. */
static enum tv_code find_key(struct tv_json_reader *json, const char *key, bool *has,
                             enum tv_json_token *token, struct tv_error *err)
{
    *has = false;
    TV_TRY(tv_json_read(json, token, err));
    while (*token == TV_JSON_OBJECT || *token == TV_JSON_KEY) {
        if (*token == TV_JSON_KEY) {
            *has = tv_str_equal(json->raw, tv_str_from(key));
            TV_TRY(tv_json_read(json, token, err));
            if (*has)
                return TV_OK;
            TV_TRY(tv_json_read_past(json, *token, err));
        }
        TV_TRY(tv_json_read(json, token, err));
    }
    return TV_OK;
}

static size_t want(const struct tv_answered_list *list, const char *wanted[VALUES_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < list->column_count; i++) {
        if (list->columns[i].kind != TV_ANSWER_METHOD)
            wanted[count++] = list->columns[i].path;
    }
    wanted[count++] = "class";
    wanted[count++] = "name";
    wanted[count++] = "signature";
    return count;
}

static enum tv_code add_rows(struct tv_json_reader json, const struct tv_answered_list *list,
                             struct tv_text_table *table, struct tv_buffer *room, size_t *count,
                             struct tv_error *err)
{
    const char *wanted[VALUES_MOST];
    const size_t wanted_count = want(list, wanted);
    struct gathering row;
    for (;;) {
        enum tv_json_token token;
        TV_TRY(tv_json_read(&json, &token, err));
        if (token != TV_JSON_OBJECT)
            return TV_OK;
        row.json = json;
        row.count = 0;
        row.path = (struct path){.len = 0};
        TV_TRY(gather(&row, token, wanted, wanted_count, err));
        json = row.json;
        for (size_t i = 0; i < list->column_count; i++)
            TV_TRY(add_cell(&row, &list->columns[i], table, room, err));
        ++*count;
    }
}

static void add_columns(struct tv_text_table *table, const struct tv_answered_list *list)
{
    for (size_t i = 0; i < list->column_count; i++) {
        const enum tv_answer_kind kind = list->columns[i].kind;
        tv_table_column(table, list->columns[i].header,
                        kind == TV_ANSWER_TEXT || kind == TV_ANSWER_METHOD ? TV_ALIGN_LEFT
                                                                           : TV_ALIGN_RIGHT);
    }
}

enum tv_code tv_answer_table_add(const struct tv_cli *cli, struct tv_str answer,
                                 const struct tv_answered_list *list, struct tv_text *out,
                                 size_t *count, struct tv_error *err)
{
    struct tv_json_reader json = tv_json_reader_of(answer);
    struct tv_text_table table;
    struct tv_buffer room;
    enum tv_json_token token;
    size_t rows = 0;
    bool has;
    TV_TRY(find_key(&json, list->key, &has, &token, err));
    tv_table_init(&table, cli);
    tv_buffer_init(&room, cli->alloc);
    add_columns(&table, list);
    enum tv_code code = TV_OK;
    if (has && token == TV_JSON_ARRAY)
        code = add_rows(json, list, &table, &room, &rows, err);
    if (code == TV_OK && rows)
        code = tv_table_write(&table, out, err);
    tv_buffer_release(&room);
    tv_table_release(&table);
    if (count)
        *count = rows;
    return code;
}

enum tv_code tv_answer_value(struct tv_str answer, const char *path, struct tv_str *raw,
                             struct tv_error *err)
{
    const char *const wanted[] = {path};
    struct gathering all = {.json = tv_json_reader_of(answer)};
    enum tv_json_token token;
    *raw = TV_STR("");
    TV_TRY(tv_json_read(&all.json, &token, err));
    if (token != TV_JSON_OBJECT)
        return TV_OK;
    TV_TRY(gather(&all, token, wanted, 1, err));
    *raw = value_of(&all, path);
    return TV_OK;
}
