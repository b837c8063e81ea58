/* os/sandboxed_child: programs that try, in the sandbox, what a trace that took over its reader
 * would try; each must end without having done it, and say why. The test program is its own child:
 * with an argument it is one of the programs in `tries`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/sandbox/sandbox.h"
#include "os/sandbox/sandboxed_child.h"

#define MIB ((size_t)1 << 20)
#define NOBODY 65534u
#define VICTIM "/tmp/traceview-sandbox-victim"

/* --- in the child --- */

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(9);
}

/* Ends as a reader does that refuses its input: the text is the reason. */
static void refuse(const char *text)
{
    say(text);
    _exit(TV_CHILD_STATUS_REFUSED);
}

static void tell(bool has_worked)
{
    refuse(has_worked ? "it worked\n" : "it failed\n");
}

static void copy_input(void)
{
    char bytes[64];
    ssize_t len = read(STDIN_FILENO, bytes, sizeof(bytes));
    _exit(len > 0 && write(STDOUT_FILENO, bytes, (size_t)len) == len ? TV_CHILD_STATUS_DONE
                                                                     : TV_CHILD_STATUS_FAILED);
}

static void read_file(void)
{
    tell(open("/etc/passwd", O_RDONLY) >= 0);
}

static void make_file(void)
{
    tell(open(VICTIM, O_WRONLY | O_CREAT, 0600) >= 0);
}

static void read_memory_file(void)
{
    tell(open("/proc/self/mem", O_RDWR) >= 0);
}

static void remove_file(void)
{
    tell(unlink(VICTIM) == 0);
}

