/* os/peer: who is at the other end of a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/network/peer.h"

#define NOBODY 65534

static int listen_here(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address)) != 0)
        return -1;
    return client;
}

static int connect_through_ipv6(uint16_t port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    (void)inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    int client = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client < 0 || connect(client, (struct sockaddr *)&address, sizeof(address)) != 0)
        return -1;
    return client;
}

static void this_process_is_own_on_any_socket(void **state)
{
    int (*const ways[])(uint16_t) = {connect_to, connect_through_ipv6};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        uint16_t port;
        int listener = listen_here(&port);
        int client = ways[i](port);
        if (client < 0 && i == 1) {
            print_message("skipped: IPv4 through IPv6: a machine without IPv6\n");
        } else {
            int connection = accept(listener, NULL, NULL);
            assert_true(tv_peer_is_own(connection));
            (void)close(connection);
        }
        (void)close(client);
        (void)close(listener);
    }
}

static void who_has_hung_up_is_nobody(void **state)
{
    uint16_t port;
    (void)state;
    int listener = listen_here(&port);
    int client = connect_to(port);
    int connection = accept(listener, NULL, NULL);
    (void)close(client);
    assert_false(tv_peer_is_own(connection));
    (void)close(connection);
    (void)close(listener);
    assert_false(tv_peer_is_own(-1));
    assert_false(tv_peer_is_own(STDIN_FILENO));
}

static void who_has_closed_has_gone_also_with_bytes_unread(void **state)
{
    uint16_t port;
    (void)state;
    int listener = listen_here(&port);
    int client = connect_to(port);
    int connection = accept(listener, NULL, NULL);
    assert_false(tv_peer_has_gone(connection));
    assert_int_equal(send(client, "more", 4, 0), 4);
    assert_false(tv_peer_has_gone(connection));
    (void)close(client);
    for (unsigned i = 0; i < 1000 && !tv_peer_has_gone(connection); i++)
        (void)usleep(1000);
    assert_true(tv_peer_has_gone(connection));
    (void)close(connection);
    (void)close(listener);
}

/* Connects as another user, and stays until the other end is closed. */
static pid_t start_stranger(uint16_t port)
{
    pid_t child = fork();
    if (child == 0) {
        char byte;
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        int client = connect_to(port);
        _exit(client < 0 || read(client, &byte, 1) != 0);
    }
    return child;
}

static void another_user_is_a_stranger(void **state)
{
    uint16_t port;
    int status = 0;
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: the connection of another user: needs root\n");
        return;
    }
    int listener = listen_here(&port);
    pid_t stranger = start_stranger(port);
    int connection = accept(listener, NULL, NULL);
    assert_true(connection >= 0);
    assert_false(tv_peer_is_own(connection));
    (void)close(connection);
    (void)close(listener);
    assert_int_equal(waitpid(stranger, &status, 0), stranger);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_process_is_own_on_any_socket),
        cmocka_unit_test(who_has_hung_up_is_nobody),
        cmocka_unit_test(who_has_closed_has_gone_also_with_bytes_unread),
        cmocka_unit_test(another_user_is_a_stranger),
    };
    return cmocka_run_group_tests_name("os/peer", tests, NULL, NULL);
}
