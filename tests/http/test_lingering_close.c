/* http/lingering_close: what comes is dropped until it ends, or too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/lingering_close.h"

static struct tv_lingering_close lingering;

/* A connection whose server has said lingering close; returns the client's end. */
static int leave(uint64_t now_ns)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(send(ends[0], "answer", 6, 0), 6);
    tv_lingering_close_begin(&lingering, ends[0], now_ns);
    (void)close(ends[0]);
    return ends[1];
}

static bool can_send(int client)
{
    static const char bytes[1000];
    return send(client, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(bytes);
}

static void a_client_can_send_on_and_hears_the_answer(void **state)
{
    char text[16];
    (void)state;
    tv_lingering_close_init(&lingering);
    int client = leave(0);
    for (unsigned i = 0; i < 2000; i++) {
        assert_true(can_send(client));
        if (i % 20 == 0)
            tv_lingering_close_tick(&lingering, 1);
    }
    assert_int_equal(recv(client, text, sizeof(text), 0), 6);
    assert_int_equal(recv(client, text, sizeof(text), 0), 0);
    tv_lingering_close_tick(&lingering,
                            0); /* the clock was read before the lingering close began */
    assert_int_equal(lingering.count, 1);
    (void)close(client);
    tv_lingering_close_tick(&lingering, 1);
    assert_int_equal(lingering.count, 0);
    tv_lingering_close_release(&lingering);
}

static void nobody_sends_for_ever(void **state)
{
    (void)state;
    tv_lingering_close_init(&lingering);
    int client = leave(5);
    tv_lingering_close_tick(&lingering, 5 + TV_LINGERING_CLOSE_NS);
    assert_true(can_send(client));
    tv_lingering_close_tick(&lingering, 6 + TV_LINGERING_CLOSE_NS);
    assert_false(can_send(client));
    assert_int_equal(lingering.count, 0);
    (void)close(client);
    tv_lingering_close_release(&lingering);
}

static void one_too_many_ends_the_oldest(void **state)
{
    int clients[TV_LINGERING_CLOSE_MOST + 1];
    (void)state;
    tv_lingering_close_init(&lingering);
    for (unsigned i = 0; i <= TV_LINGERING_CLOSE_MOST; i++)
        clients[i] = leave(i);
    assert_false(can_send(clients[0]));
    assert_true(can_send(clients[1]));
    assert_int_equal(lingering.count, TV_LINGERING_CLOSE_MOST);
    tv_lingering_close_release(&lingering);
    for (unsigned i = 0; i <= TV_LINGERING_CLOSE_MOST; i++) {
        assert_false(can_send(clients[i]));
        (void)close(clients[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_can_send_on_and_hears_the_answer),
        cmocka_unit_test(nobody_sends_for_ever),
        cmocka_unit_test(one_too_many_ends_the_oldest),
    };
    return cmocka_run_group_tests_name("http/lingering_close", tests, NULL, NULL);
}
