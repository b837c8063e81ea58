/* site/client: whom the site believes to be asking, whatever the headers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "site/config/setting_value.h"
#include "site/request/client.h"

#define FIELDS 8u

struct world {
    struct tv_site_config config;
    struct tv_http_field fields[FIELDS];
    struct tv_http_request request;
    struct tv_client client;
    const char *why;
};

/* The proxies 127.0.0.1 and those of 10.0.0.0/8 are trusted. */
static int begin(void **state)
{
    static struct world world;
    world = (struct world){.request = {.connection = -1}};
    tv_site_config_init(&world.config, tv_alloc_libc());
    *state = &world;
    return tv_setting_read(&world.config, &tv_site_settings[TV_SETTING_OF_trusted_proxies],
                           TV_STR("127.0.0.1 10.0.0.0/8"), NULL) != TV_OK;
}

static int end(void **state)
{
    struct world *world = *state;
    tv_site_config_release(&world->config);
    return 0;
}

/* Finds the client of a request from `peer` with the headers, which are pairs of name and value and
 * end with NULL. */
static bool find(struct world *world, const char *peer, const char *const *headers)
{
    size_t count = 0;
    for (; headers[2 * count]; count++) {
        assert_true(count < FIELDS);
        world->fields[count] = (struct tv_http_field){tv_str_from(headers[2 * count]),
                                                      tv_str_from(headers[2 * count + 1])};
    }
    world->request.peer = tv_str_from(peer);
    world->request.fields = world->fields;
    world->request.field_count = count;
    return tv_client_find(&world->config, &world->request, &world->client, &world->why);
}

static void assert_address(const struct world *world, const char *expected)
{
    char text[TV_ADDRESS_TEXT];
    tv_address_text(&world->client.address, text);
    assert_string_equal(text, expected);
}

static void assert_text(struct tv_str text, const char *expected)
{
    if (!tv_str_equal(text, tv_str_from(expected)))
        fail_msg("'%.*s' is not '%s'", (int)text.len, text.at ? text.at : "", expected);
}

static void forwarded_headers_of_a_stranger_mean_nothing(void **state)
{
    struct world *world = *state;
    static const char *const headers[] = {
        "Host",  "traces.example.org", "X-Forwarded-For",  "1.2.3.4",          "X-Forwarded-Proto",
        "https", "X-Forwarded-Host",   "evil.example.org", "X-Forwarded-User", "root",
        NULL};
    world->config.uploads = TV_UPLOADS_PROXY;
    assert_true(find(world, "192.0.2.7", headers));
    assert_address(world, "192.0.2.7");
    assert_text(world->client.host, "traces.example.org");
    assert_text(world->client.user, "");
    assert_false(world->client.is_forwarded);
    assert_false(world->client.is_https);
    assert_false(world->client.knows_scheme);
}

static void a_trusted_proxy_is_believed(void **state)
{
    struct world *world = *state;
    static const char *const headers[] = {"host",
                                          "127.0.0.1:8192",
                                          "x-forwarded-for",
                                          "2001:db8::7",
                                          "x-forwarded-proto",
                                          "HTTPS",
                                          "x-forwarded-host",
                                          "traces.example.org:8443",
                                          "x-forwarded-user",
                                          "ann",
                                          NULL};
    world->config.uploads = TV_UPLOADS_PROXY;
    assert_true(find(world, "127.0.0.1", headers));
    assert_address(world, "2001:db8::7");
    assert_text(world->client.host, "traces.example.org:8443");
    assert_text(world->client.user, "ann");
    assert_true(world->client.is_forwarded);
    assert_true(world->client.is_https);
}

