/*
 * Who asks; see site/request/client.h.
 *
 * Headers of proxies are believed only if the connection comes from a trusted proxy; then they
 * replace address, scheme, host and user. A header of a trusted proxy that makes no sense refuses
 * the request, since it would otherwise count as the proxy's own.
 */
#include "site/request/client.h"

#include <assert.h>
#include <string.h>

#include "base/bytes/sha256.h"

#define HOST_MOST 255u
#define USER_MOST 128u
/* Proxies in a row, at most. */
#define HOPS_MOST 32u

static_assert(sizeof(struct tv_http_party) == 1 + sizeof(struct tv_address) &&
                  sizeof(struct tv_address) <= TV_SHA256_LEN,
              "a party is an address, or as much of a sum");

static bool is_host(struct tv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char sign = text.at[i];
        bool is_letter = (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z');
        bool is_digit = sign >= '0' && sign <= '9';
        if (!is_letter && !is_digit && !memchr(".-_:[]", sign, 6))
            return false;
    }
    return text.len && text.len <= HOST_MOST;
}

/* Cuts the last item off a list with commas between. False: the list is empty. */
static bool take_last(struct tv_str *list, struct tv_str *item)
{
    size_t comma = list->len;
    if (!list->at)
        return false;
    while (comma && list->at[comma - 1] != ',')
        comma--;
    *item = tv_str_trim((struct tv_str){list->at + comma, list->len - comma});
    *list = comma ? (struct tv_str){list->at, comma - 1} : (struct tv_str){NULL, 0};
    return true;
}

/* Follows X-Forwarded-For from its end, which the nearest proxy wrote, as long as the addresses are
 * those of trusted proxies. Entries before the first address that is not trusted were written by
 * the client and may be anything. */
static bool follow_forwarded(const struct tv_site_config *config,
                             const struct tv_http_request *request, struct tv_client *client)
{
    size_t hops = 0;
    for (size_t i = request->field_count; i-- > 0;) {
        struct tv_str list = request->fields[i].value;
        struct tv_str item;
        if (!tv_str_equal_folded(request->fields[i].name, TV_STR("X-Forwarded-For")))
            continue;
        while (take_last(&list, &item)) {
            if (++hops > HOPS_MOST || !tv_address_parse(item, &client->address))
                return false;
            client->is_forwarded = true;
            if (!tv_networks_contain(&config->trusted_proxies, &client->address))
                return true;
        }
    }
    return true;
}

/* The last item of the last header of that name, which the nearest proxy wrote. */
static bool last_item(const struct tv_http_request *request, const char *name, struct tv_str *item)
{
    struct tv_str value = tv_http_last_header(request, name);
    return value.at && take_last(&value, item);
}

static bool take_scheme(const struct tv_http_request *request, struct tv_client *client)
{
    struct tv_str scheme;
    if (!last_item(request, "X-Forwarded-Proto", &scheme))
        return true;
    client->is_https = tv_str_equal_folded(scheme, TV_STR("https"));
    client->knows_scheme = true;
    return client->is_https || tv_str_equal_folded(scheme, TV_STR("http"));
}

/* A second header of that name would be the client's own, which the proxy failed to remove. */
static bool take_user(const struct tv_site_config *config, const struct tv_http_request *request,
                      struct tv_client *client)
{
    if (config->uploads != TV_UPLOADS_PROXY && config->users != TV_USERS_PROXY)
        return true;
    struct tv_str user = tv_http_header(request, config->user_header);
    for (size_t i = 0; i < user.len; i++) {
        if ((unsigned char)user.at[i] <= ' ' || user.at[i] == 0x7f || user.at[i] == ',')
            return false;
    }
    client->user = user;
    return tv_http_count_headers(request, config->user_header) <= 1 && user.len <= USER_MOST;
}

/* Whether a list with commas between has the item. */
static bool has_item(struct tv_str list, struct tv_str wanted)
{
    struct tv_str item;
    while (take_last(&list, &item)) {
        if (tv_str_equal(item, wanted))
            return true;
    }
    return false;
}

bool tv_client_is_one_of(const struct tv_client *client, const char *names)
{
    static const struct tv_str group = {"group:", 6};
    const char *at = names;
    while (*at && client->user.len) {
        size_t len = strcspn(at, " ,\t");
        struct tv_str name = {at, len};
        at += len + (at[len] != '\0');
        if (!tv_str_starts_with(name, group)) {
            if (len && tv_str_equal(name, client->user))
                return true;
        } else if (len > group.len && has_item(client->groups, (struct tv_str){name.at + group.len,
                                                                               len - group.len})) {
            return true;
        }
    }
    return false;
}

