/*
 * What a request must be; see site/request/admission.h.
 *
 * Each function admits the request or fills the response with the refusal: by host name, rate,
 * origin, and by the site's rule about who may upload. Secrets and tokens are compared by their
 * hashes in constant time (tokens.h).
 */
#include "site/request/admission.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "os/clock.h"
#include "site/request/rates.h"
#include "site/request/tokens.h"

/* The host of "https://host[:port]". */
static struct tv_str host_of_url(const char *url)
{
    const char *slashes = strstr(url, "//");
    return tv_str_from(slashes ? slashes + 2 : url);
}

/* Whether Host is an address, which no page of another site can let lead elsewhere. */
static bool is_address(struct tv_str host)
{
    struct tv_str name = tv_http_host_name(host);
    struct tv_address address;
    if (name.len > 2 && name.at[0] == '[' && name.at[name.len - 1] == ']')
        name = (struct tv_str){name.at + 1, name.len - 2};
    return tv_address_parse(name, &address);
}

/* Whether the host can only be this machine. A site that listens on loopback has the names of
 * loopback alone. Elsewhere a site that has no public URL has these, the machine's own name, and
 * any address in digits. */
static bool is_of_machine(const struct tv_request_context *context, struct tv_str host)
{
    const struct tv_site_config *config = context->site->config;
    if (tv_address_is_loopback(&config->listen))
        return tv_http_host_is_loopback(host);
    const char *machine = context->site->machine ? context->site->machine : "";
    return !config->public_url[0] &&
           (tv_http_host_is_loopback(host) || is_address(host) ||
            tv_str_equal_folded(tv_http_host_name(host), tv_str_from(machine)));
}

/* A host name that the site does not know may be a name of another site that resolves here (DNS
 * rebinding). */
bool tv_admission_host(const struct tv_request_context *context, enum tv_site_hosts hosts,
                       struct tv_http_response *response)
{
    const struct tv_site_config *config = context->site->config;
    struct tv_str host = tv_http_header(context->request, "Host");
    struct tv_str own = tv_http_host_name(host_of_url(config->public_url));
    /* A trusted proxy has checked the host already, and may have put its own into the header. */
    bool is_known = context->client.is_forwarded || hosts == TV_HOSTS_ANY ||
                    (own.len && tv_str_equal_folded(tv_http_host_name(host), own)) ||
                    is_of_machine(context, host) ||
                    (hosts == TV_HOSTS_ADDRESSES && is_address(host));
    if (!is_known)
        tv_request_context_refuse(context, 421,
                                  own.len
                                      ? "this site does not answer to that host name"
                                      : "this site does not answer to that host name: its owner "
                                        "names the one that it has by public-url",
                                  response);
    return is_known;
}

/* Whose limit it is, and which setting, since many may be behind one address. */
static void refuse_rate(const struct tv_request_context *context, enum tv_rate_of what,
                        const struct tv_rate_limit *limit, uint64_t wait_s,
                        struct tv_http_response *response)
{
    static const char *const whats[] = {
        [TV_RATE_REQUEST] = "requests", [TV_RATE_UPLOAD] = "uploads"};
    static const char *const settings[] = {
        [TV_RATE_REQUEST] = "request-rate", [TV_RATE_UPLOAD] = "upload-rate"};
    char rate[TV_UNITS_TEXT];
    char text[160];
    char seconds[24];
    tv_rate_limit_text(limit, rate);
    (void)snprintf(text, sizeof(text), "too many %s %s (%s = %s): try again in %llu s", whats[what],
                   context->client.user.len ? "of this user" : "from this address", settings[what],
                   rate, (unsigned long long)wait_s);
    tv_request_context_refuse(context, 429, text, response);
    (void)snprintf(seconds, sizeof(seconds), "%llu", (unsigned long long)wait_s);
    tv_http_add(response, "Retry-After", seconds);
}

/* By user where the proxy, or a token that was checked, names one: others behind the same address
 * are not to wait for that user. A token is checked after the rate of requests was taken, since it
 * costs a question to the store. */
