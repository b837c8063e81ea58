/*
 * Lists of traces; see site/request/trace_list.h.
 *
 * A list is read TV_LISTING_PAGE traces at a time, the newest first. `next` names the last row by
 * its time and id and not by an offset, so that traces that come or go meanwhile shift nothing. One
 * more row is asked for than is shown: its presence says that there is a next slice.
 */
#include "site/request/trace_list.h"

#include <stdio.h>
#include <string.h>

#include "api/params.h"
#include "base/compiler.h"
#include "os/token.h"
#include "site/config/projects.h"
#include "site/request/admission.h"
#include "site/request/project_rights.h"
#include "site/request/tokens.h"
#include "store/trace_id.h"

static const char label_prefix[] = "label_";
static const char *const parameters[] = {"q", "from", "of", label_prefix, NULL};

/* The question to the store while it is put together from the request. */
struct looked_for {
    struct tv_trace_query query;
    struct tv_label labels[TV_STORE_LABELS_MOST];
    struct tv_hash owners[TV_LISTING_TOKENS];
    struct tv_str projects[TV_PROJECTS_MOST];
    bool is_impossible; /* no trace can be what is asked for */
};

static enum tv_code add_token(struct looked_for *wanted, struct tv_str token, struct tv_error *err)
{
    if (wanted->query.owner_count == TV_COUNT_OF(wanted->owners))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u owner tokens",
                       TV_LISTING_TOKENS);
    tv_token_hash(token, &wanted->owners[wanted->query.owner_count++]);
    return TV_OK;
}

/* Whose traces are listed: those of the token in Authorization, of the tokens in X-Owner-Token,
 * which is a list, and of the user that the proxy names. */
static enum tv_code find_owners(const struct tv_request_context *context, struct looked_for *wanted,
                                struct tv_error *err)
{
    struct tv_str bearer = tv_admission_bearer(context->request);
    struct tv_str rest = tv_http_header(context->request, "X-Owner-Token");
    struct tv_str token;
    if (bearer.at)
        TV_TRY(add_token(wanted, bearer, err));
    while (rest.at && tv_http_next_word(&rest, &token))
        TV_TRY(add_token(wanted, token, err));
    wanted->query.owners = wanted->owners;
    wanted->query.user = context->client.user;
    return TV_OK;
}

/* Appends a word to those that stand in `text`, which has room. */
static void add_word(char *text, size_t *len, struct tv_str word)
{
    if (*len)
        text[(*len)++] = ' ';
    memcpy(text + *len, word.at, word.len);
    *len += word.len;
}