/* A second header of groups would be the client's own, as one of users. */
static bool take_groups(const struct tv_site_config *config, const struct tv_http_request *request,
                        struct tv_client *client)
{
    if (!client->user.len || (!config->admins[0] && !config->project_count))
        return true;
    client->groups = tv_http_header(request, config->group_header);
    client->is_admin = tv_client_is_one_of(client, config->admins);
    return tv_http_count_headers(request, config->group_header) <= 1;
}

/* Only called for a proxy that the settings name. A header of it that makes no sense refuses the
 * request: guessing would mean to take one client for another. */
static const char *believe_proxy(const struct tv_site_config *config,
                                 const struct tv_http_request *request, struct tv_client *client)
{
    struct tv_str host;
    if (!follow_forwarded(config, request, client))
        return "X-Forwarded-For of the proxy has what is no address";
    if (!take_scheme(request, client))
        return "X-Forwarded-Proto of the proxy is neither http nor https";
    if (last_item(request, "X-Forwarded-Host", &host)) {
        client->host = host;
        if (!is_host(host))
            return "X-Forwarded-Host of the proxy is no host";
    }
    if (!take_user(config, request, client))
        return "the user that the proxy names is no name, or there are two";
    if (!take_groups(config, request, client))
        return "the proxy names the groups of the user twice";
    return NULL;
}

static void take_public_url(const char *url, struct tv_client *client)
{
    struct tv_str rest = tv_str_from(url);
    client->is_https = tv_str_starts_with(rest, TV_STR("https://"));
    client->knows_scheme = true;
    size_t scheme_len = client->is_https ? strlen("https://") : strlen("http://");
    client->host = (struct tv_str){rest.at + scheme_len, rest.len - scheme_len};
}

/* Without a trusted proxy the other end of the connection is the client, whatever its headers say.
 */
bool tv_client_find(const struct tv_site_config *config, const struct tv_http_request *request,
                    struct tv_client *client, const char **why)
{
    *client = (struct tv_client){.host = tv_http_header(request, "Host")};
    *why = "Host is no host";
    if (client->host.len && !is_host(client->host))
        return false;
    *why = NULL;
    if (tv_address_parse(request->peer, &client->address) &&
        tv_networks_contain(&config->trusted_proxies, &client->address))
        *why = believe_proxy(config, request, client);
    if (config->public_url[0])
        take_public_url(config->public_url, client);
    return !*why;
}

/* The first byte tells names from addresses. Of a name a part of its sum stands for it, so that
 * nobody chooses a name that shares with another one. */
struct tv_http_party tv_client_party(const struct tv_client *client)
{
    enum { OF_USER = 1, OF_ADDRESS };
    struct tv_http_party party;
    uint8_t digest[TV_SHA256_LEN];
    if (client->user.len) {
        party.bytes[0] = OF_USER;
        tv_sha256(client->user, digest);
        memcpy(party.bytes + 1, digest, sizeof(party.bytes) - 1);
        return party;
    }
    struct tv_address address = tv_address_party(&client->address);
    party.bytes[0] = OF_ADDRESS;
    memcpy(party.bytes + 1, address.bytes, sizeof(address.bytes));
    return party;
}

/* Whether the request comes from a page of this site, or from no page. Programs send neither
 * header. */
bool tv_client_is_same_site(const struct tv_client *client, const struct tv_http_request *request)
{
    static const struct tv_str schemes[] = {{"http://", 7}, {"https://", 8}};
    struct tv_str origin = tv_http_header(request, "Origin");
    struct tv_str site = tv_http_header(request, "Sec-Fetch-Site");
    if (site.at && !tv_str_equal_folded(site, TV_STR("same-origin")) &&
        !tv_str_equal_folded(site, TV_STR("none")))
        return false;
    if (!origin.at)
        return true;
    for (size_t i = 0; i < TV_COUNT_OF(schemes); i++) {
        bool may_be = !client->knows_scheme || client->is_https == (i == 1);
        struct tv_str host = {origin.at + schemes[i].len, origin.len - schemes[i].len};
        if (may_be && tv_str_starts_with(origin, schemes[i]) && client->host.len &&
            tv_str_equal_folded(host, client->host))
            return true;
    }
    return false;
}
