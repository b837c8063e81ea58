/* Counts of runs whose methods a mapping says were inlined, or that have short names of builds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/counted_runs.h"
#include "compare/lock_change.h"
#include "compare/made.h"

static enum tv_code say_inlined(void *ctx, struct tv_trace_method *method,
                                struct tv_findings *findings, struct tv_error *err)
{
    (void)findings;
    (void)err;
    if (method->id == FOO)
        method->inlined = tv_str_from(ctx);
    return TV_OK;
}

static void add(struct tv_counted_runs *runs, size_t run, struct made *made)
{
    const struct tv_call_counts_opts opts = {.from = TV_NONE, .until = TV_NONE, .per = TV_NONE};
    made_end(made);
    assert_int_equal(tv_counted_runs_add(runs, run, &made->index, &opts, TV_STR("new.trace"), NULL),
                     TV_OK);
    made_release(made);
}

/* Foo calls bar `bars` times, as far as a recording shows. */
static void make_lock(struct tv_call_lock *lock, uint32_t bars, char *inlined)
{
    struct made made;
    struct tv_counted_runs runs;
    const struct tv_lock_subject subject = {.mine = {NULL, 0}};
    tv_call_lock_init(lock, tv_alloc_libc());
    tv_counted_runs_init(&runs, tv_alloc_libc());
    tv_counted_runs_begin(&runs, 1);
    made_begin(&made, NULL);
    made.renaming = (struct tv_renaming_opts){.ctx = inlined, .rename = say_inlined};
    enter(&made.t, MAIN, FOO, 0);
    for (uint32_t i = 0; i < bars; i++)
        made_call(&made, BAR, 100 * i + 10, 100 * i + 60);
    leave(&made.t, MAIN, FOO, 4000);
    add(&runs, 0, &made);
    assert_int_equal(tv_counted_runs_lock(&runs, &subject, lock, NULL), TV_OK);
    tv_counted_runs_release(&runs);
}

/* What a lock of one build, as it is read back, tells of another. */
static enum tv_lock_change change_of(uint32_t locked_bars, char *locked_inlined, uint32_t bars,
                                     char *inlined)
{
    struct tv_call_lock locked, back, runs;
    struct tv_lock_changes changes;
    struct tv_buffer text;
    make_lock(&locked, locked_bars, locked_inlined);
    make_lock(&runs, bars, inlined);
    tv_buffer_init(&text, tv_alloc_libc());
    tv_call_lock_init(&back, tv_alloc_libc());
    tv_lock_changes_init(&changes, tv_alloc_libc());
    assert_int_equal(tv_call_lock_write(&locked, tv_buffer_sink(&text), NULL), TV_OK);
    assert_int_equal(tv_call_lock_read(&back, tv_buffer_view(&text), NULL), TV_OK);
    assert_int_equal(tv_lock_changes_find(&changes, &back, &runs, NULL), TV_OK);
    assert_true(changes.count <= 1);
    const enum tv_lock_change change = changes.count ? changes.of[0].change : TV_LOCK_SAME;
    assert_int_equal(changes.inlined, change == TV_LOCK_INLINED);
    assert_int_equal(changes.broken, changes.count - changes.inlined);
    tv_lock_changes_release(&changes);
    tv_buffer_release(&text);
    tv_call_lock_release(&back);
    tv_call_lock_release(&locked);
    tv_call_lock_release(&runs);
    return change;
}

static void calls_that_are_missing_where_a_method_was_inlined_decide_nothing(void **state)
{
    static char none[] = "";
    static char bar[] = "a.B.bar (I)V";
    (void)state;
    assert_int_equal(change_of(3, none, 3, none), TV_LOCK_SAME);
    assert_int_equal(change_of(3, none, 0, none), TV_LOCK_GONE);
    assert_int_equal(change_of(3, none, 0, bar), TV_LOCK_INLINED);
    assert_int_equal(change_of(3, none, 2, bar), TV_LOCK_INLINED);
    assert_int_equal(change_of(3, none, 4, bar), TV_LOCK_CHANGED);
    assert_int_equal(change_of(0, bar, 3, none), TV_LOCK_INLINED);
    assert_int_equal(change_of(2, bar, 3, none), TV_LOCK_INLINED);
    assert_int_equal(change_of(3, bar, 2, none), TV_LOCK_CHANGED);
    assert_int_equal(change_of(0, bar, 0, none), TV_LOCK_SAME);
    assert_int_equal(change_of(0, none, 0, bar), TV_LOCK_SAME);
    assert_int_equal(change_of(0, none, 2, bar), TV_LOCK_NEW);
    assert_int_equal(change_of(2, bar, 2, bar), TV_LOCK_SAME);
}

static const char abc[] = "0x4\ta.a\ta\t()V\tr8-map-id-abc\n";
static const char def[] = "0x4\ta.a\ta\t()V\tr8-map-id-def\n";

/* The lock of two recordings with these methods; the code, and why. */
static enum tv_code lock_of(const char *first, const char *second, const char *properties,
                            struct tv_call_lock *lock, struct tv_error *err)
{
    const char *const of[] = {first, second};
    struct tv_counted_runs runs;
    const struct tv_lock_subject subject = {.mine = {NULL, 0}};
    tv_call_lock_init(lock, tv_alloc_libc());
    tv_counted_runs_init(&runs, tv_alloc_libc());
    tv_counted_runs_begin(&runs, 2);
    for (size_t i = 0; i < 2; i++) {
        struct made made;
        made_begin_with(&made, of[i], properties);
        made_call(&made, 4, 0, 100);
        add(&runs, i, &made);
    }
    const enum tv_code code = tv_counted_runs_lock(&runs, &subject, lock, err);
    tv_counted_runs_release(&runs);
    return code;
}

static void short_names_are_those_of_one_build(void **state)
{
    struct tv_call_lock of_abc, of_def, of_source;
    struct tv_error err = {.code = TV_OK};
    (void)state;
    assert_int_equal(lock_of(abc, abc, "", &of_abc, NULL), TV_OK);
    assert_int_equal(lock_of(abc, abc, "method-names=source\n", &of_source, NULL), TV_OK);
    assert_true(tv_str_equal(of_abc.subject.short_names, TV_STR("abc")));
    assert_int_equal(of_source.subject.short_names.len, 0);
    assert_int_equal(lock_of(abc, def, "", &of_def, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "new.trace has short names of build def, and another one"));
    assert_int_equal(lock_of(def, def, "", &of_def, NULL), TV_OK);
    assert_int_equal(tv_call_locks_match(&of_abc, &of_abc, NULL), TV_OK);
    assert_int_equal(tv_call_locks_match(&of_source, &of_source, NULL), TV_OK);
    assert_int_equal(tv_call_locks_match(&of_abc, &of_def, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "the lockfile has short names of build abc, and the "
                                     "recordings have short names of build def"));
    assert_int_equal(tv_call_locks_match(&of_source, &of_def, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "the lockfile has names of the source, and"));
    assert_int_equal(tv_call_locks_match(&of_abc, &of_source, &err), TV_ERR_UNSUPPORTED);
    tv_call_lock_release(&of_abc);
    tv_call_lock_release(&of_def);
    tv_call_lock_release(&of_source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_are_missing_where_a_method_was_inlined_decide_nothing),
        cmocka_unit_test(short_names_are_those_of_one_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
