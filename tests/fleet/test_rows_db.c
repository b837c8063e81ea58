/* fleet/rows_db: what was put comes back; putting again replaces it; what no run has is nowhere.
 * Asked of each engine alike. */
#include "fleet/rows_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "support/postgres_cluster.h"

#define RAW_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RAW_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define TRACE "dddddddddddddddddddddddddddddddd"
#define OTHER_TRACE "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
#define HOSTILE "it's; \"DROP TABLE runs\" -- \0 \xff"
#define INDEX "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

/* What the tests are about at the moment. */
static struct tv_fleet_place place;
static struct tv_fleet_db db;

static char path[] = "/tmp/traceview-rows-XXXXXX";

static int begin_sqlite(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    place = (struct tv_fleet_place){.path = path};
    return fd < 0 || close(fd) != 0 || unlink(path) != 0 ||
           tv_fleet_db_open(&db, &place, tv_alloc_libc(), NULL) != TV_OK;
}

static int end_sqlite(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[64];
    (void)state;
    tv_fleet_db_close(&db);
    for (size_t i = 0; i < TV_COUNT_OF(ends); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        (void)unlink(name);
    }
    return 0;
}

#ifdef TV_HAS_POSTGRES
static char cluster[TV_CLUSTER_CAP];
static char url[128];

static int begin_postgres(void **state)
{
    (void)state;
    (void)snprintf(url, sizeof(url), "postgres://postgres@/postgres?host=%s", cluster);
    place = (struct tv_fleet_place){.url = url};
    return tv_fleet_db_open(&db, &place, tv_alloc_libc(), NULL) != TV_OK;
}

static int end_postgres(void **state)
{
    (void)state;
    tv_fleet_db_close(&db);
    return 0;
}
#endif

