/* fleet/rows_db: what was put comes back; putting again replaces it; what no run has is nowhere. */
#include "fleet/rows_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"

#define RAW_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RAW_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define TRACE "dddddddddddddddddddddddddddddddd"
#define OTHER_TRACE "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
#define HOSTILE "it's; \"DROP TABLE runs\" -- \0 \xff"
#define INDEX "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static char path[] = "/tmp/traceview-rows-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int remove_path(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[64];
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(ends); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        (void)unlink(name);
    }
    return 0;
}

/* Rows of the first methods of these. */
static void fill(struct tv_trace_rows *rows, struct tv_fleet_row *of, size_t count,
                 uint64_t time_ns)
{
    static struct tv_fleet_method methods[] = {{{"shop.Cart", 9}, {"pay", 3}, {"()V", 3}},
                                               {{"", 0}, {HOSTILE, sizeof(HOSTILE) - 1}, {"", 0}}};
    tv_trace_rows_init(rows, tv_alloc_libc());
    rows->methods = methods;
    rows->method_count = count;
    rows->rows = of;
    rows->row_count = count;
    rows->calls = 7;
    rows->total_ns[TV_CLOCK_CPU] = 9;
    rows->clocks.lacks[TV_CLOCK_WALL] = true;
    (void)snprintf(rows->clocks.processor, sizeof(rows->clocks.processor), "arm");
    for (uint32_t i = 0; i < count; i++)
        of[i] = (struct tv_fleet_row){
            .method = i,
            .kind = TV_THREAD_POOL,
            .numbers = {.numbers = {.calls = 2,
                                    .inclusive_ns = {time_ns, time_ns + 1},
                                    .exclusive_ns = {time_ns + 2, UINT64_MAX}},
                        .recursive_calls = 3},
            .slowest_ns = 4,
            .slowest_at_ns = 5};
}

struct seen {
    size_t count;
    struct tv_fleet_read_row last;
};

static enum tv_code see(void *ctx, const struct tv_fleet_read_row *row, struct tv_error *err)
{
    struct seen *seen = ctx;
    (void)err;
    seen->count++;
    seen->last = *row;
    return TV_OK;
}

static void put_run(struct tv_fleet_db *db, const char *raw, const char *trace, size_t count,
                    uint64_t time_ns)
{
    struct tv_trace_rows rows;
    struct tv_fleet_row of[2];
    fill(&rows, of, count, time_ns);
    assert_int_equal(
        tv_fleet_db_put(db, &(struct tv_fleet_run_key){raw, trace}, INDEX, &rows, NULL), TV_OK);
}

static void put(struct tv_fleet_db *db, const char *raw, size_t count, uint64_t time_ns)
{
    put_run(db, raw, "", count, time_ns);
}

static void drop(struct tv_fleet_db *db, const char *raw, const char *trace)
{
    assert_int_equal(tv_fleet_db_drop(db, &(struct tv_fleet_run_key){raw, trace}, NULL), TV_OK);
}

/* What there is of each. */
static void check(size_t runs, size_t rows_of_a, bool has_second_method)
{
    const struct tv_fleet_method second = {{"", 0}, {HOSTILE, sizeof(HOSTILE) - 1}, {"", 0}};
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    struct seen seen = {0};
    size_t count;
    int64_t id;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, path, TV_FLEET_LIVE, tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(count, runs);
    if (count && strcmp(of[0].raw, RAW_A) == 0) {
        assert_int_equal(tv_fleet_read_rows(&reader, of[0].id, 0, see, &seen, NULL), TV_OK);
        assert_int_equal(of[0].calls, 7);
        assert_true(of[0].clocks.lacks[TV_CLOCK_WALL] && !of[0].clocks.lacks[TV_CLOCK_CPU]);
        assert_string_equal(of[0].clocks.processor, "arm");
        assert_string_equal(of[0].index, INDEX);
    }
    assert_int_equal(seen.count, rows_of_a);
    assert_int_equal(tv_fleet_find_method(&reader, &second, &id, NULL),
                     has_second_method ? TV_OK : TV_ERR_NOT_FOUND);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
}

static void rows_come_back_and_go_with_their_run(void **state)
{
    struct tv_fleet_db db;
    (void)state;
    assert_int_equal(tv_fleet_db_open(&db, path, NULL), TV_OK);
    check(0, 0, false);
    put(&db, RAW_A, 2, 100);
    check(1, 2, true);
    put(&db, RAW_B, 1, 100);
    check(2, 2, true);
    put(&db, RAW_A, 1, 100); /* in place of both */
    check(2, 1, false);
    put(&db, RAW_A, 2, 100);
    check(2, 2, true);
    drop(&db, RAW_A, "");
    check(1, 0, false);
    drop(&db, RAW_A, "");
    drop(&db, RAW_B, "");
    check(0, 0, false);
    tv_fleet_db_close(&db);
}

