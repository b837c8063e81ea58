/* api/export_query: what the parameters of an export mean, and how its file is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/export_query.h"
#include "asking.h"

/* Reads the parameters; the code, and the reason in *err. */
static enum tv_code read_query(const char *text, struct tv_arena *arena,
                               struct tv_export_query *query, struct tv_error *err)
{
    static const char *const known[] = {TV_EXPORT_PARAMS, NULL};
    struct tv_params params;
    err->text[0] = '\0';
    tv_arena_init(arena, tv_alloc_libc());
    enum tv_code code = tv_params_parse(&params, arena, tv_str_from(text), known, err);
    return code == TV_OK ? tv_query_export(&params, asked_trace.index, query, err) : code;
}

static void expect_refusal(const char *text, enum tv_code code, const char *reason)
{
    struct tv_export_query query;
    struct tv_arena arena;
    struct tv_error err;
    assert_int_equal(read_query(text, &arena, &query, &err), code);
    if (!strstr(err.text, reason))
        fail_msg("%s: %s, wanted %s", text, err.text, reason);
    tv_arena_release(&arena);
}

static void expect_name_of(struct tv_str file, const char *text, const char *expected)
{
    struct tv_export_query query;
    struct tv_arena arena;
    struct tv_error err;
    char name[TV_EXPORT_NAME_CAP];
    assert_int_equal(read_query(text, &arena, &query, &err), TV_OK);
    query.opts.file = file;
    tv_export_file_name(&query, asked_trace.index, name);
    assert_string_equal(name, expected);
    tv_arena_release(&arena);
}

static void expect_name(const char *file, const char *text, const char *expected)
{
    expect_name_of(tv_str_from(file), text, expected);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    expect_refusal("", TV_ERR_ARGUMENT, "format");
    expect_refusal("format=", TV_ERR_ARGUMENT, "format");
    expect_refusal("format=paper", TV_ERR_NOT_FOUND, "there is no format paper");
    expect_refusal("format=folded&gzip=2", TV_ERR_ARGUMENT, "gzip");
    expect_refusal("format=folded&depth=-1", TV_ERR_ARGUMENT, "depth");
    expect_refusal("format=folded&from=9&to=3", TV_ERR_ARGUMENT, "from");
    expect_refusal("format=folded&table=calls", TV_ERR_ARGUMENT, "folded does not hold");
    expect_refusal("format=csv&table=chairs", TV_ERR_ARGUMENT, "table");
    expect_refusal("format=folded&keep=java.", TV_ERR_ARGUMENT, "keep is for redact=1");
    expect_refusal("format=folded&threads=9", TV_ERR_NOT_FOUND, "no thread has the id 9");
}

static void the_scope_is_that_of_the_other_routes(void **state)
{
    struct tv_export_query query;
    struct tv_arena arena;
    struct tv_error err;
    (void)state;
    assert_int_equal(read_query("format=chrome&from=10000&to=60000&threads=2&clock=wall&match=ba"
                                "&hide=java.&depth=3&gzip=1",
                                &arena, &query, &err),
                     TV_OK);
    const struct tv_scope *scope = &query.opts.scope;
    assert_string_equal(query.format->name, "chrome");
    assert_true(query.is_gzip);
    assert_int_equal(query.opts.levels, 3);
    assert_true(scope->selection.has_range);
    assert_int_equal(scope->selection.from_ns, 10000);
    assert_int_equal(scope->selection.to_ns, 60000);
    assert_int_equal(scope->selection.thread_count, 1);
    assert_int_equal(scope->measure, TV_MEASURE_WALL);
    assert_int_equal(scope->methods.pattern_count, 1);
    assert_true(tv_str_equal(scope->methods.hidden, TV_STR("java.")));
    tv_arena_release(&arena);
}

