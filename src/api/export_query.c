/*
 * From the parameters of an export to what is written, and to its name; see api/export_query.h.
 *
 * Parameters that contradict each other are refused rather than ignored, since a file that is not
 * what was asked for is found out late. The name of the file is made of what was asked for: stem,
 * threads, range, table, format. Its parts are cut so that the ending always fits, and it tells no
 * name of a thread where names are redacted.
 */
#include "api/export_query.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finding.h"
#include "base/text/utf8.h"
#include "base/units.h"

/* Room for the parts of a name, so that the end of it always fits. */
#define STEM_MOST 120u
#define THREAD_MOST 48u

/* The format has no default: a file of another kind than was meant is noticed only where it is
 * opened. */
static enum tv_code take_format(const struct tv_params *params, const struct tv_export **format,
                                struct tv_error *err)
{
    struct tv_str name;
    if (!tv_params_find(params, "format", &name) || !name.len)
        return tv_params_missing("format", err);
    *format = tv_export_of_name(name);
    if (!*format)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "there is no format %.*s: the route exports lists them",
                       tv_str_shown_len(name), name.at);
    return TV_OK;
}

enum tv_code tv_query_export_part(const struct tv_params *params, const struct tv_index *index,
                                  struct tv_export_query *query, struct tv_error *err)
{
    uint64_t levels = 0;
    (void)tv_params_find(params, "keep", &query->redact.keep);
    TV_TRY(tv_params_u64(params, "depth", 0, UINT32_MAX, &levels, err));
    query->opts.levels = (uint32_t)levels;
    return tv_query_scope(params, index, &query->opts.scope, err);
}

/* `keep` without `redact` would keep nothing. It is refused, since whoever sends it believes that
 * names are taken out. */
static enum tv_code take_redaction(const struct tv_params *params, struct tv_export_query *query,
                                   struct tv_error *err)
{
    struct tv_str keep;
    bool is_redacted = false;
    TV_TRY(tv_params_truth(params, "redact", &is_redacted, err));
    if (!is_redacted && tv_params_find(params, "keep", &keep))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "keep is for redact=1");
    query->opts.redact = is_redacted ? &query->redact : NULL;
    return TV_OK;
}

/* The number of words is counted from their list, which ends with NULL, so that a new table needs
 * no second number here. */
static enum tv_code take_table(const struct tv_params *params, const struct tv_export *format,
                               enum tv_export_table *table, struct tv_error *err)
{
    unsigned word = TV_EXPORT_CALLS;
    struct tv_str name;
    size_t count = 0;
    while (tv_export_table_words[count])
        count++;
    if (tv_params_find(params, "table", &name) && !format->has_tables)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s does not hold a single table",
                       format->name);
    TV_TRY(tv_params_choice(params, "table", tv_export_table_words, count, &word, err));
    *table = (enum tv_export_table)word;
    return TV_OK;
}

/* The part of the trace is read last: it looks at threads and methods of the index, and what fails
 * without it is told sooner. */
enum tv_code tv_query_export(const struct tv_params *params, const struct tv_index *index,
                             struct tv_export_query *query, struct tv_error *err)
{
    *query = (struct tv_export_query){.format = NULL};
    TV_TRY(take_format(params, &query->format, err));
    TV_TRY(tv_params_truth(params, "gzip", &query->is_gzip, err));
    if (query->is_gzip && query->format->is_gzip)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s is packed already: leave out gzip",
                       query->format->name);
    TV_TRY(take_table(params, query->format, &query->opts.table, err));
    TV_TRY(take_redaction(params, query, err));
    return tv_query_export_part(params, index, query, err);
}

/* A name as it grows. */
struct name {
    char *at;
    size_t len;
};

static void put_plain(struct name *name, const char *text)
{
    size_t room = TV_EXPORT_NAME_CAP - 1 - name->len;
    size_t len = strlen(text);
    memcpy(name->at + name->len, text, len < room ? len : room);
    name->len += len < room ? len : room;
}

/* What every system takes in a name, and shows. */
static bool is_fit(uint32_t character)
{
    static const char refused[] = "/\\:*?\"<>|";
    if (character < ' ' || character == 0x7f || character == TV_UTF8_REPLACEMENT ||
        tv_utf8_needs_escape(character))
        return false;
    return character >= 0x80 || !strchr(refused, (int)character);
}