/* Rows of the first methods of these. */
static void fill(struct tv_trace_rows *rows, struct tv_fleet_row *of, size_t count,
                 uint64_t time_ns)
{
    static struct tv_fleet_method methods[2] = {{{"shop.Cart", 9}, {"pay", 3}, {"()V", 3}},
                                                {{"", 0}, {HOSTILE, sizeof(HOSTILE) - 1}, {"", 0}}};
    tv_trace_rows_init(rows, tv_alloc_libc());
    rows->methods = methods;
    rows->method_count = count;
    rows->rows = of;
    rows->row_count = count;
    rows->calls = 7;
    rows->cut_calls = 11;
    rows->fell_back = true;
    rows->odd_wall = "unit_suspect";
    rows->build = (struct tv_run_build){.is_short = true, .id = "abc"};
    rows->total_ns[TV_CLOCK_CPU] = 9;
    rows->clocks.lacks[TV_CLOCK_WALL] = true;
    (void)snprintf(rows->clocks.processor, sizeof(rows->clocks.processor), "arm");
    for (uint32_t i = 0; i < count; i++)
        of[i] = (struct tv_fleet_row){
            .method = i,
            .kind = TV_THREAD_POOL,
            .numbers = {.numbers = {.calls = 2,
                                    .inclusive_ns = {time_ns, time_ns + 1},
                                    .exclusive_ns = {time_ns + 2, UINT64_MAX},
                                    .unrecorded_ns = {time_ns + 3, time_ns + 4}},
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

static enum tv_code read_one(struct tv_fleet_reader *reader, const struct tv_fleet_run *run,
                             struct seen *seen)
{
    return tv_fleet_read_rows(reader, &(struct tv_fleet_wanted){.runs = &run, .count = 1}, see,
                              seen, NULL);
}

static void put_run(const char *raw, const char *trace, size_t count, uint64_t time_ns)
{
    struct tv_trace_rows rows;
    struct tv_fleet_row of[2];
    fill(&rows, of, count, time_ns);
    assert_int_equal(
        tv_fleet_db_put(&db, &(struct tv_fleet_run_key){raw, trace}, INDEX, &rows, NULL), TV_OK);
}

static void put(const char *raw, size_t count, uint64_t time_ns)
{
    put_run(raw, "", count, time_ns);
}

static void drop(const char *raw, const char *trace)
{
    assert_int_equal(tv_fleet_db_drop(&db, &(struct tv_fleet_run_key){raw, trace}, 1, NULL), TV_OK);
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
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(count, runs);
    if (count && strcmp(of[0].raw, RAW_A) == 0) {
        assert_int_equal(read_one(&reader, &of[0], &seen), TV_OK);
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
    (void)state;
    check(0, 0, false);
    put(RAW_A, 2, 100);
    check(1, 2, true);
    put(RAW_B, 1, 100);
    check(2, 2, true);
    put(RAW_A, 1, 100); /* in place of both */
    check(2, 1, false);
    put(RAW_A, 2, 100);
    check(2, 2, true);
    drop(RAW_A, "");
    check(1, 0, false);
    drop(RAW_A, "");
    drop(RAW_B, "");
    check(0, 0, false);
}

/* A database that is on a busy machine may be away for a moment: then it is told once more. */
static void *put_often(void *arg)
{
    const struct tv_fleet_run_key key = {RAW_A, ""};
    struct tv_error *err = arg;
    struct tv_trace_rows rows;
    struct tv_fleet_row of[2];
    fill(&rows, of, 2, 100);
    for (unsigned done = 0, tries = 0; done < 8 && tries < 80; tries++) {
        err->code = TV_OK;
        if (tv_fleet_db_put(&db, &key, INDEX, &rows, err) == TV_OK)
            done++;
        else if (err->code != TV_ERR_AWAY)
            break;
        else
            (void)sleep(1);
    }
    return NULL;
}

/* As a worker that has made an index and a pass over all traces do. */
static void of_runs_that_are_put_at_once_one_stays(void **state)
{
    pthread_t threads[3];
    struct tv_error errs[TV_COUNT_OF(threads)];
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_often, &errs[i]), 0);
    for (size_t i = 0; i < TV_COUNT_OF(threads); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        if (errs[i].code != TV_OK)
            fail_msg("%s", errs[i].text);
    }
    check(1, 2, true);
    drop(RAW_A, "");
    check(0, 0, false);
}

static void numbers_are_those_that_were_put(void **state)
{
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    struct seen seen = {0};
    size_t count;
    (void)state;
    put(RAW_A, 1, 100);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_true(of[0].calls == 7 && of[0].cut_calls == 11 && of[0].fell_back);
    assert_true(tv_str_equal(of[0].odd_wall, TV_STR("unit_suspect")));
    assert_true(of[0].build.is_short && strcmp(of[0].build.id, "abc") == 0);
    assert_int_equal(read_one(&reader, &of[0], &seen), TV_OK);
    const struct tv_fleet_row *row = &seen.last.row;
    assert_int_equal(row->kind, TV_THREAD_POOL);
    assert_int_equal(row->numbers.numbers.inclusive_ns[TV_CLOCK_WALL], 100 + (TV_CLOCK_WALL == 1));
    assert_int_equal(row->numbers.recursive_calls, 3);
    assert_int_equal(row->slowest_at_ns, 5);
    assert_int_equal(row->numbers.numbers.unrecorded_ns[0], 103);
    assert_int_equal(row->numbers.numbers.unrecorded_ns[1], 104);
    /* More than a database has room for stays at the largest number. */
    assert_true(row->numbers.numbers.exclusive_ns[1] == INT64_MAX);
    tv_fleet_reader_close(&reader);
    drop(RAW_A, "");
    tv_arena_release(&arena);
}

static void check_one_clock(struct tv_fleet_reader *reader, const struct tv_fleet_run *run,
                            const struct tv_fleet_wanted *how)
{
    const struct tv_fleet_wanted wanted = {.runs = &run,
                                           .count = 1,
                                           .method = how->method,
                                           .in_any_order = how->in_any_order,
                                           .one_clock = true,
                                           .clock = how->clock};
    struct seen seen = {0};
    assert_int_equal(tv_fleet_read_rows(reader, &wanted, see, &seen, NULL), TV_OK);
    assert_int_equal(seen.count, 1);
    const struct tv_method_row *row = &seen.last.row.numbers;
    assert_int_equal(row->numbers.calls, 2);
    assert_int_equal(row->recursive_calls, 3);
    assert_int_equal(seen.last.row.slowest_ns, 4);
    assert_int_equal(seen.last.row.slowest_at_ns, 5);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        const bool is_asked = clock == (unsigned)how->clock;
        const uint64_t exclusive_ns[] = {102, INT64_MAX};
        const uint64_t unrecorded_ns = how->clock == TV_CLOCK_CPU ? 103 + clock : 0;
        assert_true(row->numbers.inclusive_ns[clock] == (is_asked ? 100 + clock : 0));
        assert_true(row->numbers.unrecorded_ns[clock] == unrecorded_ns);
        assert_true(row->numbers.exclusive_ns[clock] == (is_asked ? exclusive_ns[clock] : 0));
    }
}

static void times_of_one_clock_come_alone(void **state)
{
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    struct seen seen = {0};
    size_t count;
    (void)state;
    put(RAW_A, 1, 100);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(read_one(&reader, of, &seen), TV_OK);
    for (unsigned i = 0; i < 8; i++)
        check_one_clock(&reader, of,
                        &(struct tv_fleet_wanted){.clock = i % 2 ? TV_CLOCK_CPU : TV_CLOCK_WALL,
                                                  .in_any_order = i / 2 % 2,
                                                  .method = i / 4 ? seen.last.method : 0});
    tv_fleet_reader_close(&reader);
    drop(RAW_A, "");
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
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_find_runs(&reader, &(struct tv_fleet_run_key){RAW_A, trace}, 1,
                                        &arena, &run, NULL),
                     TV_OK);
    if (run)
        assert_int_equal(read_one(&reader, run, &seen), TV_OK);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    return seen.count;
}

