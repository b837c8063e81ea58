/* site/address: what is an address and what only looks like one; networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/config/address.h"

static struct tv_address parsed(const char *text)
{
    struct tv_address address;
    if (!tv_address_parse(tv_str_from(text), &address))
        fail_msg("'%s' is no address", text);
    return address;
}

static void addresses_are_written_in_one_way(void **state)
{
    static const char *const rows[][2] = {
        {"127.0.0.1", "127.0.0.1"},
        {"255.255.255.255", "255.255.255.255"},
        {"::1", "::1"},
        {"2001:DB8:0:0::0001", "2001:db8::1"},
        {"::ffff:10.0.0.1", "10.0.0.1"}, /* the same client on a socket of IPv6 */
        {"::ffff:a00:1", "10.0.0.1"},
        {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        char text[TV_ADDRESS_TEXT];
        struct tv_address address = parsed(rows[i][0]);
        tv_address_text(&address, text);
        assert_string_equal(text, rows[i][1]);
    }
}

static void what_only_looks_like_an_address_is_none(void **state)
{
    static const char *const rows[] = {
        "",
        " 127.0.0.1",
        "127.0.0.1 ",
        "127.0.0.1:80",
        "127.1",
        "127.0.0.01",
        "0x7f.0.0.1",
        "2130706433",
        "256.0.0.1",
        "1.2.3.4.5",
        "[::1]",
        "::1%eth0",
        "::1::",
        ":",
        "1:2:3",
        "unknown",
        "_hidden",
        "127.0.0.1,",
        "::ffff:256.0.0.1",
        "1:2:3:4:5:6:7:8:9",
        "11111111111111111111111111111111111111111111111111111111",
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_address address = {{1, 2, 3}};
        if (tv_address_parse(tv_str_from(rows[i]), &address))
            fail_msg("'%s' is taken for an address", rows[i]);
        assert_int_equal(address.bytes[2], 3);
    }
    struct tv_address address;
    assert_false(tv_address_parse((struct tv_str){"127.0.0.1\0x", 11}, &address));
}

static void a_port_stands_behind_an_address(void **state)
{
    static const struct {
        const char *text;
        const char *address; /* NULL: refused */
        uint16_t port;
    } rows[] = {
        {"127.0.0.1:8192", "127.0.0.1", 8192},
        {"localhost:0", "127.0.0.1", 0},
        {"[::1]:65535", "::1", 65535},
        {"[::]:80", "::", 80},
        {"::1:80", NULL, 0}, /* an address that ends in 80, or one with a port */
        {"[127.0.0.1]:80", NULL, 0},
        {"127.0.0.1:65536", NULL, 0},
        {"127.0.0.1:", NULL, 0},
        {"127.0.0.1", NULL, 0},
        {":80", NULL, 0},
        {"8192", NULL, 0},
        {"", NULL, 0},
        {"[]:80", NULL, 0},
        {"[::1:80", NULL, 0},
        {"127.0.0.1:+80", NULL, 0},
        {"127.0.0.1:000080", NULL, 0},
        {"example.org:80", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_address address;
        uint16_t port = 1;
        char text[TV_ADDRESS_TEXT];
        bool is_one = tv_address_parse_with_port(tv_str_from(rows[i].text), &address, &port);
        if (is_one != (rows[i].address != NULL))
            fail_msg("'%s' is %s", rows[i].text, is_one ? "taken" : "refused");
        if (!is_one)
            continue;
        tv_address_text(&address, text);
        assert_string_equal(text, rows[i].address);
        assert_int_equal(port, rows[i].port);
    }
}

static void loopback_is_this_machine_alone(void **state)
{
    static const char *const own[] = {"127.0.0.1", "127.255.0.3", "::1", "::ffff:127.0.0.1"};
    static const char *const others[] = {"0.0.0.0",  "::",  "128.0.0.1",
                                         "10.0.0.1", "::2", "7f00::1"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(own); i++) {
        struct tv_address address = parsed(own[i]);
        assert_true(tv_address_is_loopback(&address));
    }
    for (size_t i = 0; i < TV_COUNT_OF(others); i++) {
        struct tv_address address = parsed(others[i]);
        assert_false(tv_address_is_loopback(&address));
    }
}

static void public_is_what_a_host_of_the_internet_has(void **state)
{
    static const char *const yes[] = {
        "1.1.1.1",         "100.63.255.255", "100.128.0.0",      "172.32.0.1",   "192.0.1.1",
        "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::808:808", "2a00:1450::1", "2001:200::1",
        "2001:4860::8888", "168.63.129.15",  "168.63.129.17"};
    static const char *const no[] = {"0.0.0.0",
                                     "10.255.0.1",
                                     "100.64.0.1",
                                     "100.127.255.255",
                                     "127.0.0.1",
                                     "168.63.129.16",
                                     "169.254.169.254",
                                     "172.16.0.1",
                                     "172.31.255.255",
                                     "192.0.0.8",
                                     "192.0.2.1",
                                     "192.88.99.1",
                                     "192.168.0.1",
                                     "198.18.0.1",
                                     "198.19.255.255",
                                     "198.51.100.1",
                                     "203.0.113.1",
                                     "224.0.0.1",
                                     "240.0.0.1",
                                     "255.255.255.255",
                                     "::",
                                     "::1",
                                     "::ffff:10.0.0.1",
                                     "::ffff:169.254.169.254",
                                     "::7f00:1",
                                     "64:ff9b::a00:1",
                                     "64:ff9b:1::1",
                                     "100::1",
                                     "2001::1",
                                     "2001:1ff::1",
                                     "2001:db8::1",
                                     "2002:7f00:1::",
                                     "3fff::1",
                                     "fc00::1",
                                     "fd00:ec2::254",
                                     "fe80::1",
                                     "fec0::1",
                                     "ff02::1"};
    struct tv_address address;
    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        assert_true(tv_address_parse(tv_str_from(yes[i]), &address));
        if (!tv_address_is_public(&address))
            fail_msg("%s is not public", yes[i]);
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        assert_true(tv_address_parse(tv_str_from(no[i]), &address));
        if (tv_address_is_public(&address))
            fail_msg("%s is public", no[i]);
    }
}