/* "2026-11-22"; whether the month has that day is the store's affair. There is no year 0000. */
static bool is_day(struct tv_str text)
{
    static const char form[] = "0000-00-00";
    if (text.len != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_digit = text.at[i] >= '0' && text.at[i] <= '9';
        if (form[i] == '0' ? !is_digit : text.at[i] != form[i])
            return false;
    }
    if (tv_str_starts_with(text, TV_STR("0000")))
        return false;
    unsigned month = (unsigned)(text.at[5] - '0') * 10 + (unsigned)(text.at[6] - '0');
    unsigned day = (unsigned)(text.at[8] - '0') * 10 + (unsigned)(text.at[9] - '0');
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static void add_uploader(struct looked_for *wanted, struct tv_str name)
{
    struct tv_str *uploader = &wanted->query.uploader;
    wanted->is_impossible =
        wanted->is_impossible || (uploader->len && !tv_str_equal(*uploader, name));
    *uploader = name;
}

/* The later of two days, or the earlier one: both must hold. */
static void add_day(struct tv_str *day, struct tv_str another, bool later)
{
    if (!day->len || (tv_str_compare(another, *day) > 0) == later)
        *day = another;
}

/* Words with a meaning of their own: who uploaded, and when. False: the word is none of these. Who
 * uploaded is for those who have a name themselves. */
static bool read_filter(const struct tv_request_context *context, struct tv_str key,
                        struct tv_str value, struct looked_for *wanted)
{
    if (tv_str_equal(key, TV_STR("user")) && context->client.user.len)
        add_uploader(wanted, value);
    else if (tv_str_equal(key, TV_STR("from")) && is_day(value))
        add_day(&wanted->query.from_day, value, true);
    else if (tv_str_equal(key, TV_STR("until")) && is_day(value))
        add_day(&wanted->query.until_day, value, false);
    else
        return false;
    return true;
}

/* Takes a value in quotes from the front, in which "" is one quote; false: the text does not begin
 * with one that ends before a blank or the end. */
static enum tv_code take_quoted(struct tv_arena *arena, struct tv_str *rest, struct tv_str *value,
                                bool *is_quoted, struct tv_error *err)
{
    char *at;
    size_t len = 0, i = 1;
    *is_quoted = false;
    if (!tv_str_starts_with(*rest, TV_STR("\"")))
        return TV_OK;
    TV_TRY(tv_arena_take(arena, rest->len, &at, err));
    for (; i < rest->len; i++) {
        const bool is_quote = rest->at[i] == '"';
        if (is_quote && (i + 1 == rest->len || rest->at[i + 1] != '"'))
            break;
        i += is_quote;
        at[len++] = rest->at[i];
    }
    *is_quoted = i < rest->len && (i + 1 == rest->len || rest->at[i + 1] == ' ');
    if (!*is_quoted)
        return TV_OK;
    *value = (struct tv_str){at, len};
    *rest = (struct tv_str){rest->at + i + 1, rest->len - i - 1};
    return TV_OK;
}

static enum tv_code add_label(struct looked_for *wanted, struct tv_str key, struct tv_str value,
                              struct tv_error *err)
{
    if (wanted->query.label_count == TV_COUNT_OF(wanted->labels))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a search has at most %u labels",
                       TV_STORE_LABELS_MOST);
    wanted->labels[wanted->query.label_count++] = (struct tv_label){key, value};
    return TV_OK;
}

/* "key:value" words ask for labels, or are filters; all other words are searched for in texts. A
 * value in quotes may have blanks, and is that of a label. */
static enum tv_code read_search(struct tv_request_context *context, struct tv_str search,
                                struct looked_for *wanted, struct tv_error *err)
{
    struct tv_str rest = search;
    struct tv_str word;
    char *text;
    size_t len = 0;
    TV_TRY(tv_arena_take(&context->arena, search.len + 1, &text, err));
    for (struct tv_str before = rest; tv_str_split(&rest, ' ', &word); before = rest) {
        struct tv_str value = word;
        struct tv_str key;
        bool is_quoted = false;
        if (!word.len)
            continue;
        bool is_label =
            memchr(word.at, ':', word.len) != NULL && tv_str_split(&value, ':', &key) && key.len;
        if (is_label) {
            struct tv_str behind = {value.at, before.len - (size_t)(value.at - before.at)};
            TV_TRY(take_quoted(&context->arena, &behind, &value, &is_quoted, err));
            rest = is_quoted ? behind : rest;
        }
        if (is_label && !is_quoted && value.len && read_filter(context, key, value, wanted))
            continue;
        if (!is_label)
            add_word(text, &len, word);
        else
            TV_TRY(add_label(wanted, key, value, err));
    }
    wanted->query.text = (struct tv_str){text, len};
    wanted->query.labels = wanted->labels;
    return TV_OK;
}

/* Reads "TIME-ID", the last row of the slice before. */
static enum tv_code read_from(struct tv_str from, struct tv_trace_query *query,
                              struct tv_error *err)
{
    struct tv_str id = from;
    struct tv_str time;
    uint64_t created;
    if (!tv_str_split(&id, '-', &time) || !tv_str_to_u64(time, 10, &created) ||
        created > INT64_MAX || !tv_trace_id_read(id, &query->after_id))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "from: is what `next` of the page before says");
    query->after_created = (int64_t)created;
    return TV_OK;
}

