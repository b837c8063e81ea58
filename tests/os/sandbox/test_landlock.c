/* os/sandbox/landlock: what a thread in a Landlock domain can do, and what it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/sandbox/landlock.h"

static char folder[] = "/tmp/traceview-landlock-XXXXXX";
static char other[] = "/tmp/traceview-landlock-XXXXXX";

static long version_of_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1u);
}

static int make_folders(void **state)
{
    (void)state;
    return mkdtemp(folder) && mkdtemp(other) ? 0 : -1;
}

static int remove_folders(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf '%s' '%s'", folder, other);
    return system(command);
}

/* What a thread tried, and what became of it: 0, or errno. */
struct tries {
    int fd; /* of a file that was open before */
    int read_open;
    int read_other;
    int list;
    int write_in;
    int write_out;
    int remove_out;
    int start;
    int connect;
};

static int failure_of(int result)
{
    return result < 0 ? errno : 0;
}

static int try_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    int failure = failure_of(fd);
    (void)close(fd);
    return failure;
}

static int try_in(const char *place, const char *name, int flags)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/%s", place, name);
    return try_open(path, flags);
}

/* A program is started by a process that inherits the Landlock domain. */
static int try_start(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        char *words[] = {(char[]){"true"}, NULL};
        (void)execv("/bin/true", words);
        _exit(errno == EACCES ? EACCES : 99);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Nobody listens there; in the Landlock domain that is not even asked. */
static int try_connect(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(1)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int failure = failure_of(connect(client, (struct sockaddr *)&address, sizeof(address)));
    (void)close(client);
    return failure;
}

static void try_all(void *ctx)
{
    struct tries *tries = ctx;
    char byte;
    tries->read_open = failure_of((int)pread(tries->fd, &byte, 1, 0));
    tries->read_other = try_open("/etc/passwd", O_RDONLY);
    tries->list = try_open("/etc", O_RDONLY | O_DIRECTORY);
    tries->write_in = try_in(folder, "in", O_WRONLY | O_CREAT);
    tries->write_out = try_in(other, "out", O_WRONLY | O_CREAT);
    tries->remove_out = failure_of(rmdir(other));
    tries->start = try_start();
    tries->connect = try_connect();
}

static void *try_all_on_a_thread(void *ctx)
{
    try_all(ctx);
    return NULL;
}

/* A thread that is started in the Landlock domain. */
static void try_all_one_further(void *ctx)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, try_all_on_a_thread, ctx) == 0)
        (void)pthread_join(thread, NULL);
}

static struct tries try_inside(const struct tv_landlock *domain, void (*body)(void *ctx))
{
    struct tries tries;
    memset(&tries, -1, sizeof(tries));
    tries.fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    assert_int_equal(tv_landlock_run(domain, body, &tries), version_of_landlock() >= 1);
    (void)close(tries.fd);
    return tries;
}

static void check_network(const struct tries *tries)
{
    assert_int_equal(tries->connect, version_of_landlock() >= 4 ? EACCES : ECONNREFUSED);
}

static void a_reader_has_what_is_open_and_nothing_else(void **state)
{
    void (*const ways[])(void *) = {try_all, try_all_one_further};
    const struct tv_landlock domain = tv_landlock_for_readers();
    (void)state;
    if (version_of_landlock() < 1) {
        print_message("skipped: what is in a Landlock domain: a kernel without Landlock\n");
        return;
    }
    for (size_t i = 0; i < TV_COUNT_OF(ways); i++) {
        struct tries tries = try_inside(&domain, ways[i]);
        assert_int_equal(tries.read_open, 0);
        assert_int_equal(tries.read_other, EACCES);
        assert_int_equal(tries.list, EACCES);
        assert_int_equal(tries.write_in, EACCES);
        assert_int_equal(tries.write_out, EACCES);
        assert_int_equal(tries.remove_out, EACCES);
        assert_int_equal(tries.start, EACCES);
        check_network(&tries);
    }
}

static void a_wall_with_folders_lets_write_there_alone(void **state)
{
    const struct tv_landlock domain = {
        .may_read = true, .folders = {folder, "/nothing/is/here"}, .folder_count = 2};
    (void)state;
    if (version_of_landlock() < 1) {
        print_message("skipped: what is in a Landlock domain: a kernel without Landlock\n");
        return;
    }
    struct tries tries = try_inside(&domain, try_all);
    assert_int_equal(tries.read_open, 0);
    assert_int_equal(tries.read_other, 0);
    assert_int_equal(tries.list, 0);
    assert_int_equal(tries.write_in, 0);
    assert_int_equal(tries.write_out, EACCES);
    assert_int_equal(tries.remove_out, EACCES);
    assert_int_equal(tries.start, EACCES);
    check_network(&tries);
}

static void whoever_waits_keeps_its_freedom(void **state)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    struct tries tries = try_inside(&domain, try_all);
    (void)state;
    memset(&tries, -1, sizeof(tries));
    try_all(&tries);
    assert_int_equal(tries.read_other, 0);
    assert_int_equal(tries.write_out, 0);
    assert_int_equal(tries.start, 0);
    assert_int_equal(tries.connect, ECONNREFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_has_what_is_open_and_nothing_else),
        cmocka_unit_test(a_wall_with_folders_lets_write_there_alone),
        cmocka_unit_test(whoever_waits_keeps_its_freedom),
    };
    return cmocka_run_group_tests_name("os/landlock", tests, make_folders, remove_folders);
}