static bool admit_rate(const struct tv_request_context *context, enum tv_rate_of what,
                       const struct tv_rate_limit *limit, struct tv_http_response *response)
{
    const struct tv_http_party party = tv_client_party(&context->client);
    const uint64_t wait_s = tv_rates_take(context->site->rates, what, limit, &party, tv_now_ns());
    if (wait_s)
        refuse_rate(context, what, limit, wait_s, response);
    return !wait_s;
}

bool tv_admission_rate(const struct tv_request_context *context, struct tv_http_response *response)
{
    return admit_rate(context, TV_RATE_REQUEST, &context->site->config->request_rate, response);
}

bool tv_admission_upload_rate(const struct tv_request_context *context,
                              struct tv_http_response *response)
{
    return admit_rate(context, TV_RATE_UPLOAD, &context->site->config->upload_rate, response);
}

bool tv_admission_origin(const struct tv_request_context *context,
                         struct tv_http_response *response)
{
    bool is_own = tv_client_is_same_site(&context->client, context->request);
    if (!is_own)
        tv_request_context_refuse(context, 403, "this was begun by a page of another site",
                                  response);
    return is_own;
}

struct tv_str tv_admission_bearer(const struct tv_http_request *request)
{
    static const struct tv_str scheme = {"bearer ", 7};
    struct tv_str value = tv_http_header(request, "Authorization");
    if (value.len <= scheme.len ||
        !tv_str_equal_folded((struct tv_str){value.at, scheme.len}, scheme))
        return (struct tv_str){NULL, 0};
    return (struct tv_str){value.at + scheme.len, value.len - scheme.len};
}

/* Whether the upload secret was given, in a header or in a field of the form. */
static bool has_secret(const struct tv_request_context *context, const struct tv_fields *fields)
{
    struct tv_str secret = tv_str_from(context->site->config->upload_secret);
    struct tv_str given = tv_http_header(context->request, "X-Upload-Secret");
    if (!given.at)
        given = tv_admission_bearer(context->request);
    if (!given.at && fields)
        given = fields->secret;
    return secret.len && given.at && tv_secret_is(given, secret);
}

/* Whether the secret may still come, as a field of a form that is not read yet. */
static bool may_have_secret(const struct tv_request_context *context,
                            const struct tv_fields *fields)
{
    return !fields && !tv_http_header(context->request, "X-Upload-Secret").at &&
           !tv_admission_bearer(context->request).at;
}

/* Who may upload is one setting; each way says what is missing. */
bool tv_admission_upload(const struct tv_request_context *context, const struct tv_fields *fields,
                         struct tv_http_response *response)
{
    switch (context->site->config->uploads) {
    case TV_UPLOADS_OPEN:
        return true;
    case TV_UPLOADS_SECRET:
        if (has_secret(context, fields) || may_have_secret(context, fields))
            return true;
        tv_request_context_refuse(context, 401, "uploads need the upload secret of this site",
                                  response);
        return false;
    case TV_UPLOADS_PROXY:
        if (context->client.user.len)
            return true;
        tv_request_context_refuse(
            context, 401, "uploads need a user whom the proxy of this site knows", response);
        return false;
    case TV_UPLOADS_NOBODY:
        break;
    }
    tv_request_context_refuse(context, 403, "this site takes no uploads", response);
    return false;
}

enum tv_site_right tv_admission_right(const struct tv_request_context *context,
                                      const struct tv_trace_row *row)
{
    const struct tv_client *client = &context->client;
    struct tv_str token = tv_admission_bearer(context->request);
    if (token.at && tv_token_is_of(token, &row->owner))
        return TV_RIGHT_TOKEN;
    if (client->user.len && tv_str_equal(client->user, row->user))
        return client->is_program ? TV_RIGHT_PROGRAM : TV_RIGHT_USER;
    return client->is_admin ? TV_RIGHT_ADMIN : TV_RIGHT_NONE;
}

bool tv_admission_is_owner(const struct tv_request_context *context, const struct tv_trace_row *row)
{
    return tv_admission_right(context, row) != TV_RIGHT_NONE;
}
