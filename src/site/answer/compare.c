/*
 * /compare: leads to the page of a new trace, which compares it with an old one, or with several
 * runs of each side. A side is a link, several with commas between, or what finds traces in the
 * list, "build:417".
 *
 * All traces must be ready, so that what is wrong with one of them is told here.
 */
#include <string.h>

#include "api/diff_query.h"
#include "api/params.h"
#include "site/answer/site_documents.h"
#include "site/request/document_site.h"
#include "site/request/requested_trace.h"
#include "site/request/trace_list.h"
#include "store/trace_id.h"

/* The traces of both sides, the old ones first. */
struct compared_sides {
    struct tv_id ids[TV_DIFF_TRACES_MOST];
    size_t counts[TV_SIDE_COUNT];
};

static size_t count_of(const struct compared_sides *sides)
{
    return sides->counts[TV_SIDE_OLD] + sides->counts[TV_SIDE_NEW];
}

/* All mistakes get the same answer, also a form in which one trace is ticked, or three. */
static enum tv_code refuse(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "two traces are wanted: tick two in the list, or ask for "
                   "/compare?old=LINK&new=LINK; a side may be several links with commas between, "
                   "or a label, build:417");
}

static enum tv_code add_id(struct compared_sides *sides, enum tv_side side, const struct tv_id *id,
                           struct tv_error *err)
{
    const size_t count = count_of(sides);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sides->ids[i].hex, id->hex) == 0)
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "trace %s stands twice, and is one run", id->hex);
    }
    if (count == TV_DIFF_TRACES_MOST)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u traces",
                       TV_DIFF_TRACES_MOST);
    sides->ids[count] = *id;
    sides->counts[side]++;
    return TV_OK;
}

static bool are_links(struct tv_str list)
{
    struct tv_id id;
    struct tv_str link;
    while (tv_str_split(&list, ',', &link)) {
        if (!tv_trace_id_of_link(link, &id))
            return false;
    }
    return true;
}

/* Adds what a search finds, the oldest first, as runs are in the order of time. */
static enum tv_code add_found(struct tv_request_context *context, struct compared_sides *sides,
                              enum tv_side side, struct tv_str search, struct tv_error *err)
{
    const bool has_listed = context->site->config->list;
    struct tv_found *found;
    if (!has_listed && !context->client.user.len)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "this site has no list, so traces are named by their links alone");
    TV_TRY(tv_trace_list_search(context, search, has_listed ? TV_LISTING_LISTED : TV_LISTING_OWN,
                                &found, err));
    if (!found->count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the list has no trace with %.*s",
                       tv_str_shown_len(search), search.at);
    if (found->next[0])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%.*s are more than %u traces",
                       tv_str_shown_len(search), search.at, TV_DIFF_TRACES_MOST);
    for (size_t i = found->count; i-- > 0;)
        TV_TRY(add_id(sides, side, &found->traces[i].row.id, err));
    return TV_OK;
}

static enum tv_code read_sides(struct tv_request_context *context, struct compared_sides *sides,
                               struct tv_error *err)
{
    static const char *const names[] = {"old", "new", NULL};
    struct tv_params params;
    enum tv_code code = tv_params_parse(&params, &context->arena, context->query, names, err);
    if (code != TV_OK)
        return code == TV_ERR_ARGUMENT ? refuse(err) : code;
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        struct tv_str list;
        struct tv_str link;
        struct tv_id id;
        if (!tv_params_find(&params, names[side], &list) || !list.len)
            return refuse(err);
        if (!are_links(list)) {
            if (!memchr(list.at, ':', list.len) || memchr(list.at, '/', list.len))
                return refuse(err);
            TV_TRY(add_found(context, sides, (enum tv_side)side, list, err));
            continue;
        }
        while (tv_str_split(&list, ',', &link)) {
            if (tv_trace_id_of_link(link, &id))
                TV_TRY(add_id(sides, (enum tv_side)side, &id, err));
        }
    }
    return TV_OK;
}

