/*
 * The documents that belong to no one trace; see site/answer/site_documents.h.
 *
 * Each function fills what its template says (site/document) from the store. A comparison is named
 * by the ids of two traces; the form of the list names both by one word and is redirected to that
 * address, which can be sent on.
 */
#include "site/answer/site_documents.h"

#include <stdio.h>
#include <string.h>

#include "api/params.h"
#include "base/compiler.h"
#include "site/request/document_site.h"
#include "site/request/requested_trace.h"
#include "site/request/trace_list.h"
#include "store/trace_id.h"

void tv_site_start(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    tv_document_start(&page, response);
}

void tv_site_stored(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    tv_document_stored(&page, response);
}

void tv_site_static(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    if (!tv_document_static(&context->site->files, context->found.parts.name, response))
        tv_request_context_refuse(context, 404, "there is no such file", response);
}

/* Where the site has no list for everybody a user sees their own. False: the response says that
 * there is none. */
static bool choose_list(struct tv_request_context *context, enum tv_trace_list *which,
                        struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    const bool has_listed = context->site->config->list;
    if (!has_listed && !context->client.user.len) {
        tv_request_context_refuse(context, 404, "this site has no list", response);
        return false;
    }
    enum tv_code code =
        tv_trace_list_choose(context, has_listed ? TV_LISTING_LISTED : TV_LISTING_OWN, which, &err);
    if (code != TV_OK)
        tv_request_context_fail(context, &err, response);
    return code == TV_OK;
}

/* One more row than is shown was asked for (trace_list.c), which tells whether there are more
 * without counting. */
void tv_site_list(void *ctx, struct tv_http_response *response)
{
    static const char *const names[] = {
        [TV_LISTING_LISTED] = "", [TV_LISTING_OWN] = "mine", [TV_LISTING_ALL] = "all"};
    struct tv_request_context *context = ctx;
    struct tv_document_site page = tv_document_site_of(context);
    struct tv_document_trace traces[TV_LISTING_PAGE];
    struct tv_error err = {.code = TV_OK};
    struct tv_found *found;
    enum tv_trace_list which;
    if (!choose_list(context, &which, response))
        return;
    if (tv_trace_list_find(context, TV_KEPT_TRACE, which, &found, &err) != TV_OK) {
        tv_request_context_fail(context, &err, response);
        return;
    }
    for (size_t i = 0; i < found->count; i++)
        traces[i] = tv_requested_trace_page(&found->traces[i]);
    struct tv_document_list list = {.traces = traces,
                                    .count = found->count,
                                    .search = found->search,
                                    .next = tv_str_from(found->next),
                                    .is_first = found->is_first,
                                    .of = tv_str_from(names[which]),
                                    .has_listed = context->site->config->list,
                                    .has_mine = context->client.user.len > 0,
                                    .is_admin = context->client.is_admin};
    tv_document_list(&page, &list, response);
}

/* The two traces of "old=LINK&new=LINK". All mistakes get the same answer, also a form in which one
 * trace is ticked, or three. */
static enum tv_code read_pair(struct tv_request_context *context, struct tv_id ids[2],
                              struct tv_error *err)
{
    static const char *const names[] = {"old", "new", NULL};
    static const char wanted[] =
        "two traces are wanted: tick two in the list, or ask for /compare?old=LINK&new=LINK";
    struct tv_params params;
    struct tv_str value;
    enum tv_code code = tv_params_parse(&params, &context->arena, context->query, names, err);
    if (code == TV_ERR_ARGUMENT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", wanted);
    if (code != TV_OK)
        return code;
    for (size_t i = 0; i < 2; i++) {
        if (!tv_params_find(&params, names[i], &value) || !tv_trace_id_of_link(value, &ids[i]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", wanted);
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

/* Leads to the page of the new trace, which compares it with the old one. Both must be ready, so
 * that what is wrong with one of them is told here. A form has them in the order of its list: the
 * one that was stored first is the old one. */
static void compare(struct tv_request_context *context, const struct tv_id ids[2], bool is_ordered,
                    struct tv_http_response *response)
{
    struct tv_requested_trace requested[2];
    for (size_t i = 0; i < 2; i++) {
        if (!find_ready(context, &ids[i], &requested[i], response))
            return;
    }
    size_t older = !is_ordered && requested[1].row.created < requested[0].row.created ? 1 : 0;
    tv_request_context_redirect(context, 302, response, "/trace/%s/#tab=changes&against=%s",
                                ids[1 - older].hex, ids[older].hex);
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
    struct tv_id ids[2];
    if (offer_form(context, response))
        return;
    bool is_ticked = is_form(context->query, ids);
    if (!is_ticked && read_pair(context, ids, &err) != TV_OK)
        tv_request_context_fail(context, &err, response);
    else
        compare(context, ids, !is_ticked, response);
}