/* By a whole name of the list alone, and only where the user has a name. */
static void an_administrator_is_named_by_user_or_group(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *peer, *user, *groups;
        bool is_admin;
    } rows[] = {
        {"127.0.0.1", "root", "", true},        {"127.0.0.1", "ann", "dev, perf", true},
        {"127.0.0.1", "ann", "perf", true},     {"127.0.0.1", "ann", "perfect,per", false},
        {"127.0.0.1", "ann", "root", false},    {"127.0.0.1", "roo", "", false},
        {"127.0.0.1", "perf", "", false},       {"127.0.0.1", "", "perf", false},
        {"127.0.0.1", "group:perf", "", false}, {"127.0.0.1", "group:", "", false},
        {"192.0.2.7", "root", "perf", false},
    };
    world->config.users = TV_USERS_PROXY;
    world->config.admins = "root,\tgroup:perf  group:";
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        const char *const headers[] = {"X-Forwarded-User", rows[i].user, "X-Forwarded-Groups",
                                       rows[i].groups, NULL};
        assert_true(find(world, rows[i].peer, headers));
        if (world->client.is_admin != rows[i].is_admin)
            fail_msg("row %zu", i);
    }
    world->config.users = TV_USERS_NONE;
    assert_true(find(world, "127.0.0.1", (const char *const[]){"X-Forwarded-User", "root", NULL}));
    assert_text(world->client.user, "");
    assert_false(world->client.is_admin);
}

/* The address behind which a client hides stands before its real one, which the proxy added. */
static void the_address_is_the_last_that_no_trusted_proxy_has(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *headers[5];
        const char *address;
    } rows[] = {
        {{"X-Forwarded-For", "6.6.6.6, 192.0.2.7", NULL}, "192.0.2.7"},
        {{"X-Forwarded-For", "6.6.6.6,192.0.2.7 ,\t10.1.1.1", NULL}, "192.0.2.7"},
        {{"X-Forwarded-For", "6.6.6.6", "X-Forwarded-For", "192.0.2.7", NULL}, "192.0.2.7"},
        {{"X-Forwarded-For", "192.0.2.7", "X-Forwarded-For", "10.1.1.1", NULL}, "192.0.2.7"},
        {{"X-Forwarded-For", "<script>, , 192.0.2.7", NULL}, "192.0.2.7"},
        {{"X-Forwarded-For", "10.9.9.9, 10.1.1.1", NULL}, "10.9.9.9"},
        {{"X-Forwarded-For", "::ffff:10.1.1.1", NULL}, "10.1.1.1"},
        {{NULL}, "127.0.0.1"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        assert_true(find(world, "127.0.0.1", rows[i].headers));
        assert_address(world, rows[i].address);
    }
}

static void what_a_trusted_proxy_cannot_have_said_is_refused(void **state)
{
    struct world *world = *state;
    static const char *const rows[][7] = {
        {"X-Forwarded-For", "", NULL},
        {"X-Forwarded-For", "192.0.2.7,", NULL},
        {"X-Forwarded-For", "unknown", NULL},
        {"X-Forwarded-For", "192.0.2.7:1234", NULL},
        {"X-Forwarded-For", "192.0.2.7, x, 10.1.1.1", NULL},
        {"X-Forwarded-Proto", "ftp", NULL},
        {"X-Forwarded-Proto", "", NULL},
        {"X-Forwarded-Host", "a/b", NULL},
        {"X-Forwarded-Host", "a\"onload=", NULL},
        {"X-Forwarded-Host", "", NULL},
        {"X-Forwarded-User", "ann", "X-Forwarded-User", "root", NULL},
        {"X-Forwarded-User", "ann, root", NULL},
        {"X-Forwarded-User", "ann\troot", NULL},
        {"X-Forwarded-User", "ann root", NULL},
        {"X-Forwarded-User", "ann\x1froot", NULL},
        {"X-Forwarded-User", "ann\x7f", NULL},
    };
    world->config.uploads = TV_UPLOADS_PROXY;
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        if (find(world, "127.0.0.1", rows[i]))
            fail_msg("%s: '%s' is believed", rows[i][0], rows[i][1]);
        assert_non_null(world->why);
    }
}

