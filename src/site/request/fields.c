/*
 * Fields of forms and queries; see site/request/fields.h.
 *
 * Whatever the uploader says about a trace passes here, whether it came in a query, a form or a
 * part: each name has one reader, which checks and copies into the request's arena. Texts are shown
 * on pages, in headers and in logs, so they are cleaned once, when they come in.
 */
#include "site/request/fields.h"

#include <string.h>

#include "api/params.h"
#include "base/text/utf8.h"
#include "site/config/units.h"

void tv_fields_init(struct tv_fields *fields, struct tv_arena *arena)
{
    *fields = (struct tv_fields){.arena = arena};
}

static enum tv_code refuse(struct tv_error *err, const char *name, const char *wanted)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: %s", name, wanted);
}

enum lines { ONE_LINE, MANY_LINES };

/* Whether a character may stand in a text that documents, headers and logs show. */
static bool is_shown(uint32_t character, enum lines lines)
{
    if (lines == MANY_LINES && (character == '\n' || character == '\t'))
        return true;
    return !tv_utf8_needs_escape(character);
}

/* Copies the characters of a text that can be shown, at most `most` bytes and whole characters
 * only. Bytes that are no UTF-8 become U+FFFD. */
static enum tv_code copy_shown(const struct tv_fields *fields, struct tv_str text, size_t most,
                               enum lines lines, struct tv_str *out, struct tv_error *err)
{
    char *copy;
    size_t len = 0;
    TV_TRY(tv_arena_take(fields->arena, most + 1, &copy, err));
    for (size_t at = 0; at < text.len;) {
        char bytes[4];
        uint32_t character = tv_utf8_next(text, &at);
        if (!is_shown(character, lines))
            continue;
        unsigned count = tv_utf8_put(bytes, character);
        if (count > most - len)
            break;
        memcpy(copy + len, bytes, count);
        len += count;
    }
    *out = (struct tv_str){copy, len};
    return TV_OK;
}

/* A text that is too long is refused and not cut, since the uploader would not see that its end is
 * missing. */
static enum tv_code take_text(const struct tv_fields *fields, const char *name, struct tv_str value,
                              size_t most, enum lines lines, struct tv_str *out,
                              struct tv_error *err)
{
    if (value.len > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: longer than %zu bytes", name, most);
    struct tv_str copy;
    /* U+FFFD is longer than the byte in whose place it stands. */
    TV_TRY(copy_shown(fields, value, 3 * most, lines, &copy, err));
    if (copy.len > most)
        return refuse(err, name, "not UTF-8");
    *out = copy;
    return TV_OK;
}

/* The part behind the last slash or backslash: a browser on Windows may send the whole path. */
static struct tv_str last_part(struct tv_str path)
{
    size_t start = path.len;
    while (start && path.at[start - 1] != '/' && path.at[start - 1] != '\\')
        start--;
    return (struct tv_str){path.at + start, path.len - start};
}

enum tv_code tv_fields_take_file_name(struct tv_fields *fields, struct tv_str name,
                                      struct tv_error *err)
{
    struct tv_str file;
    if (fields->file.at)
        return TV_OK;
    TV_TRY(copy_shown(fields, last_part(name), TV_STORE_NAME_MOST, ONE_LINE, &file, err));
    bool is_folder = tv_str_equal(file, TV_STR(".")) || tv_str_equal(file, TV_STR(".."));
    fields->file = file.len && !is_folder ? file : TV_STR("unnamed.trace");
    return TV_OK;
}

static bool is_key(struct tv_str key)
{
    static const char requested[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
    for (size_t i = 0; i < key.len; i++) {
        if (!key.at[i] || !strchr(requested, key.at[i]))
            return false;
    }
    return key.len && key.len <= TV_STORE_LABEL_KEY_MOST;
}

/* Keys are words, because they become part of addresses and of the database's index. */
static enum tv_code take_label(struct tv_fields *fields, struct tv_str key, struct tv_str value,
                               struct tv_error *err)
{
    struct tv_label label;
    if (!is_key(key))
        return refuse(err, "label_KEY", "the key is a word of a-z, 0-9, _ . and -");
    for (size_t i = 0; i < fields->label_count; i++) {
        if (tv_str_equal(fields->labels[i].key, key))
            return refuse(err, "label_KEY", "given twice with one key");
    }
    if (fields->label_count == TV_COUNT_OF(fields->labels))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "label_KEY: more than %u labels",
                       TV_STORE_LABELS_MOST);
    TV_TRY(take_text(fields, "label_KEY", key, TV_STORE_LABEL_KEY_MOST, ONE_LINE, &label.key, err));
    TV_TRY(take_text(fields, "label_KEY", value, TV_STORE_LABEL_VALUE_MOST, ONE_LINE, &label.value,
                     err));
    fields->labels[fields->label_count++] = label;
    return TV_OK;
}

static enum tv_code take_truth(const char *name, struct tv_str value, bool *has, bool *truth,
                               struct tv_error *err)
{
    *truth = tv_str_equal(value, TV_STR("1"));
    if (!*truth && !tv_str_equal(value, TV_STR("0")))
        return refuse(err, name, "is 0 or 1");
    *has = true;
    return TV_OK;
}

static enum tv_code take_rows(struct tv_fields *fields, struct tv_str value, struct tv_error *err)
{
    bool counts;
    if (!value.len) /* a form's choice that was left as it is */
        return TV_OK;
    TV_TRY(take_truth("rows", value, &fields->has_rows, &counts, err));
    fields->counting = counts ? TV_COUNTING_YES : TV_COUNTING_NO;
    return TV_OK;
}

static enum tv_code take_expires(struct tv_fields *fields, struct tv_str value,
                                 struct tv_error *err)
{
    if (!value.len) /* a form's choice that was left as it is */
        return TV_OK;
    if (!tv_duration_parse(value, &fields->expires_in_s) || !fields->expires_in_s)
        return refuse(err, "expires", "is never, or a number with h, d or w, such as 30d");
    fields->has_expires = true;
    return TV_OK;
}

/* One of two words; *is_second says which. */
static enum tv_code take_word(const char *name, struct tv_str value, const char *const words[2],
                              bool *is_second, struct tv_error *err)
{
    *is_second = tv_str_equal(value, tv_str_from(words[1]));
    if (*is_second || tv_str_equal(value, tv_str_from(words[0])))
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s: is %s or %s", name, words[0], words[1]);
}

/* What concerns mappings of names. TV_ERR_NOT_FOUND: no field of these has that name. */
static enum tv_code take_about_names(struct tv_fields *fields, struct tv_str name,
                                     struct tv_str value, struct tv_error *err)
{
    static const char *const kinds[] = {"trace", "mapping"};
    static const char *const names[] = {"mapping", "file"};
    if (tv_str_equal(name, TV_STR("kind")))
        return take_word("kind", value, kinds, &fields->is_mapping, err);
    if (tv_str_equal(name, TV_STR("for_all")))
        return take_truth("for_all", value, &fields->has_for_all, &fields->is_for_all, err);
    if (!tv_str_equal(name, TV_STR("names")))
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "unknown field \"%.*s\"",
                       tv_str_shown_len(name), name.at);
    fields->has_names = true;
    return take_word("names", value, names, &fields->keeps_names, err);
}