/* Adds key:"value" to a search, as somebody would type it; the text has room. */
static void type_label(char *text, size_t *len, struct tv_str key, struct tv_str value)
{
    add_word(text, len, key);
    text[(*len)++] = ':';
    text[(*len)++] = '"';
    for (size_t i = 0; i < value.len; i++) {
        text[(*len)++] = value.at[i];
        if (value.at[i] == '"')
            text[(*len)++] = '"';
    }
    text[(*len)++] = '"';
}

/* What is looked for as one text: a label of its own parameter is as one of the search, so that a
 * page has it in its field and in its links. */
static enum tv_code join_search(const struct tv_params *params, struct tv_arena *arena,
                                struct tv_str *search, struct tv_error *err)
{
    const struct tv_str prefix = tv_str_from(label_prefix);
    size_t room = 0, len = 0;
    char *text;
    *search = TV_STR("");
    (void)tv_params_find(params, "q", search);
    for (size_t i = 0; i < params->count; i++)
        room += params->of[i].name.len + 2 * params->of[i].value.len + 4;
    TV_TRY(tv_arena_take(arena, room + 1, &text, err));
    add_word(text, &len, *search);
    for (size_t i = 0; i < params->count; i++) {
        const struct tv_param *one = &params->of[i];
        if (tv_str_starts_with(one->name, prefix))
            type_label(text, &len,
                       (struct tv_str){one->name.at + prefix.len, one->name.len - prefix.len},
                       one->value);
    }
    *search = (struct tv_str){text, len};
    return TV_OK;
}

static enum tv_code read_query(struct tv_request_context *context, struct looked_for *wanted,
                               struct tv_str *search, struct tv_error *err)
{
    struct tv_params params;
    struct tv_str from;
    TV_TRY(tv_params_parse(&params, &context->arena, context->query, parameters, err));
    TV_TRY(join_search(&params, &context->arena, search, err));
    TV_TRY(read_search(context, *search, wanted, err));
    return tv_params_find(&params, "from", &from) ? read_from(from, &wanted->query, err) : TV_OK;
}

enum tv_code tv_trace_list_choose(struct tv_request_context *context, enum tv_trace_list usual,
                                  enum tv_trace_list *which, struct tv_error *err)
{
    struct tv_params params;
    struct tv_str of = TV_STR("");
    *which = usual;
    TV_TRY(tv_params_parse(&params, &context->arena, context->query, parameters, err));
    (void)tv_params_find(&params, "of", &of);
    bool is_mine = tv_str_equal(of, TV_STR("mine")) && context->client.user.len;
    bool is_all = tv_str_equal(of, TV_STR("all")) && context->client.is_admin;
    if (of.len && !is_mine && !is_all)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "of: is mine for users, and all for administrators");
    if (of.len)
        *which = is_mine ? TV_LISTING_OWN : TV_LISTING_ALL;
    return TV_OK;
}

/* A trace that went since it was listed is left out, and one of a project that is not for the
 * client. */
