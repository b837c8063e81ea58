/*
 * Who asks, as far as the site believes it. Of a trusted proxy the site believes whom it asks for:
 * X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, and the headers in which it names its user
 * and that user's groups.
 * From everybody else these headers mean nothing. (Forwarded, of RFC 7239, means nothing from
 * anybody: what a proxy does not set it passes on as its client wrote it, so there is one way.)
 */
#ifndef TV_SITE_REQUEST_CLIENT_H
#define TV_SITE_REQUEST_CLIENT_H

#include <stdbool.h>

#include "http/http.h"
#include "site/config/config.h"

/* Texts are views of the request and of the config. */
struct tv_client {
    struct tv_address address; /* of the last one in the row that is no trusted proxy */
    bool is_forwarded;         /* a trusted proxy asks for somebody */
    bool knows_scheme;         /* is_https is known, and not only taken for granted */
    bool is_https;
    struct tv_str host;   /* "name" or "name:port", as the client wrote it; empty: it did not */
    struct tv_str user;   /* whom the proxy names; empty: nobody */
    struct tv_str groups; /* of that user, with commas between */
    bool is_admin;        /* by the user's name, or by a group that the proxy names */
    bool is_program;      /* a token says who the user is (site/request/program_token.h) */
    unsigned scopes;      /* what that token is for, TV_SCOPE_... */
};

/* False: the request must be refused, since a header of a trusted proxy, or Host, is not what it
 * must be; *why says which, and is static. */
bool tv_client_find(const struct tv_site_config *config, const struct tv_http_request *request,
                    struct tv_client *client, const char **why);
/* Whether the client is one of these: names of users, and groups as "group:NAME", with blanks or
 * commas between. */
bool tv_client_is_one_of(const struct tv_client *client, const char *names);
/* Whom shares of answers and rates are for: the user, where one is known, else tv_address_party. */
struct tv_http_party tv_client_party(const struct tv_client *client);
/* Whether a page of this site, or no page at all, began the request: by Origin and
 * Sec-Fetch-Site, which browsers set. */
bool tv_client_is_same_site(const struct tv_client *client, const struct tv_http_request *request);

#endif
