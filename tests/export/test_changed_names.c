/* How many names change: each once, in all formats that hold the same characters. */
#include "export/changed_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/formats.h"
#include "export/probe.h"

/* Two methods whose names no UTF-8 holds, in one class and beside a name that has U+FFFD itself, on
 * two threads; one of these has such a name, too. */
static void build_names(struct world *w)
{
    world_begin(w);
    build_release(&w->t);
    build_text(&w->t, (struct build_opts){.version = 3,
                                          .clock = "dual",
                                          .threads = "1\tmain\n2\tw\xff\n",
                                          .methods = "0x4\tA\xfe\tm\xff\t()V\tA.java\t1\n"
                                                     "0x8\tA\xfe\tn\t()V\tA.java\t1\n"
                                                     "0xc\tB\t\xef\xbf\xbd\t()V\tB.java\t1\n"
                                                     "0x10\tC\tx\xff\t()V\tB.java\t1\n"});
    for (unsigned thread = 1; thread <= 2; thread++) {
        for (uint32_t method = 0x4; method <= 0xc; method += 4)
            enter(&w->t, thread, method, method);
        for (uint32_t method = 0xc; method >= 0x4; method -= 4)
            leave(&w->t, thread, method, 40 - method);
    }
    world_read(w);
}

static void each_format_counts_a_name_once(void **state)
{
    (void)state;
    static struct world w;
    unsigned tested = 0;
    build_names(&w);
    for (size_t i = 0; tv_exports[i]; i++) {
        if (tv_exports[i]->held_names == TV_HELD_AS_COUNTED)
            continue;
        const struct tv_export_result result =
            probe_run(&w, tv_exports[i], &(struct probe_opts){.levels = 0}, NULL);
        if (result.changes[TV_EXPORT_NAMES_CHANGED] != 3)
            fail_msg("%s: %u names", tv_exports[i]->name,
                     (unsigned)result.changes[TV_EXPORT_NAMES_CHANGED]);
        tested++;
    }
    assert_true(tested >= 9);
    world_release(&w);
}

static void names_that_are_not_shown_do_not_count(void **state)
{
    (void)state;
    static struct world w;
    build_names(&w);
    const struct tv_export_result result =
        probe_run(&w, &tv_export_chrome, &(struct probe_opts){.levels = 1}, NULL);
    assert_int_equal(result.changes[TV_EXPORT_NAMES_CHANGED], 2);
    world_release(&w);
}

/* A method whose name is well, in a source file whose name no UTF-8 holds. */
static void build_odd_file(struct world *w)
{
    world_begin(w);
    build_release(&w->t);
    build_text(&w->t, (struct build_opts){.version = 3,
                                          .clock = "dual",
                                          .threads = "1\tmain\n",
                                          .methods = "0x4\tA\tm\t()V\tA\xff.java\t1\n"});
    enter(&w->t, 1, 0x4, 1);
    leave(&w->t, 1, 0x4, 2);
    world_read(w);
}

static void a_source_file_counts_where_it_is_written(void **state)
{
    (void)state;
    static const struct {
        const struct tv_export *format;
        enum tv_export_table table;
        unsigned count;
    } rows[] = {
        {&tv_export_chrome, TV_EXPORT_CALLS, 0},   {&tv_export_speedscope, TV_EXPORT_CALLS, 1},
        {&tv_export_perfetto, TV_EXPORT_CALLS, 1}, {&tv_export_firefox, TV_EXPORT_CALLS, 1},
        {&tv_export_pprof, TV_EXPORT_CALLS, 1},    {&tv_export_sqlite, TV_EXPORT_CALLS, 1},
        {&tv_export_csv, TV_EXPORT_CALLS, 0},      {&tv_export_csv, TV_EXPORT_METHODS, 1},
        {&tv_export_jsonl, TV_EXPORT_METHODS, 1},  {&tv_export_parquet, TV_EXPORT_METHODS, 1},
        {&tv_export_parquet, TV_EXPORT_NODES, 0},  {&tv_export_arrow, TV_EXPORT_METHODS, 1},
    };
    static struct world w;
    build_odd_file(&w);
    for (size_t i = 0; i < TV_COUNT_OF(rows); i++) {
        const struct tv_export_result result =
            probe_run(&w, rows[i].format, &(struct probe_opts){.table = rows[i].table}, NULL);
        if (result.changes[TV_EXPORT_NAMES_CHANGED] != rows[i].count)
            fail_msg("%s, table %s: %u names", rows[i].format->name,
                     tv_export_table_words[rows[i].table],
                     (unsigned)result.changes[TV_EXPORT_NAMES_CHANGED]);
    }
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_counts_a_name_once),
        cmocka_unit_test(a_source_file_counts_where_it_is_written),
        cmocka_unit_test(names_that_are_not_shown_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
