/* cli/load: whoever reads a trace can open no other file, wherever it is in its reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "os/memory/alloc.h"
#include "os/process/pool.h"
#include "os/sandbox/landlock.h"

#define PACKED "tests/data/recipes.trace.zst"
#define PLAIN "tests/data/made/v3-dual.trace"

static void do_nothing(void *ctx)
{
    (void)ctx;
}

/* Whether this kernel makes walls. */
static bool has_landlock(void)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    return tv_landlock_run(&domain, do_nothing, NULL);
}

/* A reader that a trace has taken over: it asks for another file whenever it asks for memory or
 * tells how far it is. */
struct traitor {
    struct tv_alloc alloc;
    atomic_uint tries;
    atomic_uint opened;
};

static void betray(struct traitor *traitor)
{
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    atomic_fetch_add(&traitor->tries, 1);
    if (fd >= 0 || errno != EACCES)
        atomic_fetch_add(&traitor->opened, 1);
    if (fd >= 0)
        (void)close(fd);
}

static void *betray_and_resize(void *ctx, void *block, size_t old_len, size_t new_len)
{
    const struct tv_alloc *libc = tv_alloc_libc();
    if (new_len > old_len)
        betray(ctx);
    return libc->resize(libc->ctx, block, old_len, new_len);
}

static bool betray_and_tell(void *ctx, uint64_t done, uint64_t of)
{
    (void)done;
    (void)of;
    betray(ctx);
    return true;
}

static void begin(struct traitor *traitor)
{
    memset(traitor, 0, sizeof(*traitor));
    traitor->alloc = (struct tv_alloc){.resize = betray_and_resize, .ctx = traitor};
}

static void a_reader_that_is_taken_over_opens_no_file(void **state)
{
    static const char *const names[] = {PACKED, PLAIN};
    (void)state;
    if (!has_landlock()) {
        print_message("skipped: what a reader can open: a kernel without Landlock\n");
        return;
    }
    for (size_t i = 0; i < TV_COUNT_OF(names); i++) {
        struct traitor traitor;
        struct tv_opened opened;
        begin(&traitor);
        const struct tv_open_opts progress = {.tell = betray_and_tell, .ctx = &traitor};
        tv_opened_init(&opened, &traitor.alloc);
        assert_int_equal(tv_opened_open(&opened, names[i], &progress, NULL), TV_OK);
        assert_true(atomic_load(&traitor.tries) > 0);
        assert_int_equal(atomic_load(&traitor.opened), 0);
        tv_opened_release(&opened);
    }
}

/* How often memory is asked for until the trace is open. */
static unsigned tries_of_opening(void)
{
    struct traitor traitor;
    struct tv_opened opened;
    begin(&traitor);
    tv_opened_init(&opened, &traitor.alloc);
    assert_int_equal(tv_opened_open(&opened, PLAIN, NULL, NULL), TV_OK);
    tv_opened_release(&opened);
    return atomic_load(&traitor.tries);
}

static void a_builder_that_is_taken_over_opens_no_file(void **state)
{
    struct traitor traitor;
    struct tv_workers *workers;
    struct tv_index_cache cached;
    struct tv_index index;
    bool was_saved;
    (void)state;
    if (!has_landlock()) {
        print_message("skipped: what a reader can open: a kernel without Landlock\n");
        return;
    }
    begin(&traitor);
    assert_int_equal(tv_workers_new(&workers, tv_alloc_libc(), 3, NULL), TV_OK);
    const struct tv_cli cli = {
        .alloc = &traitor.alloc, .pool = tv_workers_pool(workers), .out = stdout, .err = stderr};
    tv_index_init(&index);
    assert_int_equal(tv_load(&cli, PLAIN, &cached, &index, &was_saved, NULL), TV_OK);
    assert_true(atomic_load(&traitor.tries) > tries_of_opening());
    assert_int_equal(atomic_load(&traitor.opened), 0);
    tv_index_release(&index);
    tv_workers_free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_that_is_taken_over_opens_no_file),
        cmocka_unit_test(a_builder_that_is_taken_over_opens_no_file),
    };
    return cmocka_run_group_tests_name("cli/load", tests, NULL, NULL);
}
