/* server/event_clients: who listens, and who is woken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/event_clients.h"
#include "server/events.h"
#include "server/traces.h"

struct world {
    struct tv_traces traces;
    struct tv_event_clients event_clients;
    struct tv_http_source source;
    unsigned wakes;
    unsigned readers; /* that were not released yet */
};

static void wake(void *ctx)
{
    struct world *world = ctx;
    world->wakes++;
}

static void release(void *ctx)
{
    struct world *world = ctx;
    world->readers--;
}

static void open_stream(struct world *world)
{
    const struct tv_http_reader reader = {.wake = wake, .release = release, .ctx = world};
    assert_int_equal(
        tv_event_clients_open(&world->event_clients, world->traces.of[0], &world->source, NULL),
        TV_OK);
    world->readers++;
    assert_true(world->source.calls->begin(world->source.ctx, &reader));
}

static void begin(struct world *world)
{
    *world = (struct world){.wakes = 0};
    assert_int_equal(tv_traces_init(&world->traces, tv_alloc_libc(), NULL), TV_OK);
    tv_event_clients_init(&world->event_clients, tv_alloc_libc());
}

static void end(struct world *world)
{
    assert_int_equal(world->readers, 0);
    tv_event_clients_release(&world->event_clients);
    tv_traces_release(&world->traces);
}

static void one_who_asks_by_head_does_not_listen(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    assert_int_equal(
        tv_event_clients_open(&world.event_clients, world.traces.of[0], &world.source, NULL),
        TV_OK);
    world.source.calls->leave(world.source.ctx);
    assert_false(tv_event_clients_look(&world.event_clients).has_been_there);
    end(&world);
}

static void streams_and_downloads_count_until_they_leave(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    open_stream(&world);
    struct tv_http_source first = world.source;
    open_stream(&world);
    tv_event_clients_come(&world.event_clients);
    assert_int_equal(tv_event_clients_look(&world.event_clients).count, 3);
    first.calls->leave(first.ctx);
    tv_event_clients_leave(&world.event_clients);
    world.source.calls->leave(world.source.ctx);
    struct tv_event_clients_view view = tv_event_clients_look(&world.event_clients);
    assert_int_equal(view.count, 0);
    assert_true(view.has_been_there);
    assert_true(view.left_ns > 0);
    end(&world);
}

static void a_sleeping_stream_is_woken_once_by_news(void **state)
{
    struct world world;
    struct tv_origin origin;
    char out[TV_EVENTS_ROOM];
    (void)state;
    begin(&world);
    open_stream(&world);
    const struct tv_http_source source = world.source;
    while (source.calls->read(source.ctx, out, sizeof(out)) > 0)
        assert_int_equal(world.wakes, 0);
    tv_event_clients_tick(&world.event_clients);
    assert_int_equal(world.wakes, 0);
    tv_origin_init(&origin, TV_ORIGIN_FILE, "x.trace", TV_STR("x.trace"));
    tv_state_want(world.traces.of[0], &origin);
    tv_event_clients_tick(&world.event_clients);
    tv_event_clients_tick(&world.event_clients);
    assert_int_equal(world.wakes, 1);
    ssize_t len = source.calls->read(source.ctx, out, sizeof(out));
    assert_true(len > 0);
    assert_int_equal(memcmp(out, "event: progress", 15), 0);
    assert_int_equal(source.calls->read(source.ctx, out, 1), 0);
    source.calls->leave(source.ctx);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_who_asks_by_head_does_not_listen),
        cmocka_unit_test(streams_and_downloads_count_until_they_leave),
        cmocka_unit_test(a_sleeping_stream_is_woken_once_by_news),
    };
    return cmocka_run_group_tests_name("server/event_clients", tests, NULL, NULL);
}
