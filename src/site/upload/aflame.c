/*
 * AFlame's routes; see site/upload/aflame.h. Scripts that were written for AFlame upload by a form
 * and follow the redirect; links by the MD5 of the file go on to work if the configuration says so.
 */
#include "site/upload/aflame.h"

#include <stdio.h>
#include <string.h>

#include "site/request/document_site.h"
#include "site/request/requested_trace.h"
#include "site/request/tokens.h"
#include "site/upload/body_receiver.h"
#include "site/upload/upload_row.h"

/* Scripts that knew the older service follow its redirect; a browser gets the document. */
void tv_aflame_upload(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    char token[TV_TOKEN_LEN + 1];
    struct tv_requested_trace requested;
    if (!tv_upload_row_keep(context, &requested, token, response))
        return;
    if (context->receiver->fields.wants_page) {
        struct tv_document_site page = tv_document_site_of(context);
        struct tv_document_trace trace = tv_requested_trace_page(&requested);
        tv_document_uploaded(&page, &trace, token, response);
    } else {
        tv_request_context_redirect(context, 302, response, "/trace/%s", requested.row.id.hex);
    }
    tv_http_add(response, "X-Owner-Token", token);
}

static enum tv_code find_md5(const struct tv_request_context *context, struct tv_id *id)
{
    const struct tv_store_db *db = &context->site->store->db;
    char md5[33];
    if (!context->site->config->md5_links)
        return TV_ERR_NOT_FOUND;
    memcpy(md5, context->found.parts.id.at, sizeof(md5) - 1);
    md5[sizeof(md5) - 1] = '\0';
    return db->find_md5(db->ctx, md5, context->now, id, NULL);
}

/* An id may look like an MD5 sum: if it is an id of this site, the id is meant. */
void tv_aflame_find(void *ctx, struct tv_http_response *response)
{
    struct tv_request_context *context = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_requested_trace requested;
    struct tv_id id;
    enum tv_code code = tv_requested_trace_of_path(context, &requested, &err);
    if (code == TV_OK)
        id = requested.row.id;
    else if (code == TV_ERR_NOT_FOUND)
        code = find_md5(context, &id);
    if (code == TV_OK)
        tv_request_context_redirect(context, 302, response, "/trace/%s/", id.hex);
    else if (code == TV_ERR_NOT_FOUND)
        tv_request_context_refuse(
            context, 404, "no trace has this address, or it was deleted or has expired", response);
    else
        tv_request_context_fail(context, &err, response);
}
