/* os/lock: what several processes add to one file is all there, where folders cannot be locked,
 * too. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"
#include "os/file/lock.h"
#include "os/file/paths.h"

#define PROCESSES 6
#define TIMES 15

static char folder[] = "/tmp/traceview-lock-XXXXXX";
/* What flock() refuses: nothing; folders, as on NFS; all, as where an NFS server has no locks. */
static enum { NOTHING, FOLDERS, ALL } refused;

/* Stands before that of the C library. */
int flock(int fd, int operation)
{
    struct stat status;
    if (refused != NOTHING && fstat(fd, &status) == 0 &&
        (refused == ALL || S_ISDIR(status.st_mode))) {
        errno = refused == ALL ? ENOLCK : EBADF;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, operation);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/in/list", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/in/list.lock", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/in", folder);
    (void)rmdir(path);
    return rmdir(folder);
}

/* Reads the file, and writes it with a byte more. */
static enum tv_code add_byte(const char *path)
{
    struct tv_lock lock;
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    TV_TRY(tv_lock_take(&lock, path, NULL));
    enum tv_code code = tv_file_read_small(path, 1000, &text, NULL);
    if (code == TV_OK || code == TV_ERR_NOT_FOUND)
        code = tv_buffer_append(&text, "x", 1, NULL);
    if (code == TV_OK)
        code = tv_file_replace(path, tv_buffer_view(&text), NULL);
    tv_lock_drop(&lock);
    tv_buffer_release(&text);
    return code;
}

static void nothing_is_lost_that_several_processes_add(void **state)
{
    char path[TV_PATH_CAP];
    struct tv_buffer text;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/in/list", folder);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            enum tv_code code = TV_OK;
            for (int j = 0; j < TIMES && code == TV_OK; j++)
                code = add_byte(path);
            _exit(code == TV_OK ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    tv_buffer_init(&text, tv_alloc_libc());
    assert_int_equal(tv_file_read_small(path, 1000, &text, NULL), TV_OK);
    assert_int_equal(text.len, PROCESSES * TIMES);
    tv_buffer_release(&text);
    assert_int_equal(unlink(path), 0);
}

static void nothing_is_lost_where_folders_have_no_locks(void **state)
{
    refused = FOLDERS;
    nothing_is_lost_that_several_processes_add(state);
    refused = NOTHING;
}

static void a_disk_without_locks_hinders_nobody(void **state)
{
    char path[TV_PATH_CAP];
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/in/list", folder);
    refused = ALL;
    assert_int_equal(add_byte(path), TV_OK);
    assert_int_equal(add_byte(path), TV_OK);
    refused = NOTHING;
}

static void a_folder_that_cannot_be_is_told(void **state)
{
    struct tv_lock lock;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(tv_lock_take(&lock, "/dev/null/in/list", &err), TV_ERR_SYSTEM);
    assert_int_equal(lock.fd, -1);
    assert_non_null(strstr(err.text, "/dev/null"));
    tv_lock_drop(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_that_several_processes_add),
        cmocka_unit_test(nothing_is_lost_where_folders_have_no_locks),
        cmocka_unit_test(a_disk_without_locks_hinders_nobody),
        cmocka_unit_test(a_folder_that_cannot_be_is_told),
    };
    return cmocka_run_group_tests_name("os/lock", tests, make_folder, remove_folder);
}