static void make_socket(void)
{
    tell(socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static void make_child(void)
{
    tell(fork() >= 0);
}

static void make_thread(void)
{
    tell(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
}

static void become_shell(void)
{
    (void)execl("/bin/sh", "sh", "-c", "true", (char *)NULL);
    tell(false);
}

static void trace_parent(void)
{
    tell(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0);
}

static void kill_parent(void)
{
    tell(kill(getppid(), 0) == 0);
}

static void read_parent(void)
{
    tell(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0) == 0);
}

static void make_code(void)
{
    tell(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED);
}

static void make_memory_file(void)
{
    tell(memfd_create("x", 0) >= 0);
}

static void change_user(void)
{
    tell(setuid(0) == 0);
}

static void eat_memory(void)
{
    size_t eaten = 0;
    for (; eaten < 1024 * MIB; eaten += MIB) {
        char *more = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            break;
        memset(more, 1, MIB);
    }
    tell(eaten >= 1024 * MIB);
}

static void spin(void)
{
    for (volatile uint64_t i = 0;; i++)
        continue;
}

static void hang(void)
{
    int never = 0;
    for (;;)
        (void)syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void hang_unheard(void)
{
    (void)close(STDERR_FILENO);
    hang();
}

static void write_without_end(void)
{
    static char zeros[65536];
    for (;;) {
        if (write(STDOUT_FILENO, zeros, sizeof(zeros)) < 0)
            refuse("it failed\n");
    }
}

static void talk_without_end(void)
{
    for (;;)
        say("la la la la la la la la la la la la la la la la la la la la la la la la la la la ");
}

static void crash(void)
{
    __builtin_trap();
}

static void say_markup(void)
{
    refuse("a\x1b[31m<b>\xff\xe2\x80\xae\nsecond line\n");
}

/* What is told of each program. */
static const struct
try {
    const char *name;
    void (*run)(void);
    enum tv_sandboxed_end end;
    const char *reason; /* is in what is told */
    bool needs_filter;
}
tries[] = {
    {"copies", copy_input, TV_CHILD_DONE, "", false},
    {"reads a file", read_file, TV_CHILD_REFUSED, "it failed", false},
    {"makes a file", make_file, TV_CHILD_REFUSED, "it failed", false},
    {"opens its memory", read_memory_file, TV_CHILD_REFUSED, "it failed", false},
    {"removes a file", remove_file, TV_CHILD_BROKEN, "what no trace needs", true},
    {"makes a socket", make_socket, TV_CHILD_BROKEN, "what no trace needs", true},
    {"forks", make_child, TV_CHILD_BROKEN, "what no trace needs", true},
    {"clones", make_thread, TV_CHILD_BROKEN, "what no trace needs", true},
    {"becomes a shell", become_shell, TV_CHILD_BROKEN, "what no trace needs", true},
    {"traces its parent", trace_parent, TV_CHILD_BROKEN, "what no trace needs", true},
    {"signals its parent", kill_parent, TV_CHILD_BROKEN, "what no trace needs", true},
    {"reads its parent", read_parent, TV_CHILD_BROKEN, "what no trace needs", true},
    {"makes code", make_code, TV_CHILD_BROKEN, "what no trace needs", true},
    {"makes a file in memory", make_memory_file, TV_CHILD_BROKEN, "what no trace needs", true},
    {"becomes root", change_user, TV_CHILD_BROKEN, "what no trace needs", true},
    {"spins", spin, TV_CHILD_BROKEN, "processor time", false},
    {"hangs", hang, TV_CHILD_BROKEN, "took too long", false},
    {"hangs unheard", hang_unheard, TV_CHILD_BROKEN, "took too long", false},
    {"writes without end", write_without_end, TV_CHILD_BROKEN, "crashed (signal 25)", false},
    {"talks without end", talk_without_end, TV_CHILD_BROKEN, "wrote without end", false},
    {"crashes", crash, TV_CHILD_BROKEN, "crashed (signal 4)", false},
    {"says markup", say_markup, TV_CHILD_REFUSED, "a\\x1b[31m<b>\xef\xbf\xbd\\u202e", false},
    {"eats memory", eat_memory, TV_CHILD_REFUSED, "it failed", false},
};

static int be_child(const char *name)
{
    struct tv_sandbox sandbox;
    /* Its parent left it three files, and no variable. */
    if (fcntl(STDERR_FILENO + 1, F_GETFD) >= 0 || getenv("PATH"))
        refuse("it has more than it needs\n");
    tv_sandbox_enter_landlock(&sandbox);
    tv_sandbox_close(&sandbox);
    for (size_t i = 0; i < TV_COUNT_OF(tries); i++) {
        if (strcmp(tries[i].name, name) == 0)
            tries[i].run();
    }
    return 9;
}

/* Stays until it is killed, and tells its number. */
static int be_left(void)
{
    pid_t own = getpid();
    struct tv_sandbox sandbox;
    if (write(STDOUT_FILENO, &own, sizeof(own)) != sizeof(own))
        return 9;
    tv_sandbox_close(&sandbox);
    hang();
    return 0;
}

/* Tells who it is. */
static int be_user(void)
{
    uid_t ids[3];
    gid_t group = getgid();
    if (getresuid(&ids[0], &ids[1], &ids[2]) != 0)
        return 9;
    bool is_other = ids[0] == NOBODY && ids[1] == NOBODY && ids[2] == NOBODY && group == NOBODY &&
                    getgroups(0, NULL) == 0;
    return is_other ? TV_CHILD_STATUS_DONE : TV_CHILD_STATUS_FAILED;
}

/* --- in the test --- */

static int file_with(const char *text)
{
    int fd = memfd_create("file", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static struct tv_sandboxed_child child_for(const char *const *words)
{
    return (struct tv_sandboxed_child){
        .words = words,
        .in_fd = file_with("hello"),
        .out_fd = file_with(""),
        .limits = {.memory = 256 * MIB, .file_len = 1 * MIB, .cpu_s = 1, .wall_s = 100}};
}

static void close_files(const struct tv_sandboxed_child *child)
{
    (void)close(child->in_fd);
    (void)close(child->out_fd);
}

static bool has_output(const struct tv_sandboxed_child *child, const char *text)
{
    char bytes[64] = "";
    ssize_t len = pread(child->out_fd, bytes, sizeof(bytes) - 1, 0);
    return len == (ssize_t)strlen(text) && strcmp(bytes, text) == 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_memory_limit = false;
#else
static const bool has_memory_limit = true;
#endif

static void check_try(const struct try *try)
{
    const char *const words[] = {"crafted", try->name, NULL};
    struct tv_sandboxed_child child = child_for(words);
    struct tv_error err = {.code = TV_OK};
    enum tv_sandboxed_end end;
    if (strcmp(try->name, "hangs unheard") == 0 || strcmp(try->name, "hangs") == 0)
        child.limits.wall_s = 1;
    assert_int_equal(tv_sandboxed_child_run(&child, &end, &err), TV_OK);
    if (end != try->end || !strstr(err.text, try->reason))
        fail_msg("%s: end %d, '%s'", try->name, (int)end, err.text);
    assert_true(has_output(&child, try->run == copy_input ? "hello" : "") ||
                try->run == write_without_end);
    assert_int_not_equal(access(VICTIM, F_OK), 0);
    close_files(&child);
}

static void what_a_child_tries_fails(void **state)
{
    (void)state;
    bool has_filter = tv_sandbox_probe().has_filter;
    (void)unlink(VICTIM);
    for (size_t i = 0; i < TV_COUNT_OF(tries); i++) {
        if ((tries[i].needs_filter && !has_filter) ||
            (tries[i].run == eat_memory && !has_memory_limit)) {
            print_message("skipped: a child that %s: %s\n", tries[i].name,
                          has_memory_limit ? "a kernel without seccomp"
                                           : "under a sanitizer memory has no limit");
            continue;
        }
        check_try(&tries[i]);
    }
}

static bool never(void *ctx)
{
    ++*(unsigned *)ctx;
    return false;
}

static void a_child_stops_when_told(void **state)
{
    const char *const words[] = {"crafted", "hangs", NULL};
    struct tv_sandboxed_child child = child_for(words);
    struct tv_error err = {.code = TV_OK};
    enum tv_sandboxed_end end;
    unsigned asked = 0;
    (void)state;
    child.goes_on = never;
    child.ctx = &asked;
    assert_int_equal(tv_sandboxed_child_run(&child, &end, &err), TV_OK);
    assert_int_equal(end, TV_CHILD_STOPPED);
    assert_int_equal(asked, 1);
    close_files(&child);
}

static void a_child_of_root_is_another_user(void **state)
{
    const char *const words[] = {"user", NULL};
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: only root can become another user\n");
        skip();
    }
    struct tv_sandboxed_child child = child_for(words);
    struct tv_error err = {.code = TV_OK};
    enum tv_sandboxed_end end;
    child.has_user = true;
    child.user = NOBODY;
    child.group = NOBODY;
    enum tv_code code = tv_sandboxed_child_run(&child, &end, &err);
    if (code != TV_OK || end != TV_CHILD_DONE)
        fail_msg("%s", err.text);
    close_files(&child);
}

static void run_left_child(int out_fd)
{
    const char *const words[] = {"left", NULL};
    struct tv_sandboxed_child child = child_for(words);
    enum tv_sandboxed_end end;
    child.out_fd = out_fd;
    child.limits.wall_s = 60;
    _exit(tv_sandboxed_child_run(&child, &end, NULL) == TV_OK ? 0 : 1);
}

static bool is_gone(pid_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    char target[8];
    return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

/* A server that is killed leaves no child behind. */
static void a_child_ends_with_its_parent(void **state)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    int out_fd = file_with("");
    pid_t left = 0;
    (void)state;
    pid_t parent = fork();
    if (parent == 0)
        run_left_child(out_fd);
    for (int i = 0; i < 500 && pread(out_fd, &left, sizeof(left), 0) != sizeof(left); i++)
        (void)nanosleep(&pause, NULL);
    assert_true(left > 0);
    assert_false(is_gone(left));
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    for (int i = 0; i < 500 && !is_gone(left); i++)
        (void)nanosleep(&pause, NULL);
    assert_true(is_gone(left));
    (void)close(out_fd);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[0], "crafted") == 0)
        return be_child(argv[1]);
    if (argc == 1 && strcmp(argv[0], "left") == 0)
        return be_left();
    if (argc == 1 && strcmp(argv[0], "user") == 0)
        return be_user();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_tries_fails),
        cmocka_unit_test(a_child_stops_when_told),
        cmocka_unit_test(a_child_of_root_is_another_user),
        cmocka_unit_test(a_child_ends_with_its_parent),
    };
    return cmocka_run_group_tests_name("os/sandboxed_child", tests, NULL, NULL);
}
