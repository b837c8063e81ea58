/*
 * What a request must be before any route looks at it; see server/guard.h.
 *
 * Any program of this machine and any page in the browser can send requests to a port of loopback.
 * So a request needs the Host of this machine (against names that resolve to 127.0.0.1), the
 * viewer's own Origin or none (against other pages), and the token in its path, which is compared
 * in constant time. docs/security.md has the attacks.
 */
#include "server/guard.h"

#include <string.h>

#include "base/compiler.h"
#include "os/network/peer.h"
#include "served/page.h"

/* Browsers send the Origin header with every request that could change something; the origin must
 * be the viewer's own page. */
static bool is_own_origin(struct tv_str origin, struct tv_str host)
{
    static const struct tv_str scheme = {"http://", 7};
    return tv_str_starts_with(origin, scheme) &&
           tv_str_equal((struct tv_str){origin.at + scheme.len, origin.len - scheme.len}, host);
}

/* Splits "/FIRST/PATH?QUERY" without decoding it. */
static void split_target(struct tv_str target, struct tv_str *first, struct tv_str *path,
                         struct tv_str *query)
{
    struct tv_str rest = target;
    *path = (struct tv_str){NULL, 0};
    *query = (struct tv_str){NULL, 0};
    *first = (struct tv_str){NULL, 0};
    if (!tv_str_split(&rest, '?', path))
        return;
    *query = rest;
    if (path->len && path->at[0] == '/')
        *path = (struct tv_str){path->at + 1, path->len - 1};
    const char *slash = path->len ? memchr(path->at, '/', path->len) : NULL;
    first->at = path->at;
    first->len = slash ? (size_t)(slash - path->at) : path->len;
    size_t used = first->len + (slash ? 1 : 0);
    path->at = slash ? path->at + used : NULL; /* NULL: there is no slash behind the token */
    path->len -= used;
}

void tv_guard_split_target(struct tv_str target, struct tv_str *path, struct tv_str *query)
{
    struct tv_str first;
    split_target(target, &first, path, query);
}

bool tv_guard_has_token(struct tv_str target, struct tv_str token)
{
    struct tv_str first;
    struct tv_str path;
    struct tv_str query;
    split_target(target, &first, &path, &query);
    return tv_str_equal_secret(first, token);
}

/* Whether this is the browser's first request, by the entry address. A request that another site's
 * page may have caused is none, and is refused like any other. */
bool tv_guard_is_entry(const struct tv_http_request *request, struct tv_str entry)
{
    struct tv_str first;
    struct tv_str path;
    struct tv_str query;
    split_target(request->target, &first, &path, &query);
    struct tv_str host = tv_http_header(request, "Host");
    return tv_http_is_get(request) && !tv_http_header(request, "Origin").at && host.at &&
           tv_http_host_is_loopback(host) && !path.at && tv_str_equal_secret(first, entry);
}

bool tv_guard_is_own_user(const struct tv_http_request *request)
{
    return request->connection >= 0 && tv_peer_is_own(request->connection);
}

/* Checks in the order of what they give away: a stranger does not learn whether a token was right
 * before Host and Origin are. */
bool tv_guard_admits(const struct tv_http_request *request, struct tv_str token,
                     struct tv_str *path, struct tv_str *query, struct tv_http_response *response)
{
    static const char plain[] = "text/plain; charset=utf-8";
    struct tv_str first;
    struct tv_str host = tv_http_header(request, "Host");
    struct tv_str origin = tv_http_header(request, "Origin");
    split_target(request->target, &first, path, query);
    if (!host.at || !tv_http_host_is_loopback(host)) {
        tv_http_say(response, 403, plain, "This viewer answers to localhost only.\n");
        return false;
    }
    if (origin.at && !is_own_origin(origin, host)) {
        tv_http_say(response, 403, plain, "This viewer answers to its own page only.\n");
        return false;
    }
    if (!tv_str_equal_secret(first, token)) {
        tv_http_say(response, 404, plain,
                    "Nothing is here. Use the whole address that traceview printed.\n");
        return false;
    }
    if (!tv_http_is_get(request) && request->method != TV_HTTP_PUT) {
        tv_http_say(response, 405, plain, "Only GET, HEAD and PUT.\n");
        tv_http_add(response, "Allow", "GET, HEAD, PUT");
        return false;
    }
    /* The bytes of a trace go to a file, and have a limit of their own. */
    if (request->body_error.code == TV_ERR_LIMIT && !request->own) {
        tv_http_refuse(response, 413, "more than 64 KiB");
        return false;
    }
    return true;
}

/* Browsers say in this header who began a request, and no page can set it. */
static bool is_asked_by_user(const struct tv_http_request *request)
{
    return tv_str_equal(tv_http_header(request, "Sec-Fetch-Site"), TV_STR("none"));
}

/* The headers that every answer has, refusals too. */
void tv_guard_add_headers(const struct tv_http_request *request, struct tv_http_response *response)
{
    tv_http_add(response, "Content-Security-Policy", tv_page_policy());
    tv_http_add(response, "X-Content-Type-Options", "nosniff");
    tv_http_add(response, "Referrer-Policy", "no-referrer");
    tv_http_add(response, "Cross-Origin-Resource-Policy", "same-origin");
    /* Cross-Origin-Opener-Policy keeps a page that opens the viewer's page from holding its window.
     * For this header a browser starts another process, the dearest part of the first picture; so
     * it is left out when the user opens the page, since no other page has a hold then. */
    if (!is_asked_by_user(request))
        tv_http_add(response, "Cross-Origin-Opener-Policy", "same-origin");
}