static enum tv_code add_row(struct tv_request_context *context, const struct tv_trace_row *row,
                            struct tv_found *found, struct tv_error *err)
{
    struct tv_requested_trace *requested = &found->traces[found->count];
    requested->row = *row;
    requested->is_owned = tv_admission_is_owner(context, row);
    if (!requested->is_owned && !tv_project_may_read(context, row))
        return TV_OK;
    enum tv_code code = tv_requested_trace_look(context, requested, err);
    found->count += code == TV_OK;
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* Whose traces are looked for. */
static enum tv_code begin_query(struct tv_request_context *context, enum tv_kept_kind kind,
                                enum tv_trace_list which, struct looked_for *wanted,
                                struct tv_error *err)
{
    *wanted = (struct looked_for){
        .query = {.kind = kind, .now = context->now, .most = TV_LISTING_PAGE + 1}};
    if (which == TV_LISTING_OWN)
        TV_TRY(find_owners(context, wanted, err));
    else
        tv_project_narrow(context, wanted->projects, &wanted->query);
    wanted->query.is_of_all = which == TV_LISTING_ALL;
    return TV_OK;
}

/* The next rows begin behind the last row by time and id, so traces that come meanwhile shift
 * nothing. */
static enum tv_code find_rows(struct tv_request_context *context, const struct looked_for *wanted,
                              struct tv_found **found, struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    struct tv_trace_row *rows;
    size_t count;
    (*found)->is_first = !wanted->query.after_id.hex[0];
    if (wanted->is_impossible)
        return TV_OK;
    TV_TRY(tv_arena_take(&context->arena, (TV_LISTING_PAGE + 1) * sizeof(*rows), &rows, err));
    TV_TRY(db->list_traces(db->ctx, &wanted->query, &context->arena, rows, &count, err));
    size_t shown = count < TV_LISTING_PAGE ? count : TV_LISTING_PAGE;
    for (size_t i = 0; i < shown; i++)
        TV_TRY(add_row(context, &rows[i], *found, err));
    if (count > shown)
        (void)snprintf((*found)->next, sizeof((*found)->next), "%lld-%s",
                       (long long)rows[shown - 1].created, rows[shown - 1].id.hex);
    return TV_OK;
}

enum tv_code tv_trace_list_find(struct tv_request_context *context, enum tv_kept_kind kind,
                                enum tv_trace_list which, struct tv_found **found,
                                struct tv_error *err)
{
    struct looked_for wanted;
    TV_TRY(tv_arena_take(&context->arena, sizeof(**found), found, err));
    TV_TRY(begin_query(context, kind, which, &wanted, err));
    TV_TRY(read_query(context, &wanted, &(*found)->search, err));
    return find_rows(context, &wanted, found, err);
}

enum tv_code tv_trace_list_search(struct tv_request_context *context, struct tv_str search,
                                  enum tv_trace_list which, struct tv_found **found,
                                  struct tv_error *err)
{
    struct looked_for wanted;
    TV_TRY(tv_arena_take(&context->arena, sizeof(**found), found, err));
    (*found)->search = search;
    TV_TRY(begin_query(context, TV_KEPT_TRACE, which, &wanted, err));
    TV_TRY(read_search(context, search, &wanted, err));
    return find_rows(context, &wanted, found, err);
}

/* `next` is what a program appends to its request for the next rows; null is the end. */
static void write_found(const struct tv_request_context *context, enum tv_kept_kind kind,
                        const struct tv_found *found, struct tv_json *json)
{
    tv_json_open_object(json);
    tv_json_key(json, kind == TV_KEPT_MAPPING ? "mappings" : "traces");
    tv_json_open_array(json);
    for (size_t i = 0; i < found->count; i++) {
        tv_json_open_object(json);
        tv_requested_trace_write(context, &found->traces[i], json);
        tv_json_close_object(json);
    }
    tv_json_close_array(json);
    tv_json_key(json, "next");
    if (found->next[0])
        tv_json_text(json, found->next);
    else
        tv_json_null(json);
    tv_json_close_object(json);
}

void tv_trace_list_send(struct tv_request_context *context, enum tv_kept_kind kind,
                        enum tv_trace_list usual, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    enum tv_trace_list which;
    struct tv_found *found;
    struct tv_json json;
    enum tv_code code = tv_trace_list_choose(context, usual, &which, &err);
    if (code == TV_OK)
        code = tv_trace_list_find(context, kind, which, &found, &err);
    if (code != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    tv_json_init(&json, tv_buffer_sink(&response->owned));
    write_found(context, kind, found, &json);
    tv_request_context_send_json(context, &json, 200, response);
}