static void a_trace_has_its_own_run_else_that_of_its_bytes(void **state)
{
    (void)state;
    put_run(RAW_A, TRACE, 2, 100);
    assert_int_equal(rows_for(TRACE), 2);
    assert_int_equal(rows_for(OTHER_TRACE), 0);
    put(RAW_A, 1, 100);
    assert_int_equal(rows_for(TRACE), 2);
    assert_int_equal(rows_for(OTHER_TRACE), 1);
    drop(RAW_A, TRACE);
    assert_int_equal(rows_for(TRACE), 1);
    put_run(RAW_A, TRACE, 2, 100);
    drop(RAW_A, NULL);
    check(0, 0, false);
}

static void rows_that_nobody_waits_for_are_not_read(void **state)
{
    const struct tv_fleet_run_key key = {RAW_A, TRACE};
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *run;
    struct seen seen = {0};
    atomic_bool is_unwanted = false;
    (void)state;
    put(RAW_A, 2, 100);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    reader.is_unwanted = &is_unwanted;
    assert_int_equal(tv_fleet_find_runs(&reader, &key, 1, &arena, &run, NULL), TV_OK);
    assert_int_equal(read_one(&reader, run, &seen), TV_OK);
    atomic_store(&is_unwanted, true);
    assert_int_equal(read_one(&reader, run, &seen), TV_ERR_CANCELLED);
    assert_int_equal(tv_fleet_find_runs(&reader, &key, 1, &arena, &run, NULL), TV_ERR_CANCELLED);
    assert_int_equal(seen.count, 2);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    drop(RAW_A, NULL);
}

/* Several at once, in any order: each row says whose it is, and names can be asked for meanwhile.
 */
struct seeing {
    struct tv_fleet_reader *reader;
    struct tv_arena *arena;
    size_t rows_of[2];
    uint64_t times[2];
    size_t hostile;
};

static enum tv_code see_names(void *ctx, const struct tv_fleet_read_row *row, struct tv_error *err)
{
    struct seeing *seeing = ctx;
    struct tv_fleet_method names;
    assert_int_equal(tv_fleet_read_method(seeing->reader, row->method, seeing->arena, &names, err),
                     TV_OK);
    assert_true(row->run < 2);
    seeing->rows_of[row->run]++;
    seeing->times[row->run] = row->row.numbers.numbers.inclusive_ns[0];
    seeing->hostile += names.name.len == sizeof(HOSTILE) - 1 &&
                       memcmp(names.name.at, HOSTILE, names.name.len) == 0;
    return TV_OK;
}

static void rows_of_several_runs_say_whose_they_are(void **state)
{
    const struct tv_fleet_run_key keys[] = {{RAW_B, TRACE}, {RAW_A, ""}, {INDEX, ""}};
    const struct tv_fleet_method second = {{"", 0}, {HOSTILE, sizeof(HOSTILE) - 1}, {"", 0}};
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *runs[3];
    struct seen seen = {0};
    int64_t method;
    (void)state;
    put(RAW_A, 2, 100);
    put(RAW_B, 1, 900);
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_find_runs(&reader, keys, 3, &arena, runs, NULL), TV_OK);
    assert_non_null(runs[0]);
    assert_non_null(runs[1]);
    assert_null(runs[2]);
    struct seeing seeing = {.reader = &reader, .arena = &arena};
    const struct tv_fleet_run *const of[] = {runs[0], runs[1]};
    struct tv_fleet_wanted wanted = {.runs = of, .count = 2};
    assert_int_equal(tv_fleet_read_rows(&reader, &wanted, see_names, &seeing, NULL), TV_OK);
    assert_int_equal(seeing.rows_of[0], 1);
    assert_int_equal(seeing.rows_of[1], 2);
    assert_int_equal(seeing.times[0], 900);
    assert_int_equal(seeing.times[1], 100);
    assert_int_equal(seeing.hostile, 1);
    /* One method alone. */
    assert_int_equal(tv_fleet_find_method(&reader, &second, &method, NULL), TV_OK);
    wanted.method = method;
    assert_int_equal(tv_fleet_read_rows(&reader, &wanted, see, &seen, NULL), TV_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.last.run, 1);
    assert_int_equal(seen.last.method, method);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    drop(RAW_A, NULL);
    drop(RAW_B, NULL);
}

