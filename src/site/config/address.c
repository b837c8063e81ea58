/*
 * Addresses and networks; see site/config/address.h.
 *
 * An address is 16 bytes; an IPv4 address is kept as the IPv6 address that it is mapped to (the
 * network ::ffff:0:0/96), so that one comparison of prefixes serves both. A network with bits
 * behind its prefix is refused, since it was probably mistyped.
 */
#include "site/config/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define ADDRESS_BITS 128u
/* The length that ::ffff:0:0/96 adds to the prefix of an IPv4 network. */
#define IPV4_BITS 96u

static const uint8_t ipv4_beginning[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* Every address is kept as one of IPv6, so that one comparison serves both. */
bool tv_address_parse(struct tv_str text, struct tv_address *address)
{
    char zero_ended[TV_ADDRESS_TEXT];
    struct tv_address found = {{0}};
    if (!text.len || text.len >= sizeof(zero_ended) || memchr(text.at, '\0', text.len))
        return false;
    memcpy(zero_ended, text.at, text.len);
    zero_ended[text.len] = '\0';
    if (inet_pton(AF_INET, zero_ended, found.bytes + sizeof(ipv4_beginning)) == 1)
        memcpy(found.bytes, ipv4_beginning, sizeof(ipv4_beginning));
    else if (inet_pton(AF_INET6, zero_ended, found.bytes) != 1)
        return false;
    *address = found;
    return true;
}

/* The port is behind the last colon. */
bool tv_address_parse_with_port(struct tv_str text, struct tv_address *address, uint16_t *port)
{
    size_t colon = text.len;
    uint64_t number;
    while (colon && text.at[colon - 1] != ':')
        colon--;
    if (!colon)
        return false;
    struct tv_str name = {text.at, colon - 1};
    struct tv_str digits = {text.at + colon, text.len - colon};
    bool is_in_brackets = name.len > 2 && name.at[0] == '[' && name.at[name.len - 1] == ']';
    if (digits.len > 5 || !tv_str_to_u64(digits, 10, &number) || number > UINT16_MAX)
        return false;
    if (is_in_brackets)
        name = (struct tv_str){name.at + 1, name.len - 2};
    else if (tv_str_equal(name, TV_STR("localhost")))
        name = TV_STR("127.0.0.1");
    /* Without brackets nobody can tell the port from the end of an IPv6 address. */
    if (is_in_brackets != (name.len && memchr(name.at, ':', name.len)) ||
        !tv_address_parse(name, address))
        return false;
    *port = (uint16_t)number;
    return true;
}

bool tv_address_is_ipv4(const struct tv_address *address)
{
    return memcmp(address->bytes, ipv4_beginning, sizeof(ipv4_beginning)) == 0;
}

bool tv_address_is_loopback(const struct tv_address *address)
{
    static const struct tv_address ipv6_loopback = {{[15] = 1}};
    return tv_address_is_ipv4(address)
               ? address->bytes[sizeof(ipv4_beginning)] == 127
               : memcmp(address, &ipv6_loopback, sizeof(ipv6_loopback)) == 0;
}

void tv_address_text(const struct tv_address *address, char text[TV_ADDRESS_TEXT])
{
    const void *ipv4 = address->bytes + sizeof(ipv4_beginning);
    bool is_ipv4 = tv_address_is_ipv4(address);
    if (!inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? ipv4 : address->bytes, text,
                   TV_ADDRESS_TEXT))
        text[0] = '\0';
}

/* Whether the first `prefix_len` bits are the same. */
static bool has_prefix(const struct tv_address *address, const struct tv_network *network)
{
    unsigned whole = network->prefix_len / 8;
    unsigned rest = network->prefix_len % 8;
    unsigned differs = 0;
    if (rest)
        differs = (unsigned)(address->bytes[whole] ^ network->address.bytes[whole]) >> (8 - rest);
    return !differs && memcmp(address->bytes, network->address.bytes, whole) == 0;
}

/* Whether all bits behind the prefix are 0. */
static bool ends_in_zeros(const struct tv_network *network)
{
    for (unsigned bit = network->prefix_len; bit < ADDRESS_BITS; bit++) {
        if (network->address.bytes[bit / 8] & (0x80u >> bit % 8))
            return false;
    }
    return true;
}