static void networks_hold_what_shares_their_beginning(void **state)
{
    static const struct {
        const char *network;
        const char *shown;
        const char *inside;
        const char *outside;
    } rows[] = {
        {"10.0.0.0/8", "10.0.0.0/8", "10.255.1.2", "11.0.0.0"},
        {"192.168.1.128/25", "192.168.1.128/25", "192.168.1.255", "192.168.1.127"},
        {"127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"},
        {"127.0.0.1/32", "127.0.0.1", "::ffff:127.0.0.1", "::1"},
        {"0.0.0.0/0", "0.0.0.0/0", "1.2.3.4", "::1"},
        {"2001:db8::/32", "2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"},
        {"fd00::/7", NULL, NULL, NULL}, /* bits behind the prefix */
        {"fc00::/7", "fc00::/7", "fdff::1", "fe00::"},
        {"::/0", "::/0", "255.255.255.255", NULL},
        {"::1/128", "::1", "::1", "::2"},
        {"10.0.0.1/8", NULL, NULL, NULL},
        {"10.0.0.0/33", NULL, NULL, NULL},
        {"::/129", NULL, NULL, NULL},
        {"10.0.0.0/", NULL, NULL, NULL},
        {"10.0.0.0/-1", NULL, NULL, NULL},
        {"10.0.0.0/8/8", NULL, NULL, NULL},
        {"10.0.0/8", NULL, NULL, NULL},
        {"/8", NULL, NULL, NULL},
        {"", NULL, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        struct tv_networks networks = {.count = 1};
        char text[TV_ADDRESS_TEXT];
        bool is_one = tv_network_parse(tv_str_from(rows[i].network), &networks.of[0]);
        if (is_one != (rows[i].shown != NULL))
            fail_msg("'%s' is %s", rows[i].network, is_one ? "taken" : "refused");
        if (!is_one)
            continue;
        tv_network_text(&networks.of[0], text);
        assert_string_equal(text, rows[i].shown);
        struct tv_address inside = parsed(rows[i].inside);
        if (!tv_networks_contain(&networks, &inside))
            fail_msg("%s is not in %s", rows[i].inside, rows[i].network);
        if (!rows[i].outside)
            continue;
        struct tv_address outside = parsed(rows[i].outside);
        if (tv_networks_contain(&networks, &outside))
            fail_msg("%s is in %s", rows[i].outside, rows[i].network);
    }
}

static void a_party_is_an_address_or_a_network_of_64_bits(void **state)
{
    static const char *const rows[][2] = {
        {"10.1.2.3", "10.1.2.3"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
        {"2001:db8:1:2:ffff::", "2001:db8:1:2::"},
        {"::1", "::"},
    };
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        char text[TV_ADDRESS_TEXT];
        struct tv_address address = parsed(rows[i][0]);
        struct tv_address party = tv_address_party(&address);
        tv_address_text(&party, text);
        assert_string_equal(text, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_written_in_one_way),
        cmocka_unit_test(what_only_looks_like_an_address_is_none),
        cmocka_unit_test(a_port_stands_behind_an_address),
        cmocka_unit_test(loopback_is_this_machine_alone),
        cmocka_unit_test(public_is_what_a_host_of_the_internet_has),
        cmocka_unit_test(networks_hold_what_shares_their_beginning),
        cmocka_unit_test(a_party_is_an_address_or_a_network_of_64_bits),
    };
    return cmocka_run_group_tests_name("site/address", tests, NULL, NULL);
}
