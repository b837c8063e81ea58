/*
 * A question for a list as JSON; see store/list_query.h. Words become patterns of LIKE here, so
 * what LIKE has a meaning for is escaped.
 */
#include "store/list_query.h"

#include "base/text/utf8.h"
#include "store/row_check.h"

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

/* A title or name must have all words of the search. Each word costs a scan, so at most
 * TV_LIST_WORDS_MOST are taken. */
static enum tv_code write_words(struct tv_json *json, struct tv_str text, struct tv_buffer *pattern,
                                struct tv_error *err)
{
    struct tv_str word;
    unsigned count = 0;
    tv_json_open_array(json);
    while (tv_str_split(&text, ' ', &word)) {
        if (word.len == 0)
            continue;
        if (count++ == TV_LIST_WORDS_MOST)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a search has at most %u words",
                           TV_LIST_WORDS_MOST);
        pattern->len = 0;
        TV_TRY(append_escaped(pattern, word, err));
        tv_json_str(json, tv_buffer_view(pattern));
    }
    tv_json_close_array(json);
    return TV_OK;
}

void tv_list_query_labels(struct tv_json *json, const struct tv_label *labels, size_t count)
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

static enum tv_code write_query(const struct tv_trace_query *query, struct tv_buffer *text,
                                struct tv_buffer *pattern, struct tv_error *err)
{
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(text));
    tv_json_open_object(&json);
    tv_json_key(&json, "words");
    TV_TRY(write_words(&json, query->text, pattern, err));
    tv_json_key(&json, "labels");
    tv_list_query_labels(&json, query->labels, query->label_count);
    tv_json_key(&json, "owners");
    write_owners(&json, query->owners, query->owner_count);
    if (query->projects) {
        tv_json_key(&json, "projects");
        write_texts(&json, query->projects, query->project_count);
    }
    write_given(&json, "reader", query->reader);
    write_given(&json, "uploader", query->uploader);
    write_given(&json, "from", query->from_day);
    write_given(&json, "until", query->until_day);
    if (query->counted)
        tv_json_key_u64(&json, "counted", (uint64_t)*query->counted);
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* Whether the text has a zero, which may also be spelled C0 80; in JSON both are U+0000. */
static bool has_zero(struct tv_str text)
{
    for (size_t at = 0; at < text.len;) {
        if (tv_utf8_next(text, &at) == 0)
            return true;
    }
    return false;
}

/* Whether a label can be asked about alone: it has a value, and is UTF-8. The statements' JSON has
 * U+FFFD for bytes that are no character, and a value of theirs has none. */
static bool may_be_rare(const struct tv_label *label)
{
    return label->value.len && tv_row_is_text(label->key) && tv_row_is_text(label->value);
}

/* Looking at `count` traces of a label for each slice of `slice` is less than going through the
 * slice's share of all traces: count <= slice * all / count. */
static enum tv_code check_share(int64_t count, int64_t slice, tv_list_count *count_traces,
                                void *ctx, bool *is_rare, struct tv_error *err)
{
    int64_t all;
    const int64_t enough = count * count / slice;
    TV_TRY(count_traces(ctx, NULL, enough, &all, err));
    *is_rare = all >= enough;
    return TV_OK;
}

enum tv_code tv_list_query_find_rare(const struct tv_trace_query *query,
                                     tv_list_count *count_traces, void *ctx,
                                     const struct tv_label **rare, struct tv_error *err)
{
    const size_t asked = query->most < TV_STORE_LIST_MOST ? query->most : TV_STORE_LIST_MOST;
    const int64_t slice = asked > 0 ? (int64_t)asked : 1;
    const int64_t times = TV_LIST_RARE_TIMES * slice;
    const int64_t most = times > TV_LIST_RARE ? times : TV_LIST_RARE;
    const bool is_of_some = (query->owner_count || query->user.len) && !query->is_of_all;
    *rare = NULL;
    for (size_t i = 0; i < query->label_count && !is_of_some && !*rare; i++) {
        const struct tv_label *label = &query->labels[i];
        int64_t count;
        if (!may_be_rare(label))
            continue;
        TV_TRY(count_traces(ctx, label, most, &count, err));
        bool is_rare = count <= TV_LIST_RARE;
        if (!is_rare && count <= most)
            TV_TRY(check_share(count, slice, count_traces, ctx, &is_rare, err));
        if (is_rare)
            *rare = label;
    }
    return TV_OK;
}

/* Whether a word is longer than any text of a trace. */
static bool has_long_word(struct tv_str text)
{
    struct tv_str word;
    while (tv_str_split(&text, ' ', &word)) {
        if (word.len > TV_STORE_NOTE_MOST)
            return true;
    }
    return false;
}

bool tv_list_query_finds_nothing(const struct tv_trace_query *query)
{
    for (size_t i = 0; i < query->label_count; i++) {
        if (has_zero(query->labels[i].key) || has_zero(query->labels[i].value))
            return true;
    }
    return has_zero(query->text) || has_zero(query->user) || has_zero(query->uploader) ||
           has_long_word(query->text);
}

enum tv_code tv_list_query_write(const struct tv_trace_query *query, struct tv_buffer *text,
                                 struct tv_error *err)
{
    struct tv_buffer pattern;
    tv_buffer_init(&pattern, text->alloc);
    enum tv_code code = write_query(query, text, &pattern, err);
    tv_buffer_release(&pattern);
    return code;
}
