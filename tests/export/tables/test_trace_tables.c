/*
 * The tables of traces: rows of a small trace by hand, and laws over random traces and parts of
 * them: calls add up to nodes, nodes to methods and to threads. Other tools' readers see the rest
 * (tests/readers).
 */
#include "export/tables/trace_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"
#include "export/tables/csv_rows.h"

/* A format that writes all tables as CSV, one after the other. */
static enum tv_code write_all(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_table_target target = {.alloc = context->alloc, .sink = context->out.sink};
    for (unsigned table = 0; tv_export_table_words[table]; table++)
        TV_TRY(
            tv_trace_table_write(context, (enum tv_export_table)table, &tv_csv_rows, &target, err));
    return TV_OK;
}

static const struct tv_export all_tables = {.name = "all", .suffix = ".all", .write = write_all};

static void rows_of_a_small_trace(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 1);
    world_enter(&w, 1, 2, 20, 2);
    world_enter(&w, 1, 2, 30, 5);
    world_leave(&w, 1, 2, 40, 6);
    world_leave(&w, 1, 2, 50, 9);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &all_tables, &(struct probe_opts){0}, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_string_equal(
        (const char *)out.bytes,
        "call,caller,thread_id,thread,depth,node,rank,class,method,start_ns,wall_ns,"
        "exclusive_wall_ns,start_cpu_ns,cpu_ns,exclusive_cpu_ns,recursive,adopted,open_at_end,"
        "cut\r\n"
        "2,1,1,main,2,2,1,com.lib.List,com.lib.List.get (I)J,30000,10000,10000,5000,1000,1000,"
        "true,false,false,false\r\n"
        "1,0,1,main,1,1,1,com.lib.List,com.lib.List.get (I)J,20000,30000,20000,2000,7000,6000,"
        "false,false,false,false\r\n"
        "0,,1,main,0,0,0,com.app.Main,com.app.Main.run ()V,10000,40000,10000,1000,8000,1000,"
        "false,false,true,false\r\n"
        "node,parent,thread_id,thread,depth,rank,class,method,recursive,calls,inclusive_wall_ns,"
        "inclusive_cpu_ns,exclusive_wall_ns,exclusive_cpu_ns\r\n"
        "0,,1,main,0,0,com.app.Main,com.app.Main.run ()V,false,1,40000,8000,10000,1000\r\n"
        "1,0,1,main,1,1,com.lib.List,com.lib.List.get (I)J,false,1,30000,7000,20000,6000\r\n"
        "2,1,1,main,2,1,com.lib.List,com.lib.List.get (I)J,true,1,10000,1000,10000,1000\r\n"
        "rank,id,class,name,signature,method,file,line,calls,recursive_calls,inclusive_wall_ns,"
        "inclusive_cpu_ns,exclusive_wall_ns,exclusive_cpu_ns\r\n"
        "0,0x4,com.app.Main,run,()V,com.app.Main.run ()V,Main.java,10,1,0,40000,8000,10000,1000\r\n"
        "1,0xc,com.lib.List,get,(I)J,com.lib.List.get "
        "(I)J,List.java,30,1,1,30000,7000,30000,7000\r\n"
        "thread_id,thread,calls,wall_ns,cpu_ns\r\n"
        "1,main,3,40000,8000\r\n2,worker,0,0,0\r\n3,Binder:1,0,0,0\r\n4,idle,0,0,0\r\n");
    tv_buffer_release(&out);
    world_release(&w);
}

/* A form that adds up what it is given. */
struct sums {
    const struct tv_table *table;
    uint64_t calls, outer_calls;
    uint64_t exclusive_ns[TV_CLOCK_COUNT]; /* of rows with such a column */
    uint64_t inclusive_ns[TV_CLOCK_COUNT]; /* of rows that are not recursive */
    uint64_t root_ns[TV_CLOCK_COUNT];
};

static struct sums added; /* of the last table */

static enum tv_code begin_sums(const struct tv_table *table, const struct tv_table_target *target,
                               void **state, struct tv_error *err)
{
    (void)target, (void)err;
    added = (struct sums){.table = table};
    *state = &added;
    return TV_OK;
}

static int64_t cell(const struct tv_rows *rows, size_t row, const char *name, int64_t missing)
{
    for (size_t c = 0; c < added.table->column_count; c++) {
        if (strcmp(added.table->columns[c].name, name) == 0)
            return rows->cells[c][row];
    }
    return missing;
}

