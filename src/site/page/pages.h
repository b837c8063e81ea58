/*
 * The pages of a site as answers. The markup stands in templates (html/), which know the site's own
 * structs by the names of site/page/kinds.h. Each function sets status, type, content policy and
 * body. A page is never kept by a cache: what it tells may change at any time.
 *
 * Every page works without its script; the script (web/src/site) adds progress and what a page
 * keeps for its user. Texts may hold any bytes and are escaped. An empty text stands for what is
 * not known.
 */
#ifndef TV_SITE_PAGE_PAGES_H
#define TV_SITE_PAGE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "http/http.h"
#include "site/config/config.h"
#include "site/page/files.h"
#include "site/stored/stored.h"
#include "store/store_db.h"

/* What every page knows. */
struct tv_page_site {
    const struct tv_site_config *config;
    const struct tv_page_files *files;
    struct tv_str user;     /* whom the proxy named */
    const char *origin;     /* "https://host", as the reader's browser has it; "": not known */
    const char *example_id; /* "": there is none */
    uint64_t now_s;
};

/* A trace, as its row and the state of its index. */
enum tv_page_trace_state {
    TV_TRACE_QUEUED,
    TV_TRACE_PROCESSING,
    TV_TRACE_READY,
    TV_TRACE_FAILED,
};

struct tv_page_trace {
    const struct tv_trace_row *row;
    enum tv_page_trace_state state;
    struct tv_str reason; /* why it failed */
};

struct tv_page_list {
    const struct tv_page_trace *traces;
    size_t count;
    struct tv_str search;
    struct tv_str next; /* of the next page, for ?from=; empty: there is none */
    bool is_first;      /* no page is before it */
};

void tv_pages_start(const struct tv_page_site *site, struct tv_http_response *response);
void tv_pages_uploaded(const struct tv_page_site *site, const struct tv_page_trace *trace,
                       const char *owner_token, struct tv_http_response *response);
void tv_pages_processing(const struct tv_page_site *site, const struct tv_page_trace *trace,
                         struct tv_http_response *response);
void tv_pages_failed(const struct tv_page_site *site, const struct tv_page_trace *trace,
                     struct tv_http_response *response);
/* `problem`: what was wrong with what was sent; NULL: nothing was. */
void tv_pages_owner(const struct tv_page_site *site, const struct tv_page_trace *trace,
                    const char *problem, struct tv_http_response *response);
void tv_pages_flames(const struct tv_page_site *site, const struct tv_page_trace *trace,
                     const struct tv_stored_thread *threads, size_t count,
                     struct tv_http_response *response);
void tv_pages_list(const struct tv_page_site *site, const struct tv_page_list *list,
                   struct tv_http_response *response);
void tv_pages_stored(const struct tv_page_site *site, struct tv_http_response *response);
void tv_pages_problem(const struct tv_page_site *site, int status, struct tv_str reason,
                      struct tv_http_response *response);
/* A file below /static/. False: there is no such file. */
bool tv_pages_static(const struct tv_page_files *files, struct tv_str name,
                     struct tv_http_response *response);

/* The policies (Content-Security-Policy) of the pages, and of a flame graph as a picture. */
const char *tv_pages_policy(void);
const char *tv_pages_picture_policy(void);

#endif