static enum tv_code take_file(struct tv_fields *fields, struct tv_str value, struct tv_error *err)
{
    fields->file = (struct tv_str){NULL, 0};
    return tv_fields_take_file_name(fields, value, err);
}

static enum tv_code take_bytes(struct tv_fields *fields, struct tv_str value, struct tv_error *err)
{
    fields->has_bytes = tv_str_to_u64(value, 10, &fields->bytes);
    return fields->has_bytes ? TV_OK : refuse(err, "bytes", "is a whole number");
}

/* A secret is compared as it is and never shown, so it is not cleaned. */
static enum tv_code take_secret(struct tv_fields *fields, struct tv_str value, struct tv_str *out,
                                struct tv_error *err)
{
    return tv_arena_keep(fields->arena, value, out, err);
}

/* One list of fields for forms, queries and changes; who calls decides which of them it allows. */
enum tv_code tv_fields_take(struct tv_fields *fields, struct tv_str name, struct tv_str value,
                            struct tv_error *err)
{
    static const struct tv_str label = {"label_", 6};
    bool has_page;
    if (!value.at)
        value = TV_STR("");
    if (tv_str_equal(name, TV_STR("name")))
        return take_file(fields, value, err);
    if (tv_str_equal(name, TV_STR("title")))
        return take_text(fields, "title", value, TV_STORE_TITLE_MOST, ONE_LINE, &fields->title,
                         err);
    if (tv_str_equal(name, TV_STR("note")))
        return take_text(fields, "note", value, TV_STORE_NOTE_MOST, MANY_LINES, &fields->note, err);
    if (tv_str_starts_with(name, label))
        return take_label(fields, (struct tv_str){name.at + label.len, name.len - label.len}, value,
                          err);
    if (tv_str_equal(name, TV_STR("expires")))
        return take_expires(fields, value, err);
    if (tv_str_equal(name, TV_STR("raw_shared")))
        return take_truth("raw_shared", value, &fields->has_raw_shared, &fields->is_raw_shared,
                          err);
    if (tv_str_equal(name, TV_STR("listed")))
        return take_truth("listed", value, &fields->has_listed, &fields->is_listed, err);
    if (tv_str_equal(name, TV_STR("rows")))
        return take_rows(fields, value, err);
    if (tv_str_equal(name, TV_STR("page")))
        return take_truth("page", value, &has_page, &fields->wants_page, err);
    if (tv_str_equal(name, TV_STR("bytes")))
        return take_bytes(fields, value, err);
    if (tv_str_equal(name, TV_STR("secret")))
        return take_secret(fields, value, &fields->secret, err);
    if (tv_str_equal(name, TV_STR("owner_token")))
        return take_secret(fields, value, &fields->owner_token, err);
    if (tv_str_equal(name, TV_STR("action")))
        return take_text(fields, "action", value, TV_STORE_TITLE_MOST, ONE_LINE, &fields->action,
                         err);
    return take_about_names(fields, name, value, err);
}

/* In a query an unknown name is a misspelt one; in a form it may be the name of a button. */
enum tv_code tv_fields_take_query(struct tv_fields *fields, struct tv_str query,
                                  struct tv_error *err)
{
    struct tv_params params;
    TV_TRY(tv_params_parse(&params, fields->arena, query, NULL, err));
    for (size_t i = 0; i < params.count; i++) {
        enum tv_code code = tv_fields_take(fields, params.of[i].name, params.of[i].value, err);
        if (code == TV_ERR_NOT_FOUND)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "unknown parameter \"%.*s\"",
                           tv_str_shown_len(params.of[i].name), params.of[i].name.at);
        if (code != TV_OK)
            return code;
    }
    return TV_OK;
}

/* The wanted life, within the site's longest. 0: the trace does not expire. */
int64_t tv_fields_expiry(const struct tv_fields *fields, uint64_t usual_s, uint64_t most_s,
                         int64_t now)
{
    uint64_t wanted_s = fields->has_expires ? fields->expires_in_s : usual_s;
    uint64_t life_s = wanted_s < most_s ? wanted_s : most_s;
    return life_s > TV_LONGEST_S ? 0 : now + (int64_t)life_s;
}
