/* AFlame's routes; see site/upload/aflame.h. */
#include "site/upload/aflame.h"

#include <stdio.h>
#include <string.h>

#include "site/request/known.h"
#include "site/request/page_site.h"
#include "site/request/tokens.h"
#include "site/upload/adding.h"
#include "site/upload/taking.h"

void tv_aflame_upload(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    char token[TV_TOKEN_LEN + 1];
    struct tv_known known;
    if (!tv_adding_keep(asked, &known, token, response))
        return;
    if (asked->taking->fields.wants_page) {
        struct tv_page_site page = tv_page_site_of(asked);
        struct tv_page_trace trace = tv_known_page(&known);
        tv_pages_uploaded(&page, &trace, token, response);
    } else {
        tv_asked_redirect(asked, 302, response, "/trace/%s", known.row.id.hex);
    }
    tv_http_add(response, "X-Owner-Token", token);
}

static enum tv_code find_md5(const struct tv_asked *asked, struct tv_id *id)
{
    const struct tv_store_db *db = &asked->site->store->db;
    char md5[33];
    if (!asked->site->config->md5_links)
        return TV_ERR_NOT_FOUND;
    memcpy(md5, asked->found.parts.id.at, sizeof(md5) - 1);
    md5[sizeof(md5) - 1] = '\0';
    return db->find_md5(db->ctx, md5, asked->now, id, NULL);
}

/* An id may look like a checksum; where it is one of ours, it is the id that is meant. */
void tv_aflame_find(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_known known;
    struct tv_id id;
    enum tv_code code = tv_known_of_path(asked, &known, &err);
    if (code == TV_OK)
        id = known.row.id;
    else if (code == TV_ERR_NOT_FOUND)
        code = find_md5(asked, &id);
    if (code == TV_OK)
        tv_asked_redirect(asked, 302, response, "/trace/%s/", id.hex);
    else if (code == TV_ERR_NOT_FOUND)
        tv_asked_refuse(asked, 404, "no trace has this address, or it was deleted or has expired",
                        response);
    else
        tv_asked_fail(asked, &err, response);
}
