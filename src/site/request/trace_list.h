/* Lists of traces: the listed ones, or those of an owner. */
#ifndef TV_SITE_REQUEST_TRACE_LIST_H
#define TV_SITE_REQUEST_TRACE_LIST_H

#include "site/request/requested_trace.h"

/* Traces of one page of a list. */
#define TV_LISTING_PAGE 50u
/* Owner tokens that one request may bear. */
#define TV_LISTING_TOKENS 32u

/* All of it lies in the memory of the request. */
struct tv_found {
    struct tv_requested_trace traces[TV_LISTING_PAGE];
    size_t count;
    struct tv_str search; /* as it was typed */
    bool is_first;        /* the list begins with this page */
    char next[64];        /* the parameter `from` of the next page; "": this is the last */
};

enum tv_trace_list { TV_LISTING_LISTED, TV_LISTING_OWN, TV_LISTING_ALL };
/* Which list the parameter `of` asks for: "mine", "all"; else `usual`. TV_ERR_ARGUMENT: another
 * word, or one that is not for this client. */
enum tv_code tv_trace_list_choose(struct tv_request_context *context, enum tv_trace_list usual,
                                  enum tv_trace_list *which, struct tv_error *err) TV_MUST_CHECK;
/* Traces, or mappings of names. The parameters are q, from and of. Of q each word must be in a
 * trace's texts, and each key:value must be a label of it; the newest trace is first. */
enum tv_code tv_trace_list_find(struct tv_request_context *context, enum tv_kept_kind kind,
                                enum tv_trace_list which, struct tv_found **found,
                                struct tv_error *err) TV_MUST_CHECK;
/* The newest traces that a text such as q finds, whatever the request asks for. */
enum tv_code tv_trace_list_search(struct tv_request_context *context, struct tv_str search,
                                  enum tv_trace_list which, struct tv_found **found,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Answers with a list as JSON: that which the parameter `of` asks for, else `usual`. */
void tv_trace_list_send(struct tv_request_context *context, enum tv_kept_kind kind,
                        enum tv_trace_list usual, struct tv_http_response *response);

#endif