static void a_name_tells_the_part(void **state)
{
    (void)state;
    expect_name("app.trace", "format=folded", "app.folded");
    expect_name("app.trace.zst", "format=folded&gzip=1", "app.folded.gz");
    expect_name("app.trace", "format=chrome&threads=1", "app-main.trace.json");
    expect_name("app.trace", "format=folded&threads=1,2", "app-2-threads.folded");
    expect_name("app.trace", "format=folded&from=10000&to=20500", "app-0.01-0.0205ms.folded");
    expect_name("app.trace", "format=folded&depth=2", "app-filtered.folded");
    expect_name("app.trace", "format=folded&match=x&hide=y", "app-filtered.folded");
    expect_name("app.trace", "format=csv&calls=methods:0", "app-filtered-calls.csv");
    expect_name("app.trace", "format=csv", "app-calls.csv");
    expect_name("app.trace", "format=csv&table=methods&gzip=1", "app-methods.csv.gz");
}

static void a_redacted_name_tells_nothing_of_the_trace(void **state)
{
    (void)state;
    expect_name("secret.trace", "format=folded&redact=1", "trace-redacted.folded");
    expect_name("secret.trace", "format=folded&redact=1&keep=java.&threads=1&from=10000",
                "trace-1-thread-0.01-0.1ms-redacted.folded");
}

static void redaction_and_table_are_taken(void **state)
{
    struct tv_export_query query;
    struct tv_arena arena;
    struct tv_error err;
    (void)state;
    assert_int_equal(
        read_query("format=csv&table=methods&redact=1&keep=java.,kotlin.", &arena, &query, &err),
        TV_OK);
    assert_int_equal(query.opts.table, TV_EXPORT_METHODS);
    assert_ptr_equal(query.opts.redact, &query.redact);
    assert_true(tv_str_equal(query.opts.redact->keep, TV_STR("java.,kotlin.")));
    tv_arena_release(&arena);
    assert_int_equal(read_query("format=csv", &arena, &query, &err), TV_OK);
    assert_int_equal(query.opts.table, TV_EXPORT_CALLS);
    assert_null(query.opts.redact);
    tv_arena_release(&arena);
}

static void a_name_is_fit_for_every_file_system(void **state)
{
    (void)state;
    expect_name("", "format=folded", "trace.folded");
    expect_name(".trace", "format=folded", "trace.folded");
    expect_name(".hidden.trace", "format=folded", "_hidden.folded");
    expect_name("a/b\\c:d*e?f\"g<h>i|j\nk.trace", "format=folded", "a_b_c_d_e_f_g_h_i_j_k.folded");
    expect_name("caf\xc3\xa9 1.trace", "format=folded", "caf\xc3\xa9 1.folded");
    expect_name("x\xe2\x80\xaey.trace", "format=folded", "x_y.folded"); /* turns what follows */
    expect_name("x\xff\xc3.trace", "format=folded", "x__.folded");
}

static void a_long_name_keeps_its_end(void **state)
{
    struct tv_export_query query;
    struct tv_arena arena;
    struct tv_error err;
    char name[TV_EXPORT_NAME_CAP];
    char file[255];
    (void)state;
    for (size_t i = 0; i < sizeof(file); i++) /* characters of three bytes */
        file[i] = "\xe2\x82\xac"[i % 3];
    assert_int_equal(
        read_query("format=folded&gzip=1&threads=1&from=1&to=99999&depth=1", &arena, &query, &err),
        TV_OK);
    query.opts.file = (struct tv_str){file, sizeof(file)};
    tv_export_file_name(&query, asked_trace.index, name);
    assert_memory_equal(name, file, 120);
    assert_string_equal(name + 120, "-main-0.000001-0.099999ms-filtered.folded.gz");
    tv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_scope_is_that_of_the_other_routes),
        cmocka_unit_test(a_name_tells_the_part),
        cmocka_unit_test(a_redacted_name_tells_nothing_of_the_trace),
        cmocka_unit_test(redaction_and_table_are_taken),
        cmocka_unit_test(a_name_is_fit_for_every_file_system),
        cmocka_unit_test(a_long_name_keeps_its_end),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