static enum tv_code add_sums(void *state, const struct tv_rows *rows, struct tv_error *err)
{
    static const char *const exclusive[] = {"exclusive_wall_ns", "exclusive_cpu_ns"};
    static const char *const inclusive[] = {"inclusive_wall_ns", "inclusive_cpu_ns"};
    static const char *const duration[] = {"wall_ns", "cpu_ns"};
    (void)state, (void)err;
    for (size_t row = 0; row < rows->len; row++) {
        int64_t calls = cell(rows, row, "calls", 1);
        bool is_recursive = cell(rows, row, "recursive", 0);
        added.calls += (uint64_t)(calls + cell(rows, row, "recursive_calls", 0));
        added.outer_calls += is_recursive ? 0 : (uint64_t)calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
            int64_t time = cell(rows, row, inclusive[clock], cell(rows, row, duration[clock], 0));
            added.exclusive_ns[clock] += (uint64_t)cell(rows, row, exclusive[clock], 0);
            added.inclusive_ns[clock] += is_recursive ? 0 : (uint64_t)time;
            added.root_ns[clock] += cell(rows, row, "depth", 0) ? 0 : (uint64_t)time;
        }
    }
    return TV_OK;
}

static enum tv_code finish_sums(void *state, struct tv_error *err)
{
    (void)state, (void)err;
    return TV_OK;
}

static void free_sums(void *state)
{
    (void)state;
}

static const struct tv_table_form summing = {
    .begin = begin_sums, .take = add_sums, .finish = finish_sums, .release = free_sums};

static void expect_equal_times(const uint64_t *a, const uint64_t *b)
{
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        assert_int_equal(a[clock], b[clock]);
}

static enum tv_code add_up(struct tv_export_context *context, struct tv_error *err)
{
    const struct tv_table_target target = {.alloc = context->alloc};
    struct sums of[4];
    for (unsigned table = 0; tv_export_table_words[table]; table++) {
        TV_TRY(tv_trace_table_write(context, (enum tv_export_table)table, &summing, &target, err));
        of[table] = added;
    }
    const struct sums *calls = &of[TV_EXPORT_CALLS], *nodes = &of[TV_EXPORT_NODES];
    const struct sums *methods = &of[TV_EXPORT_METHODS], *threads = &of[TV_EXPORT_THREADS];
    assert_int_equal(calls->calls, nodes->calls);
    assert_int_equal(calls->calls, methods->calls);
    assert_int_equal(calls->calls, threads->calls);
    assert_int_equal(calls->outer_calls, methods->outer_calls);
    expect_equal_times(calls->exclusive_ns, nodes->exclusive_ns);
    expect_equal_times(calls->exclusive_ns, methods->exclusive_ns);
    expect_equal_times(calls->inclusive_ns, nodes->inclusive_ns);
    expect_equal_times(calls->inclusive_ns, methods->inclusive_ns);
    expect_equal_times(calls->root_ns, nodes->root_ns);
    expect_equal_times(calls->root_ns, threads->root_ns);
    expect_equal_times(calls->root_ns, calls->exclusive_ns);
    return TV_OK;
}

static const struct tv_export adding_up = {.name = "sums", .suffix = ".sums", .write = add_up};

/* A call of the set's own callers' method is not recursive for those: they are not of the set. */
static void calls_of_a_set_are_recursive_within_it(void **state)
{
    (void)state;
    static struct world w;
    struct tv_buffer out;
    world_begin(&w);
    world_enter(&w, 1, 0, 10, 1);
    world_enter(&w, 1, 2, 20, 2);
    world_enter(&w, 1, 0, 30, 3);
    world_enter(&w, 1, 2, 40, 4);
    world_leave(&w, 1, 2, 50, 5);
    world_leave(&w, 1, 0, 60, 6);
    world_leave(&w, 1, 2, 70, 7);
    world_leave(&w, 1, 0, 80, 8);
    world_end(&w);
    tv_buffer_init(&out, tv_alloc_libc());
    probe_run(&w, &all_tables, &(struct probe_opts){.chosen = 3}, &out);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_non_null(strstr((const char *)out.bytes, "com.lib.List.get (I)J,20000,50000,20000,2000,"
                                                    "5000,2000,false,"));
    assert_non_null(strstr((const char *)out.bytes, "com.app.Main.run ()V,30000,30000,20000,3000,"
                                                    "3000,2000,false,"));
    assert_non_null(strstr((const char *)out.bytes, "com.lib.List.get (I)J,40000,10000,10000,4000,"
                                                    "1000,1000,true,"));
    tv_buffer_release(&out);
    world_release(&w);
}

static void tables_agree_about_any_part_of_any_trace(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++) {
        static struct world w;
        world_any(&w, seed);
        for (uint32_t part = 0; part < 10; part++) {
            struct probe_opts opts = probe_random(&w, seed * 10 + part);
            opts.match = NULL; /* calls of a stack that does not match are in no sums */
            opts.chosen = part > 5 ? part - 5 : 0;
            probe_run(&w, &adding_up, &opts, NULL);
        }
        world_release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_small_trace),
        cmocka_unit_test(calls_of_a_set_are_recursive_within_it),
        cmocka_unit_test(tables_agree_about_any_part_of_any_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