static void a_row_of_proxies_has_an_end(void **state)
{
    struct world *world = *state;
    char list[40 * 10] = "10.0.0.1";
    const char *const headers[] = {"X-Forwarded-For", list, NULL};
    for (int i = 1; i < 32; i++)
        memcpy(list + strlen(list), ",10.0.0.1", 10);
    assert_true(find(world, "127.0.0.1", headers));
    memcpy(list + strlen(list), ",10.0.0.1", 10);
    assert_false(find(world, "127.0.0.1", headers));
}

static void a_host_that_is_none_is_refused(void **state)
{
    struct world *world = *state;
    static const char *const rows[] = {"a b", "a/b", "a@b", "a?b", "<b>", "a\"b", "caf\xc3\xa9"};
    static const char *const good[] = {"localhost:80", "[::1]:80", "a-b.example.org", "a_b"};
    char longest[257];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[256] = '\0';
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++)
        assert_false(find(world, "192.0.2.7", (const char *const[]){"Host", rows[i], NULL}));
    for (size_t i = 0; i < TV_COUNT_OF(good); i++)
        assert_true(find(world, "192.0.2.7", (const char *const[]){"Host", good[i], NULL}));
    assert_false(find(world, "192.0.2.7", (const char *const[]){"Host", longest, NULL}));
    assert_true(find(world, "192.0.2.7", (const char *const[]){NULL}));
    assert_text(world->client.host, "");
}

static void the_public_url_is_stronger_than_every_header(void **state)
{
    struct world *world = *state;
    static const char *const headers[] = {"Host", "other.example.org", "X-Forwarded-Proto",
                                          "http", "X-Forwarded-Host",  "evil.example.org",
                                          NULL};
    world->config.public_url = "https://traces.example.org";
    assert_true(find(world, "127.0.0.1", headers));
    assert_text(world->client.host, "traces.example.org");
    assert_true(world->client.is_https);
    assert_true(find(world, "192.0.2.7", headers));
    assert_text(world->client.host, "traces.example.org");
}

static void a_user_counts_only_where_the_proxy_decides(void **state)
{
    struct world *world = *state;
    static const char *const headers[] = {"X-Forwarded-User", "ann", NULL};
    assert_true(find(world, "127.0.0.1", headers));
    assert_text(world->client.user, "");
}

static void a_name_of_a_user_may_be_long_and_of_any_letters(void **state)
{
    struct world *world = *state;
    char longest[130];
    const char *const headers[] = {"X-Forwarded-User", longest, NULL};
    world->config.uploads = TV_UPLOADS_PROXY;
    memset(longest, '!', sizeof(longest) - 1); /* the first sign behind the space */
    longest[128] = '\0';
    assert_true(find(world, "127.0.0.1", headers));
    assert_text(world->client.user, longest);
    longest[128] = '!';
    longest[129] = '\0';
    assert_false(find(world, "127.0.0.1", headers));
    assert_true(find(world, "127.0.0.1",
                     (const char *const[]){"X-Forwarded-User",
                                           "gr\xc3\xb6\xc3\x9f"
                                           "e@a~b",
                                           NULL}));
    assert_text(world->client.user, "gr\xc3\xb6\xc3\x9f"
                                    "e@a~b");
}

/* Whether two clients have one share of the answers. */
static bool share(struct world *world, const char *const one[2], const char *const other[2])
{
    struct tv_http_party parties[2];
    for (unsigned i = 0; i < 2; i++) {
        const char *const *who = i ? other : one;
        const char *const headers[] = {"X-Forwarded-For", who[0], "X-Forwarded-User", who[1], NULL};
        assert_true(find(world, "127.0.0.1", headers));
        parties[i] = tv_client_party(&world->client);
    }
    return memcmp(&parties[0], &parties[1], sizeof(parties[0])) == 0;
}

#define CLIENT(address, user) ((const char *const[2]){address, user})

