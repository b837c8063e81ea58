/*
 * The documents that belong to no one trace; see site/answer/site_documents.h.
 *
 * Each function fills what its template says (site/document) from the store. Comparisons are in
 * compare.c.
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
