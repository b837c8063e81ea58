/*
 * Limits of rows; see store/row_check.h.
 *
 * Every text that goes into the database passes here, so that what a reader of it may assume does
 * not depend on the client: valid UTF-8 without U+0000, bounded lengths, hashes in small
 * hexadecimal digits, labels with keys that differ.
 */
#include "store/row_check.h"

#include <string.h>

#include "base/utf8_check.h"

/* U+0000 is UTF-8, but PostgreSQL refuses it in texts. */
bool tv_row_is_text(struct tv_str text)
{
    const uint8_t *bytes = (const uint8_t *)text.at;
    size_t len = 1;
    for (size_t at = 0; at < text.len && len > 0; at += len)
        len = bytes[at] ? tv_utf8_check(bytes + at, text.len - at) : 0;
    return len > 0;
}

/* `what` names the field for whoever sent it. An empty text is fine everywhere. */
static enum tv_code check_text(struct tv_str text, size_t most, const char *what,
                               struct tv_error *err)
{
    if (text.len > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the %s has %zu bytes, and may have %zu",
                       what, text.len, most);
    return tv_row_is_text(text)
               ? TV_OK
               : tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the %s is not UTF-8", what);
}

static enum tv_code check_digits(const char *digits, size_t len, const char *what,
                                 struct tv_error *err)
{
    if (strspn(digits, "0123456789abcdef") == len && digits[len] == '\0')
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the %s is not %zu hexadecimal digits", what,
                   len);
}

/* Each pair of labels is compared; there are at most TV_STORE_LABELS_MOST. */
static enum tv_code check_labels(const struct tv_label *labels, size_t count, struct tv_error *err)
{
    if (count > TV_STORE_LABELS_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%zu labels, and there may be %u", count,
                       TV_STORE_LABELS_MOST);
    for (size_t i = 0; i < count; i++) {
        TV_TRY(check_text(labels[i].key, TV_STORE_LABEL_KEY_MOST, "key of a label", err));
        TV_TRY(check_text(labels[i].value, TV_STORE_LABEL_VALUE_MOST, "value of a label", err));
        if (labels[i].key.len == 0)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a label has no key");
        for (size_t other = 0; other < i; other++)
            if (tv_str_equal(labels[other].key, labels[i].key))
                return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the label %.*s stands twice",
                               tv_str_shown_len(labels[i].key), labels[i].key.at);
    }
    return TV_OK;
}

enum tv_code tv_row_check_hash(const struct tv_hash *hash, struct tv_error *err)
{
    return check_digits(hash->hex, sizeof(hash->hex) - 1, "name of a file", err);
}

enum tv_code tv_row_check_map_id(struct tv_str id, struct tv_error *err)
{
    return check_text(id, TV_STORE_MAP_ID_MOST, "id of a mapping", err);
}

/* An upload in progress has no hash of its file yet, so an empty one passes. */
enum tv_code tv_row_check_trace(const struct tv_trace_row *row, struct tv_error *err)
{
    TV_TRY(check_digits(row->id.hex, sizeof(row->id.hex) - 1, "id", err));
    if (row->raw.hex[0])
        TV_TRY(tv_row_check_hash(&row->raw, err));
    TV_TRY(check_text(row->file_name, TV_STORE_NAME_MOST, "file name", err));
    TV_TRY(check_text(row->user, TV_STORE_NAME_MOST, "user's name", err));
    TV_TRY(check_text(row->title, TV_STORE_TITLE_MOST, "title", err));
    TV_TRY(check_text(row->note, TV_STORE_NOTE_MOST, "note", err));
    TV_TRY(tv_row_check_map_id(row->map_id, err));
    TV_TRY(tv_row_check_map_id(row->map_hash, err));
    return check_labels(row->labels, row->label_count, err);
}

enum tv_code tv_row_check_change(const struct tv_trace_change *change, struct tv_error *err)
{
    if (change->title)
        TV_TRY(check_text(*change->title, TV_STORE_TITLE_MOST, "title", err));
    if (change->note)
        TV_TRY(check_text(*change->note, TV_STORE_NOTE_MOST, "note", err));
    if (change->user)
        TV_TRY(check_text(*change->user, TV_STORE_NAME_MOST, "user's name", err));
    if (change->owner && change->owner->hex[0])
        TV_TRY(tv_row_check_hash(change->owner, err));
    return change->labels ? check_labels(change->labels, change->label_count, err) : TV_OK;
}

enum tv_code tv_row_check_program_token(const struct tv_program_token *token, struct tv_error *err)
{
    TV_TRY(check_digits(token->id.hex, sizeof(token->id.hex) - 1, "id", err));
    TV_TRY(tv_row_check_hash(&token->hash, err));
    TV_TRY(check_text(token->user, TV_STORE_NAME_MOST, "user's name", err));
    TV_TRY(check_text(token->name, TV_STORE_TITLE_MOST, "name of the token", err));
    if (!token->user.len || !token->scopes || token->scopes > TV_SCOPE_ALL)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "a token is of a user, and for something");
    return TV_OK;
}

enum tv_code tv_row_check_delivery(const struct tv_delivery *delivery, struct tv_error *err)
{
    TV_TRY(check_digits(delivery->id.hex, sizeof(delivery->id.hex) - 1, "id", err));
    TV_TRY(check_text(delivery->app, TV_STORE_LABEL_VALUE_MOST, "name of the app", err));
    TV_TRY(check_text(delivery->build, TV_STORE_LABEL_VALUE_MOST, "name of the build", err));
    return check_text(delivery->body, TV_STORE_DELIVERY_MOST, "body", err);
}

const char *const tv_delivery_words[TV_DELIVERY_STATES] = {[TV_DELIVERY_WAITING] = "waiting",
                                                           [TV_DELIVERY_DONE] = "delivered",
                                                           [TV_DELIVERY_GIVEN_UP] = "given_up"};

struct tv_str tv_row_cut_reason(struct tv_str reason)
{
    if (reason.len > TV_STORE_REASON_MOST)
        reason.len = TV_STORE_REASON_MOST;
    while (!tv_row_is_text(reason))
        reason.len--;
    return reason;
}

enum tv_code tv_row_check_job(const struct tv_hash *raw, const char *build, const char *worker,
                              struct tv_error *err)
{
    TV_TRY(tv_row_check_hash(raw, err));
    TV_TRY(check_text(tv_str_from(build), TV_STORE_BUILD_MOST, "build", err));
    return check_text(tv_str_from(worker), TV_STORE_WORKER_MOST, "name of the worker", err);
}