/* More than one statement asks for, brings, or spells. */
static void many_runs_and_methods_come_back(void **state)
{
    enum { RUNS = 40, METHODS = 6000 };
    static struct tv_fleet_method methods[METHODS];
    static struct tv_fleet_row rows_of[METHODS];
    static char names[METHODS][8];
    static char raws[RUNS][TV_FLEET_HASH_LEN + 1];
    static struct tv_fleet_run_key keys[RUNS];
    static struct tv_fleet_run *runs[RUNS];
    const struct tv_fleet_run *of[RUNS];
    struct tv_trace_rows rows;
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct seen seen = {0};
    (void)state;
    tv_trace_rows_init(&rows, tv_alloc_libc());
    rows.methods = methods;
    rows.rows = rows_of;
    for (uint32_t i = 0; i < METHODS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "m%u", i);
        methods[i] = (struct tv_fleet_method){.name = tv_str_from(names[i])};
        rows_of[i] = (struct tv_fleet_row){.method = i, .slowest_ns = 1};
    }
    for (unsigned i = 0; i < RUNS; i++) {
        (void)snprintf(raws[i], sizeof(raws[i]), "%064x", i);
        keys[i] = (struct tv_fleet_run_key){raws[i], ""};
        rows.row_count = rows.method_count = i ? 10 : METHODS;
        assert_int_equal(tv_fleet_db_put(&db, &keys[i], INDEX, &rows, NULL), TV_OK);
    }
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_find_runs(&reader, keys, RUNS, &arena, runs, NULL), TV_OK);
    for (unsigned i = 0; i < RUNS; i++)
        of[i] = runs[i];
    const struct tv_fleet_wanted wanted = {.runs = of, .count = RUNS};
    assert_int_equal(tv_fleet_read_rows(&reader, &wanted, see, &seen, NULL), TV_OK);
    assert_int_equal(seen.count, METHODS + 10 * (RUNS - 1));
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
    assert_int_equal(tv_fleet_db_drop(&db, keys, RUNS, NULL), TV_OK);
    check(0, 0, false);
}

static void a_database_that_is_not_there_has_no_runs(void **state)
{
    struct tv_fleet_reader reader;
    struct tv_arena arena;
    struct tv_fleet_run *of;
    struct tv_fleet_run *run;
    size_t count = 1;
    int64_t method;
    (void)state;
    tv_arena_init(&arena, tv_alloc_libc());
    assert_int_equal(tv_fleet_reader_open(&reader, &db, NULL), TV_OK);
    assert_int_equal(tv_fleet_read_runs(&reader, &arena, &of, &count, NULL), TV_OK);
    assert_int_equal(count, 0);
    assert_int_equal(
        tv_fleet_find_runs(&reader, &(struct tv_fleet_run_key){RAW_A, ""}, 1, &arena, &run, NULL),
        TV_OK);
    assert_null(run);
    assert_int_equal(
        tv_fleet_find_method(&reader, &(struct tv_fleet_method){.name = {"a", 1}}, &method, NULL),
        TV_ERR_NOT_FOUND);
    tv_fleet_reader_close(&reader);
    tv_arena_release(&arena);
}

/* A server that somebody has started: tests/site/over_clickhouse.py. */
static int begin_clickhouse(void **state)
{
    (void)state;
    place = (struct tv_fleet_place){.url = getenv("TRACEVIEW_TEST_CLICKHOUSE")};
    return tv_fleet_db_open(&db, &place, tv_alloc_libc(), NULL) != TV_OK;
}

static int end_clickhouse(void **state)
{
    (void)state;
    tv_fleet_db_close(&db);
    return 0;
}

static int ask_engine(const char *engine, int (*begin)(void **), int (*end)(void **))
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_that_is_not_there_has_no_runs),
        cmocka_unit_test(rows_come_back_and_go_with_their_run),
        cmocka_unit_test(of_runs_that_are_put_at_once_one_stays),
        cmocka_unit_test(numbers_are_those_that_were_put),
        cmocka_unit_test(times_of_one_clock_come_alone),
        cmocka_unit_test(a_trace_has_its_own_run_else_that_of_its_bytes),
        cmocka_unit_test(rows_that_nobody_waits_for_are_not_read),
        cmocka_unit_test(rows_of_several_runs_say_whose_they_are),
        cmocka_unit_test(many_runs_and_methods_come_back),
    };
    return _cmocka_run_group_tests(engine, tests, TV_COUNT_OF(tests), begin, end);
}

int main(void)
{
    if (getenv("TRACEVIEW_TEST_CLICKHOUSE"))
        return ask_engine("clickhouse", begin_clickhouse, end_clickhouse);
    int failed = ask_engine("sqlite", begin_sqlite, end_sqlite);
#ifdef TV_HAS_POSTGRES
    if (tv_start_postgres(cluster)) {
        failed += ask_engine("postgres", begin_postgres, end_postgres);
        tv_stop_postgres(cluster);
    } else {
        print_message("skipped: rows in PostgreSQL: PostgreSQL is not installed (postgresql-15)\n");
    }
#endif
    return failed;
}
