/* site/upload/body_receiver: how many uploads are under way at once. What becomes of their bytes is
 * tested against the program, by tests/site/sited_uploads.py. */
#include "site/upload/body_receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "os/memory/alloc.h"

#define MOST 8u
#define BYTES_MOST 100u

struct world {
    char folder[40];
    struct tv_store store;
    struct tv_site_config config;
    struct tv_site site;
    struct tv_http_request request;
    struct tv_request_context context[MOST];
    unsigned count;
    struct tv_http_response response; /* of who came last */
};

static int begin(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    assert_non_null(world);
    (void)snprintf(world->folder, sizeof(world->folder), "/tmp/traceview-taking-XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    assert_int_equal(tv_store_open_place(&world->store,
                                         &(struct tv_store_place){.rows = world->folder},
                                         TV_STORE_MAKE, tv_os_alloc(), NULL),
                     TV_OK);
    tv_site_config_init(&world->config, tv_os_alloc());
    world->site =
        (struct tv_site){.alloc = tv_os_alloc(), .config = &world->config, .store = &world->store};
    assert_int_equal(pthread_mutex_init(&world->site.lock, NULL), 0);
    world->request = (struct tv_http_request){.method = TV_HTTP_PATCH, .connection = -1};
    tv_http_response_init(&world->response, tv_os_alloc());
    *state = world;
    return 0;
}

static int end(void **state)
{
    struct world *world = *state;
    char command[64];
    for (unsigned i = 0; i < world->count; i++) {
        tv_body_receiver_free(world->context[i].receiver);
        tv_arena_release(&world->context[i].arena);
    }
    assert_null(world->site.receivers);
    tv_http_response_release(&world->response);
    (void)pthread_mutex_destroy(&world->site.lock);
    tv_site_config_release(&world->config);
    tv_store_close(&world->store);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", world->folder);
    free(world);
    return system(command);
}

/* A piece of an upload comes from that address. False: it is refused, with the answer that all get
 * who come when there are too many. */
static bool comes(struct world *world, const char *address)
{
    const struct tv_body_receiver_opts opts = {.kind = TV_BODY_RECEIVER_PIECE, .most = BYTES_MOST};
    struct tv_http_body_sink how;
    assert_true(world->count < MOST);
    struct tv_request_context *context = &world->context[world->count++];
    *context = (struct tv_request_context){
        .site = &world->site, .request = &world->request, .path = TV_STR("/api/v1/uploads/1")};
    tv_arena_init(&context->arena, tv_os_alloc());
    assert_true(tv_address_parse(tv_str_from(address), &context->client.address));
    world->request.party = tv_client_party(&context->client);
    tv_http_response_release(&world->response);
    tv_http_response_init(&world->response, tv_os_alloc());
    if (tv_body_receiver_begin(context, &opts, &how, &world->response) == TV_HTTP_TAKE_PIECES) {
        assert_int_equal(how.most, BYTES_MOST);
        return true;
    }
    assert_int_equal(world->response.status, 429);
    assert_string_equal(tv_http_added(&world->response, "Retry-After"), "5");
    return false;
}

static void leaves(struct world *world, unsigned i)
{
    tv_body_receiver_leave(world->context[i].receiver);
}

static void an_address_has_so_many_uploads_at_once(void **state)
{
    struct world *world = *state;
    world->config.uploads_at_once_per_address = 2;
    assert_true(comes(world, "192.0.2.1"));
    assert_true(comes(world, "192.0.2.1"));
    assert_false(comes(world, "192.0.2.1"));
    assert_true(comes(world, "192.0.2.2"));
    leaves(world, 0);
    assert_true(comes(world, "192.0.2.1"));
    assert_false(comes(world, "192.0.2.1"));
}

/* Whoever has one address of IPv6 has all that share its first 64 bits. */
static void a_network_of_ipv6_counts_as_one_address(void **state)
{
    struct world *world = *state;
    world->config.uploads_at_once_per_address = 1;
    assert_true(comes(world, "2001:db8::1"));
    assert_false(comes(world, "2001:db8::2"));
    assert_true(comes(world, "2001:db8:0:1::1"));
}

static void the_site_has_so_many_uploads_at_once(void **state)
{
    struct world *world = *state;
    world->config.uploads_at_once = 3;
    world->config.uploads_at_once_per_address = 2;
    assert_true(comes(world, "192.0.2.1"));
    assert_true(comes(world, "192.0.2.2"));
    assert_true(comes(world, "192.0.2.3"));
    assert_false(comes(world, "192.0.2.4"));
    leaves(world, 1);
    leaves(world, 1); /* which is once */
    assert_true(comes(world, "192.0.2.4"));
    assert_false(comes(world, "192.0.2.5"));
}

static void zero_is_no_limit(void **state)
{
    struct world *world = *state;
    world->config.uploads_at_once = world->config.uploads_at_once_per_address = 0;
    for (unsigned i = 0; i < MOST; i++)
        assert_true(comes(world, "192.0.2.1"));
}

/* What a client sends while its first uploads are under way. */
static void the_usual_limit_of_an_address_is_four(void **state)
{
    struct world *world = *state;
    for (unsigned i = 0; i < 4; i++)
        assert_true(comes(world, "192.0.2.1"));
    assert_false(comes(world, "192.0.2.1"));
}

static void bytes_beyond_the_most_are_refused(void **state)
{
    struct world *world = *state;
    static const char bytes[BYTES_MOST + 1];
    struct tv_error err;
    const struct tv_body_receiver_opts opts = {.kind = TV_BODY_RECEIVER_PIECE, .most = BYTES_MOST};
    struct tv_http_body_sink how;
    assert_true(comes(world, "192.0.2.1"));
    leaves(world, 0);
    tv_body_receiver_free(world->context[0].receiver);
    assert_int_equal(tv_body_receiver_begin(&world->context[0], &opts, &how, &world->response),
                     TV_HTTP_TAKE_PIECES);
    assert_int_equal(how.sink.write(how.sink.ctx, bytes, BYTES_MOST - 1, &err), TV_OK);
    assert_int_equal(how.sink.write(how.sink.ctx, bytes, 2, &err), TV_ERR_LIMIT);
    assert_int_equal(world->context[0].receiver->status, 413);
    assert_int_equal(how.sink.write(how.sink.ctx, bytes, 1, &err), TV_OK);
    assert_int_equal(how.sink.write(how.sink.ctx, bytes, 1, &err), TV_ERR_LIMIT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_address_has_so_many_uploads_at_once), TEST(a_network_of_ipv6_counts_as_one_address),
        TEST(the_site_has_so_many_uploads_at_once),   TEST(zero_is_no_limit),
        TEST(the_usual_limit_of_an_address_is_four),  TEST(bytes_beyond_the_most_are_refused),
    };
    return cmocka_run_group_tests_name("site/upload/body_receiver", tests, NULL, NULL);
}