/* Whether the query comes from the form of a list, "trace=ID&trace=ID": boxes of a form all have
 * one name. */
static bool is_form(struct tv_str query, struct tv_id ids[2])
{
    static const struct tv_str key = {"trace=", 6};
    struct tv_str part;
    size_t count = 0;
    while (tv_str_split(&query, '&', &part)) {
        if (count == 2 || !tv_str_starts_with(part, key))
            return false;
        if (!tv_trace_id_of_link((struct tv_str){part.at + key.len, part.len - key.len},
                                 &ids[count++]))
            return false;
    }
    return count == 2;
}

/* Finds a trace whose index is ready; false: the response says why not. */
static bool find_ready(struct tv_request_context *context, const struct tv_id *id,
                       struct tv_requested_trace *requested, struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    if (tv_requested_trace_get(context, id, requested, &err) == TV_OK)
        return tv_requested_trace_is_ready(context, requested, response);
    tv_request_context_fail(context, &err, response);
    return false;
}

/* "2,3~1,5" (web/src/model/changes/runs.ts). */
static void write_runs(const struct compared_sides *sides, char *text)
{
    size_t len = 0;
    for (size_t i = 0; i < count_of(sides); i++) {
        if (i)
            text[len++] = i == sides->counts[TV_SIDE_OLD] ? '~' : ',';
        memcpy(text + len, sides->ids[i].hex, sizeof(sides->ids[i].hex));
        len += sizeof(sides->ids[i].hex) - 1;
    }
}

/* A form has the two traces in the order of its list: the old one is that which stands below, also
 * of two that came in one second. */
static void lead(struct tv_request_context *context, const struct compared_sides *sides,
                 bool is_ordered, struct tv_http_response *response)
{
    char runs[TV_DIFF_TRACES_MOST * sizeof(struct tv_id)];
    int64_t created[TV_DIFF_TRACES_MOST] = {0};
    for (size_t i = 0; i < count_of(sides); i++) {
        struct tv_requested_trace requested;
        if (!find_ready(context, &sides->ids[i], &requested, response))
            return;
        created[i] = requested.row.created;
    }
    if (count_of(sides) > TV_SIDE_COUNT) {
        write_runs(sides, runs);
        tv_request_context_redirect(context, 302, response, "/trace/%s/#tab=changes&runs=%s",
                                    sides->ids[sides->counts[TV_SIDE_OLD]].hex, runs);
        return;
    }
    const bool is_second_older =
        created[1] < created[0] ||
        (created[1] == created[0] && strcmp(sides->ids[1].hex, sides->ids[0].hex) < 0);
    const size_t older = !is_ordered && is_second_older ? 1 : 0;
    tv_request_context_redirect(context, 302, response, "/trace/%s/#tab=changes&against=%s",
                                sides->ids[1 - older].hex, sides->ids[older].hex);
}

/* Sends the form that asks for two links where a browser has named one, or none. */
static bool offer_form(struct tv_request_context *context, struct tv_http_response *response)
{
    static const char *const names[] = {"old", NULL};
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_params params;
    struct tv_str first = TV_STR("");
    struct tv_id id;
    if (!tv_request_context_wants_page(context) ||
        tv_params_parse(&params, &context->arena, context->query, names, NULL) != TV_OK)
        return false;
    if (tv_params_find(&params, "old", &first) && first.len && !tv_trace_id_of_link(first, &id))
        return false;
    tv_document_compare(&page, first.len ? id.hex : "", response);
    return true;
}

/* The form of the list names traces by ticks; a link names them by their ids. */
void tv_site_compare(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct compared_sides sides = {.counts = {1, 1}};
    if (offer_form(context, response))
        return;
    const bool is_ticked = is_form(context->query, sides.ids);
    if (!is_ticked) {
        sides.counts[TV_SIDE_OLD] = sides.counts[TV_SIDE_NEW] = 0;
        if (read_sides(context, &sides, &err) != TV_OK) {
            tv_request_context_fail(context, &err, response);
            return;
        }
    }
    lead(context, &sides, !is_ticked, response);
}
