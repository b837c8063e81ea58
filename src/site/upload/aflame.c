/*
 * AFlame's routes; see site/upload/aflame.h. Scripts that were written for AFlame upload by a form
 * and follow the redirect; links by the MD5 of the file go on to work if the configuration says so.
 */
#include "site/upload/aflame.h"

#include <stdio.h>
#include <string.h>

#include "site/config/projects.h"
#include "site/request/admission.h"
#include "site/request/document_site.h"
#include "site/request/project_rights.h"
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

/* Of the traces with these bytes one that the client may see: others it does not learn of. */
static enum tv_code find_md5(const struct tv_request_context *context, struct tv_id *id,
                             struct tv_error *err)
{
    const struct tv_store_db *db = &context->site->store->db;
    const struct tv_str token = tv_admission_bearer(context->request);
    struct tv_trace_query query = {.now = context->now};
    struct tv_str projects[TV_PROJECTS_MOST];
    struct tv_hash owner;
    char md5[33];
    if (!context->site->config->md5_links)
        return tv_requested_trace_none(err);
    memcpy(md5, context->found.parts.id.at, sizeof(md5) - 1);
    md5[sizeof(md5) - 1] = '\0';
    tv_project_narrow(context, projects, &query);
    if (token.at) {
        tv_token_hash(token, &owner);
        query.owners = &owner;
        query.owner_count = 1;
    }
    enum tv_code code = db->find_md5(db->ctx, &query, md5, id, err);
    return code == TV_ERR_NOT_FOUND ? tv_requested_trace_none(err) : code;
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
        code = find_md5(context, &id, &err);
    if (code == TV_OK)
        tv_request_context_redirect(context, 302, response, "/trace/%s/", id.hex);
    else
        tv_request_context_fail(context, &err, response);
}