static void shares_are_by_user_else_by_address(void **state)
{
    struct world *world = *state;
    world->config.uploads = TV_UPLOADS_PROXY;
    assert_true(share(world, CLIENT("192.0.2.7", "ann"), CLIENT("192.0.2.8", "ann")));
    assert_false(share(world, CLIENT("192.0.2.7", "ann"), CLIENT("192.0.2.7", "bob")));
    assert_false(share(world, CLIENT("192.0.2.7", "ann"), CLIENT("192.0.2.7", "")));
    assert_true(share(world, CLIENT("192.0.2.7", ""), CLIENT("192.0.2.7", "")));
    assert_false(share(world, CLIENT("192.0.2.7", ""), CLIENT("192.0.2.8", "")));
    assert_true(share(world, CLIENT("2001:db8::1", ""), CLIENT("2001:db8::2:0:0:1", "")));
    assert_false(share(world, CLIENT("2001:db8::1", ""), CLIENT("2001:db8:0:1::1", "")));
}

static void pages_of_other_sites_are_known(void **state)
{
    struct world *world = *state;
    static const struct {
        const char *headers[7];
        bool is_own;
    } rows[] = {
        {{"Host", "a:80", NULL}, true}, /* curl */
        {{"Host", "a:80", "Origin", "http://a:80", "Sec-Fetch-Site", "same-origin", NULL}, true},
        {{"Host", "a:80", "Origin", "http://A:80", NULL}, true},
        {{"Host", "a:80", "Origin", "https://a:80", NULL}, true}, /* the scheme is not known */
        {{"Host", "a:80", "Sec-Fetch-Site", "none", NULL}, true},
        {{"Host", "a:80", "Origin", "http://a", NULL}, false},
        {{"Host", "a:80", "Origin", "http://b:80", NULL}, false},
        {{"Host", "a:80", "Origin", "null", NULL}, false},
        {{"Host", "a:80", "Origin", "", NULL}, false},
        {{"Host", "a:80", "Origin", "http://a:80/", NULL}, false},
        {{"Host", "a:80", "Origin", "file://a:80", NULL}, false},
        {{"Host", "a:80", "Origin", "http://a:80", "Sec-Fetch-Site", "cross-site", NULL}, false},
        {{"Host", "a:80", "Sec-Fetch-Site", "same-site", NULL}, false},
        {{"Host", "", "Origin", "http://", NULL}, false},
        {{"Origin", "http://a", NULL}, false},
    };
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        assert_true(find(world, "192.0.2.7", rows[i].headers));
        if (tv_client_is_same_site(&world->client, &world->request) != rows[i].is_own)
            fail_msg("row %zu", i);
    }
}

static void a_known_scheme_must_be_the_pages(void **state)
{
    struct world *world = *state;
    static const char *const headers[] = {"Host", "a", "Origin", "http://a", NULL};
    world->config.public_url = "https://a";
    assert_true(find(world, "192.0.2.7", headers));
    assert_false(tv_client_is_same_site(&world->client, &world->request));
    world->config.public_url = "http://a";
    assert_true(find(world, "192.0.2.7", headers));
    assert_true(tv_client_is_same_site(&world->client, &world->request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forwarded_headers_of_a_stranger_mean_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_trusted_proxy_is_believed, begin, end),
        cmocka_unit_test_setup_teardown(an_administrator_is_named_by_user_or_group, begin, end),
        cmocka_unit_test_setup_teardown(the_address_is_the_last_that_no_trusted_proxy_has, begin,
                                        end),
        cmocka_unit_test_setup_teardown(what_a_trusted_proxy_cannot_have_said_is_refused, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_row_of_proxies_has_an_end, begin, end),
        cmocka_unit_test_setup_teardown(a_host_that_is_none_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_public_url_is_stronger_than_every_header, begin, end),
        cmocka_unit_test_setup_teardown(a_user_counts_only_where_the_proxy_decides, begin, end),
        cmocka_unit_test_setup_teardown(a_name_of_a_user_may_be_long_and_of_any_letters, begin,
                                        end),
        cmocka_unit_test_setup_teardown(pages_of_other_sites_are_known, begin, end),
        cmocka_unit_test_setup_teardown(shares_are_by_user_else_by_address, begin, end),
        cmocka_unit_test_setup_teardown(a_known_scheme_must_be_the_pages, begin, end),
    };
    return cmocka_run_group_tests_name("site/client", tests, NULL, NULL);
}
