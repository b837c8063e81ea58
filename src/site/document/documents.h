/*
 * The documents of a site as answers. The markup stands in templates (html/), which know the site's
 * own structs by the names of site/document/template_data.h. Each function sets status, type,
 * content policy and body. A document is never kept by a cache: what it tells may change at any
 * time.
 *
 * Every document works without its script; the script (web/src/site) adds progress and what a
 * document keeps for its user. Texts may hold any bytes and are escaped. An empty text stands for
 * what is not known.
 */
#ifndef TV_SITE_DOCUMENT_DOCUMENTS_H
#define TV_SITE_DOCUMENT_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "http/http.h"
#include "site/config/config.h"
#include "site/config/projects.h"
#include "site/document/fleet_data.h"
#include "site/document/static_files.h"
#include "site/stored/stored.h"
#include "store/store_db.h"

/* What every document knows. */
struct tv_document_site {
    const struct tv_site_config *config;
    const struct tv_document_files *files;
    struct tv_str user; /* whom the proxy named */
    /* Those that the reader may see traces of, or put traces into. */
    const struct tv_project *projects[TV_PROJECTS_MOST];
    size_t project_count;
    const char *origin;     /* "https://host", as the reader's browser has it; "": not known */
    const char *example_id; /* "": there is none */
};

/* A trace, as its row and the state of its index. */
enum tv_document_trace_state {
    TV_TRACE_QUEUED,
    TV_TRACE_PROCESSING,
    TV_TRACE_READY,
    TV_TRACE_FAILED,
};

struct tv_document_trace {
    const struct tv_trace_row *row;
    enum tv_document_trace_state state;
    struct tv_str reason; /* why it failed */
    bool is_owned;        /* the reader may change it without a token */
};

struct tv_document_list {
    const struct tv_document_trace *traces;
    size_t count;
    struct tv_str search;
    struct tv_str next; /* of the next part of the list, for ?from=; empty: there is none */
    bool is_first;      /* the list begins with these traces */
    struct tv_str of;   /* whose traces: "mine", "all", or empty for the listed ones */
    bool has_listed;    /* the site has a list of what was listed */
    bool has_mine;      /* the reader is a user */
    bool is_admin;      /* the reader may see all */
};

/* The tokens of the reader's programs. */
struct tv_document_tokens {
    const struct tv_program_token *rows;
    size_t count;
    uint64_t most_s;     /* the longest that one may be good for */
    const char *token;   /* one that was just made; NULL: none */
    const char *problem; /* what was wrong with what was sent; NULL: nothing was */
};

/* What the webhook was told. */
struct tv_document_deliveries {
    const struct tv_delivery *rows;
    size_t count;
};

void tv_document_start(const struct tv_document_site *site, struct tv_http_response *response);
void tv_document_uploaded(const struct tv_document_site *site,
                          const struct tv_document_trace *trace, const char *owner_token,
                          struct tv_http_response *response);
void tv_document_processing(const struct tv_document_site *site,
                            const struct tv_document_trace *trace,
                            struct tv_http_response *response);
void tv_document_failed(const struct tv_document_site *site, const struct tv_document_trace *trace,
                        struct tv_http_response *response);
/* `problem`: what was wrong with what was sent; NULL: nothing was. */
void tv_document_owner(const struct tv_document_site *site, const struct tv_document_trace *trace,
                       const char *problem, struct tv_http_response *response);
void tv_document_flames(const struct tv_document_site *site, const struct tv_document_trace *trace,
                        const struct tv_stored_thread *threads, size_t count,
                        struct tv_http_response *response);
void tv_document_list(const struct tv_document_site *site, const struct tv_document_list *list,
                      struct tv_http_response *response);
void tv_document_stored(const struct tv_document_site *site, struct tv_http_response *response);
/* The form that asks for the links of two traces; `first` is the id of one, "": none is known. */
void tv_document_compare(const struct tv_document_site *site, const char *first,
                         struct tv_http_response *response);
/* The documents about all traces. */
void tv_document_apps(const struct tv_document_site *site, const struct tv_document_apps *apps,
                      struct tv_http_response *response);
void tv_document_builds(const struct tv_document_site *site,
                        const struct tv_document_builds *builds, struct tv_http_response *response);
void tv_document_build_diff(const struct tv_document_site *site,
                            const struct tv_document_build_diff *diff,
                            struct tv_http_response *response);
void tv_document_history(const struct tv_document_site *site,
                         const struct tv_document_history *history,
                         struct tv_http_response *response);
/* 201 where a token was made, 400 where something was wrong. */
void tv_document_tokens(const struct tv_document_site *site,
                        const struct tv_document_tokens *tokens, struct tv_http_response *response);
void tv_document_deliveries(const struct tv_document_site *site,
                            const struct tv_document_deliveries *deliveries,
                            struct tv_http_response *response);
void tv_document_problem(const struct tv_document_site *site, int status, struct tv_str reason,
                         struct tv_http_response *response);
/* A file below /static/. False: there is no such file. */
bool tv_document_static(const struct tv_document_files *files, struct tv_str name,
                        struct tv_http_response *response);

/* The policies (Content-Security-Policy) of the documents, and of a flame graph as a picture. */
const char *tv_document_policy(void);
const char *tv_document_picture_policy(void);

#endif