static void numbers_are_those_that_were_put(void **state)
{
    struct tv_fleet_db db;
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    struct seen seen = {0};
    size_t count;
    (void)state;
    assert_int_equal(tv_fleet_db_open(&db, path, NULL), TV_OK);
    put(&db, RAW_A, 1, 100);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, path, TV_FLEET_LIVE, tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_rows(&reader, of[0].id, 0, see, &seen, NULL), TV_OK);
    const struct tv_fleet_row *row = &seen.last.row;
    assert_int_equal(row->kind, TV_THREAD_POOL);
    assert_int_equal(row->numbers.numbers.inclusive_ns[TV_CLOCK_WALL], 100 + (TV_CLOCK_WALL == 1));
    assert_int_equal(row->numbers.recursive_calls, 3);
    assert_int_equal(row->slowest_at_ns, 5);
    /* More than a database has room for stays at the largest number. */
    assert_true(row->numbers.numbers.exclusive_ns[1] == INT64_MAX);
    tv_fleet_reader_close(&reader);
    drop(&db, RAW_A, "");
    tv_fleet_db_close(&db);
    tv_arena_release(&arena);
}

/* How many rows the run has that a trace of RAW_A is told of; 0: none. */
static size_t rows_for(const char *trace)
{
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *run;
    struct seen seen = {0};
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, path, TV_FLEET_LIVE, tv_alloc_libc(), NULL),
                     TV_OK);
    assert_int_equal(
        tv_fleet_find_run(&reader, &(struct tv_fleet_run_key){RAW_A, trace}, &arena, &run, NULL),
        TV_OK);
    if (run)
        assert_int_equal(tv_fleet_read_rows(&reader, run->id, 0, see, &seen, NULL), TV_OK);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    return seen.count;
}

static void a_trace_has_its_own_run_else_that_of_its_bytes(void **state)
{
    struct tv_fleet_db db;
    (void)state;
    assert_int_equal(tv_fleet_db_open(&db, path, NULL), TV_OK);
    put_run(&db, RAW_A, TRACE, 2, 100);
    assert_int_equal(rows_for(TRACE), 2);
    assert_int_equal(rows_for(OTHER_TRACE), 0);
    put(&db, RAW_A, 1, 100);
    assert_int_equal(rows_for(TRACE), 2);
    assert_int_equal(rows_for(OTHER_TRACE), 1);
    drop(&db, RAW_A, TRACE);
    assert_int_equal(rows_for(TRACE), 1);
    put_run(&db, RAW_A, TRACE, 2, 100);
    drop(&db, RAW_A, NULL);
    check(0, 0, false);
    tv_fleet_db_close(&db);
}

static void rows_that_nobody_waits_for_are_not_read(void **state)
{
    const struct tv_fleet_run_key key = {RAW_A, TRACE};
    struct tv_fleet_db db;
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *run;
    struct seen seen = {0};
    atomic_bool is_unwanted = false;
    (void)state;
    assert_int_equal(tv_fleet_db_open(&db, path, NULL), TV_OK);
    put(&db, RAW_A, 2, 100);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, path, TV_FLEET_LIVE, tv_alloc_libc(), NULL),
                     TV_OK);
    reader.is_unwanted = &is_unwanted;
    assert_int_equal(tv_fleet_find_run(&reader, &key, &arena, &run, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_rows(&reader, run->id, 0, see, &seen, NULL), TV_OK);
    atomic_store(&is_unwanted, true);
    assert_int_equal(tv_fleet_read_rows(&reader, run->id, 0, see, &seen, NULL), TV_ERR_CANCELLED);
    assert_int_equal(tv_fleet_find_run(&reader, &key, &arena, &run, NULL), TV_ERR_CANCELLED);
    assert_int_equal(seen.count, 2);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    drop(&db, RAW_A, NULL);
    tv_fleet_db_close(&db);
}

static void a_database_that_is_not_there_has_no_runs(void **state)
{
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    size_t count = 1;
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(
        tv_fleet_reader_open(&reader, "/nowhere/rows", TV_FLEET_LIVE, tv_alloc_libc(), NULL),
        TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(count, 0);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_and_go_with_their_run),
        cmocka_unit_test(numbers_are_those_that_were_put),
        cmocka_unit_test(a_trace_has_its_own_run_else_that_of_its_bytes),
        cmocka_unit_test(rows_that_nobody_waits_for_are_not_read),
        cmocka_unit_test(a_database_that_is_not_there_has_no_runs),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