/* Puts the characters of any bytes, as many as `most` bytes hold. */
static void put_text(struct name *name, struct tv_str text, size_t most)
{
    size_t end = name->len + most;
    for (size_t at = 0; at < text.len;) {
        char bytes[4];
        uint32_t character = tv_utf8_next(text, &at);
        bool is_hidden = name->len == 0 && character == '.';
        unsigned len = tv_utf8_put(bytes, is_fit(character) && !is_hidden ? character : '_');
        if (name->len + len > end)
            return;
        memcpy(name->at + name->len, bytes, len);
        name->len += len;
    }
}

/* The name without an ending that says what kind of file it is: the export is of another kind. */
static struct tv_str stem_of(struct tv_str file)
{
    static const struct tv_str endings[] = {{".gz", 3}, {".zst", 4}, {".trace", 6}};
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        if (tv_str_ends_with(file, endings[i]))
            file.len -= endings[i].len;
    }
    return file.len ? file : TV_STR("trace");
}

/* Milliseconds with as many decimals as the time has. */
static void put_ms(struct name *name, uint64_t ns)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%llu.%06llu", (unsigned long long)(ns / TV_NS_PER_MS),
                       (unsigned long long)(ns % TV_NS_PER_MS));
    while (text[len - 1] == '0')
        len--;
    text[text[len - 1] == '.' ? len - 1 : len] = '\0';
    put_plain(name, text);
}

/* Where names are redacted even the only thread is counted and not named: the name of a file is
 * read by more people than the file. */
static void put_threads(struct name *name, const struct tv_selection *selection,
                        const struct tv_index *index, bool is_redacted)
{
    char count[32];
    if (!selection->threads)
        return;
    if (selection->thread_count == 1 && !is_redacted) {
        put_plain(name, "-");
        put_text(name, tv_index_thread_name(index, selection->threads[0]), THREAD_MOST);
        return;
    }
    (void)snprintf(count, sizeof(count), "-%u-thread%s", selection->thread_count,
                   selection->thread_count == 1 ? "" : "s");
    put_plain(name, count);
}

/* The order of the parts is that of a folder's list: files of one trace stand together. */
void tv_export_file_name(const struct tv_export_query *query, const struct tv_index *index,
                         char out[TV_EXPORT_NAME_CAP])
{
    const struct tv_scope *scope = &query->opts.scope;
    struct name name = {.at = out};
    const bool is_redacted = query->opts.redact != NULL;
    put_text(&name, is_redacted ? TV_STR("trace") : stem_of(query->opts.file), STEM_MOST);
    put_threads(&name, &scope->selection, index, is_redacted);
    if (scope->selection.has_range) {
        put_plain(&name, "-");
        put_ms(&name, scope->selection.from_ns);
        put_plain(&name, "-");
        put_ms(&name, scope->selection.to_ns);
        put_plain(&name, "ms");
    }
    if (scope->methods.pattern_count || scope->methods.hidden.len || query->opts.levels ||
        scope->selection.set)
        put_plain(&name, "-filtered");
    if (query->format->has_tables) {
        put_plain(&name, "-");
        put_plain(&name, tv_export_table_words[query->opts.table]);
    }
    if (is_redacted)
        put_plain(&name, "-redacted");
    put_plain(&name, query->format->suffix);
    if (query->is_gzip)
        put_plain(&name, ".gz");
    out[name.len] = '\0';
}

/* Only changes that happened are written; an export that lost nothing has an empty list. */
void tv_export_result_write(const struct tv_export_result *result, struct tv_json *json)
{
    tv_json_key(json, "changes");
    tv_json_open_array(json);
    for (unsigned i = 0; i < TV_EXPORT_CHANGE_COUNT; i++) {
        enum tv_export_change change = (enum tv_export_change)i;
        if (!result->changes[i])
            continue;
        tv_json_open_object(json);
        tv_json_key_u64(json, "count", result->changes[i]);
        tv_json_key_text(json, "severity", tv_severity_name(tv_export_change_severity(change)));
        if (tv_export_change_unit(change) == TV_EXPORT_UNIT_NS)
            tv_json_key_text(json, "unit", "ns");
        tv_json_key_text(json, "text", tv_export_change_text(change));
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
}