/* The bits behind the prefix must be zero: 10.1.2.3/8 is most likely a mistake. */
bool tv_network_parse(struct tv_str text, struct tv_network *network)
{
    struct tv_str rest = text;
    struct tv_str name;
    struct tv_network found = {.prefix_len = ADDRESS_BITS};
    bool has_len = text.len && memchr(text.at, '/', text.len);
    if (!tv_str_split(&rest, '/', &name) || !tv_address_parse(name, &found.address))
        return false;
    if (has_len) {
        bool is_ipv4 = !memchr(name.at, ':', name.len);
        uint64_t len;
        if (rest.len > 3 || !tv_str_to_u64(rest, 10, &len) ||
            len > (is_ipv4 ? ADDRESS_BITS - IPV4_BITS : ADDRESS_BITS))
            return false;
        found.prefix_len = (unsigned)len + (is_ipv4 ? IPV4_BITS : 0);
    }
    if (!ends_in_zeros(&found))
        return false;
    *network = found;
    return true;
}

/* What was parsed from the text gives the same network again. */
void tv_network_text(const struct tv_network *network, char text[TV_ADDRESS_TEXT])
{
    char address[TV_ADDRESS_TEXT];
    /* A network inside ::ffff:0:0/96 is written as one of IPv4. */
    bool is_ipv4 = tv_address_is_ipv4(&network->address) && network->prefix_len >= IPV4_BITS;
    tv_address_text(&network->address, address);
    if (network->prefix_len == ADDRESS_BITS)
        (void)snprintf(text, TV_ADDRESS_TEXT, "%.40s", address);
    else
        (void)snprintf(text, TV_ADDRESS_TEXT, "%.40s/%u", address,
                       network->prefix_len - (is_ipv4 ? IPV4_BITS : 0));
}

bool tv_networks_contain(const struct tv_networks *networks, const struct tv_address *address)
{
    for (size_t i = 0; i < networks->count; i++) {
        if (has_prefix(address, &networks->of[i]))
            return true;
    }
    return false;
}

/* Addresses of IPv4 that no host of the internet has, by the first bits. */
static const struct {
    uint32_t first;
    unsigned prefix_len;
} not_public[] = {
    {0x00000000, 8},  /* this network */
    {0x0a000000, 8},  /* private */
    {0x64400000, 10}, /* of a provider, between it and its customers */
    {0x7f000000, 8},  /* this machine */
    {0xa83f8110, 32}, /* what a cloud tells its machines, at an address that looks public */
    {0xa9fe0000, 16}, /* of a link, and the metadata of clouds */
    {0xac100000, 12}, /* private */
    {0xc0000000, 24}, /* of protocols */
    {0xc0000200, 24}, /* of documents */
    {0xc0586300, 24}, /* to a relay of 6to4 */
    {0xc0a80000, 16}, /* private */
    {0xc6120000, 15}, /* of benchmarks */
    {0xc6336400, 24}, /* of documents */
    {0xcb007100, 24}, /* of documents */
    {0xe0000000, 3},  /* of groups, and what nobody has yet */
};

static bool is_public_ipv4(const uint8_t *bytes)
{
    const uint32_t address = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                             (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
    for (size_t i = 0; i < TV_COUNT_OF(not_public); i++) {
        if ((address ^ not_public[i].first) >> (32u - not_public[i].prefix_len) == 0)
            return false;
    }
    return true;
}

/* Of IPv6 a host of the internet is in 2000::/3. What is left out there are addresses of protocols,
 * with Teredo among them, of documents, and of 6to4, which lead to any address of IPv4;
 * 64:ff9b::/96 is how a network without IPv4 reaches that. */
bool tv_address_is_public(const struct tv_address *address)
{
    static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};
    const uint8_t *bytes = address->bytes;
    const unsigned first = (unsigned)bytes[0] << 8 | bytes[1];
    const unsigned second = (unsigned)bytes[2] << 8 | bytes[3];
    if (tv_address_is_ipv4(address) || memcmp(bytes, nat64, sizeof(nat64)) == 0)
        return is_public_ipv4(bytes + sizeof(nat64));
    if (first >> 13 != 1)
        return false;
    return !(first == 0x2001 && (second < 0x200 || second == 0xdb8)) && first != 0x2002 &&
           !(first == 0x3fff && second < 0x1000);
}

struct tv_address tv_address_party(const struct tv_address *address)
{
    struct tv_address party = *address;
    if (!tv_address_is_ipv4(address))
        memset(party.bytes + 8, 0, 8);
    return party;
}
