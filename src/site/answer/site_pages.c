/* The pages that are of no one trace; see site/answer/site_pages.h. */
#include "site/answer/site_pages.h"

#include <stdio.h>
#include <string.h>

#include "api/params.h"
#include "base/compiler.h"
#include "os/token.h"
#include "site/request/known.h"
#include "site/request/listing.h"
#include "site/request/page_site.h"
#include "site/stored/compare.h"

void tv_site_start(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    tv_pages_start(&page, response);
}

void tv_site_stored(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    tv_pages_stored(&page, response);
}

void tv_site_static(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    if (!tv_pages_static(&asked->site->files, asked->found.parts.name, response))
        tv_asked_refuse(asked, 404, "there is no such file", response);
}

void tv_site_list(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_page_site page = tv_page_site_of(asked);
    struct tv_page_trace traces[TV_LISTING_PAGE];
    struct tv_error err = {.code = TV_OK};
    struct tv_found *found;
    if (!asked->site->config->list) {
        tv_asked_refuse(asked, 404, "this site has no list", response);
        return;
    }
    if (tv_listing_find(asked, TV_LISTING_LISTED, &found, &err) != TV_OK) {
        tv_asked_fail(asked, &err, response);
        return;
    }
    for (size_t i = 0; i < found->count; i++)
        traces[i] = tv_known_page(&found->traces[i]);
    struct tv_page_list list = {.traces = traces,
                                .count = found->count,
                                .search = found->search,
                                .next = tv_str_from(found->next),
                                .is_first = found->is_first};
    tv_pages_list(&page, &list, response);
}

static bool read_id(struct tv_str text, struct tv_id *id)
{
    if (!tv_token_is(text))
        return false;
    memcpy(id->hex, text.at, text.len);
    id->hex[text.len] = '\0';
    return true;
}

/* The two ids of "a=ID&b=ID". A form in which one trace is ticked, or three, is told the same. */
static enum tv_code read_pair(struct tv_asked *asked, struct tv_id ids[2], struct tv_error *err)
{
    static const char *const names[] = {"a", "b", NULL};
    static const char wanted[] =
        "two traces are wanted: tick two in the list, or ask for /compare?a=ID&b=ID";
    struct tv_params params;
    struct tv_str value;
    enum tv_code code = tv_params_parse(&params, &asked->arena, asked->query, names, err);
    if (code == TV_ERR_ARGUMENT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", wanted);
    if (code != TV_OK)
        return code;
    for (size_t i = 0; i < 2; i++) {
        if (!tv_params_find(&params, names[i], &value) || !read_id(value, &ids[i]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s", wanted);
    }
    return TV_OK;
}

/* A form of a list names both by one word, since boxes that are ticked cannot be told apart:
 * "trace=ID&trace=ID". */
static bool is_form(struct tv_str query, struct tv_id ids[2])
{
    static const struct tv_str key = {"trace=", 6};
    struct tv_str part;
    size_t count = 0;
    while (tv_str_split(&query, '&', &part)) {
        if (count == 2 || !tv_str_starts_with(part, key))
            return false;
        if (!read_id((struct tv_str){part.at + key.len, part.len - key.len}, &ids[count++]))
            return false;
    }
    return count == 2;
}

/* A trace whose index is ready. */
static bool find_ready(struct tv_asked *asked, const struct tv_id *id, struct tv_known *known,
                       struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    if (tv_known_get(asked, id, known, &err) == TV_OK)
        return tv_known_is_ready(asked, known, response);
    tv_asked_fail(asked, &err, response);
    return false;
}

/* What a reader knows the trace by: uploads of one app have one file name. */
static struct tv_str name_of(const struct tv_known *known)
{
    return known->row.title.len ? known->row.title : known->row.file_name;
}

static void compare(struct tv_asked *asked, const struct tv_id ids[2],
                    struct tv_http_response *response)
{
    char files[2][TV_KNOWN_NAME];
    struct tv_stored_trace traces[2];
    struct tv_known known[2];
    char addresses[2][sizeof("trace/") + sizeof(ids[0].hex)];
    struct tv_diff_sources sources = {.back = "list"};
    for (size_t i = 0; i < 2; i++) {
        if (!find_ready(asked, &ids[i], &known[i], response))
            return;
        traces[i] = tv_known_stored(&known[i], files[i]);
        sources.names[i] = name_of(&known[i]);
        (void)snprintf(addresses[i], sizeof(addresses[i]), "trace/%.*s",
                       (int)sizeof(ids[i].hex) - 1, ids[i].hex);
        sources.addresses[i] = addresses[i];
    }
    tv_compare_send(asked->site->stored, traces, &sources, asked->site->pool, response);
}

/* Leads to the comparison of what is ticked in the list, which has the newest first; run 1 is the
 * older one. */
static void compare_ticked(struct tv_asked *asked, const struct tv_id ids[2],
                           struct tv_http_response *response)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_known known[2];
    for (size_t i = 0; i < 2; i++) {
        if (tv_known_get(asked, &ids[i], &known[i], &err) != TV_OK) {
            tv_asked_fail(asked, &err, response);
            return;
        }
    }
    size_t older = known[1].row.created < known[0].row.created ? 1 : 0;
    tv_asked_redirect(asked, 302, response, "/compare?a=%s&b=%s", ids[older].hex,
                      ids[1 - older].hex);
}

void tv_site_compare(void *ctx, struct tv_http_response *response)
{
    struct tv_asked *asked = ctx;
    struct tv_error err = {.code = TV_OK};
    struct tv_id ids[2];
    if (is_form(asked->query, ids))
        compare_ticked(asked, ids, response);
    else if (read_pair(asked, ids, &err) != TV_OK)
        tv_asked_fail(asked, &err, response);
    else
        compare(asked, ids, response);
}
