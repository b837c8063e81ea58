/*
 * The address that a server listens on, from text; see http/listen.h.
 *
 * An IPv6 address stands in brackets, since it has colons of its own; the last colon is before the
 * port.
 */
#include "http/listen.h"

#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/str.h"

static bool take_ipv4(const char *text, uint16_t port, struct tv_listen *listen)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, text, &four.sin_addr) != 1)
        return false;
    memcpy(&listen->address, &four, sizeof(four));
    listen->is_any = four.sin_addr.s_addr == htonl(INADDR_ANY);
    return true;
}

static bool take_ipv6(const char *text, uint16_t port, struct tv_listen *listen)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (inet_pton(AF_INET6, text, &six.sin6_addr) != 1)
        return false;
    memcpy(&listen->address, &six, sizeof(six));
    listen->is_any = IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
    listen->is_ipv6 = true;
    return true;
}

enum tv_code tv_listen_parse(const char *text, struct tv_listen *listen, struct tv_error *err)
{
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN + 2] = "";
    size_t len = colon ? (size_t)(colon - text) : sizeof(host);
    uint64_t port = 0;
    *listen = (struct tv_listen){.port = 0};
    bool is_address = len < sizeof(host) && tv_str_to_u64(tv_str_from(colon + 1), 10, &port) &&
                      port <= UINT16_MAX;
    if (is_address) {
        memcpy(host, text, len);
        listen->port = (uint16_t)port;
        bool has_brackets = len > 2 && host[0] == '[' && host[len - 1] == ']';
        if (has_brackets)
            host[len - 1] = '\0';
        is_address = has_brackets ? take_ipv6(host + 1, listen->port, listen)
                                  : take_ipv4(host, listen->port, listen);
    }
    if (is_address)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "\"%.*s\" is no address with a port, as 127.0.0.1:8192 or [::1]:8192 are",
                   tv_str_shown_len(tv_str_from(text)), text);
}
