/* Lockfiles: what is written is read back, names forge no line, and other files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "compare/call_lock.h"
#include "support/failing_alloc.h"
#include "support/hostile_names.h"

static const struct tv_join none = {.count = 0}; /* nothing was inlined */

/* A join that was not made of traces: names of any bytes, and their calls in two runs. */
struct listed {
    struct tv_join join;
    struct tv_joined_method methods[40];
    struct tv_method_row numbers[80];
};

static void list(struct listed *listed, const struct tv_str *names, size_t count)
{
    memset(listed, 0, sizeof(*listed));
    for (size_t i = 0; i < count; i++) {
        listed->methods[i].name.stem = names[i];
        listed->numbers[2 * i].numbers.calls = i + 1;
        listed->numbers[2 * i + 1].numbers.calls = i + 1 + i % 3;
    }
    listed->join = (struct tv_join){
        .methods = listed->methods, .count = count, .run_count = 2, .numbers = listed->numbers};
}

static void write_lock(const struct tv_call_lock *lock, struct tv_buffer *out)
{
    tv_buffer_init(out, tv_alloc_libc());
    assert_int_equal(tv_call_lock_write(lock, tv_buffer_sink(out), NULL), TV_OK);
}

static void assert_same(const struct tv_call_lock *a, const struct tv_call_lock *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->runs, b->runs);
    for (size_t i = 0; i < a->count; i++) {
        assert_true(tv_str_equal(a->lines[i].name, b->lines[i].name));
        assert_int_equal(a->lines[i].least, b->lines[i].least);
        assert_int_equal(a->lines[i].most, b->lines[i].most);
    }
}

/* Each name of the list of hostile ones has a line of its own, which begins with its count, and
 * comes back byte for byte. */
static void no_name_makes_a_line_of_its_own(void **state)
{
    (void)state;
    struct listed listed;
    struct tv_call_lock lock;
    struct tv_call_lock back;
    struct tv_buffer text;
    struct tv_buffer name;
    list(&listed, hostile_names, HOSTILE_NAME_COUNT);
    tv_call_lock_init(&lock, tv_alloc_libc());
    tv_call_lock_init(&back, tv_alloc_libc());
    tv_buffer_init(&name, tv_alloc_libc());
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none,
                                          &(struct tv_lock_subject){.mine = TV_STR("a\nb")}, NULL),
                     TV_OK);
    assert_int_equal(lock.count, HOSTILE_NAME_COUNT);
    write_lock(&lock, &text);
    struct tv_str rest = tv_buffer_view(&text);
    struct tv_str line;
    size_t counts = 0;
    while (tv_str_split(&rest, '\n', &line)) {
        if (!line.len)
            break; /* the end of the head */
    }
    while (tv_str_split(&rest, '\n', &line) && line.len) {
        assert_true(line.at[0] >= '0' && line.at[0] <= '9');
        counts++;
    }
    assert_int_equal(counts, HOSTILE_NAME_COUNT);
    struct tv_error err = {.code = TV_OK};
    if (tv_call_lock_read(&back, tv_buffer_view(&text), &err) != TV_OK)
        fail_msg("%s", err.text);
    assert_same(&lock, &back);
    assert_true(tv_str_equal(back.subject.mine, TV_STR("a\\x0ab")));
    size_t found = 0;
    for (size_t i = 0; i < back.count; i++) {
        assert_int_equal(tv_lock_unescape(back.lines[i].name, &name, NULL), TV_OK);
        for (size_t k = 0; k < HOSTILE_NAME_COUNT; k++)
            found += tv_str_equal(tv_buffer_view(&name), hostile_names[k]);
    }
    assert_int_equal(found, HOSTILE_NAME_COUNT);
    tv_buffer_release(&name);
    tv_buffer_release(&text);
    tv_call_lock_release(&back);
    tv_call_lock_release(&lock);
}

static void a_count_that_differs_is_a_range(void **state)
{
    (void)state;
    static const struct tv_str names[] = {{"a", 1}, {"b", 1}};
    struct listed listed;
    struct tv_call_lock lock;
    list(&listed, names, 2);
    tv_call_lock_init(&lock, tv_alloc_libc());
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none,
                                          &(struct tv_lock_subject){.mine = {NULL, 0}}, NULL),
                     TV_OK);
    assert_int_equal(lock.lines[0].least, 1);
    assert_int_equal(lock.lines[0].most, 1);
    assert_int_equal(lock.lines[1].least, 2);
    assert_int_equal(lock.lines[1].most, 3);
    tv_call_lock_release(&lock);
}

/* "a" + "b.x" and "a.b" + "x" are written alike, and so are one line. */
static void names_that_are_written_alike_are_one_line(void **state)
{
    (void)state;
    static const struct tv_str names[] = {{"b.x", 3}, {"x", 1}};
    struct listed listed;
    struct tv_call_lock lock;
    list(&listed, names, 2);
    listed.methods[0].class_name.stem = TV_STR("a");
    listed.methods[1].class_name.stem = TV_STR("a.b");
    tv_call_lock_init(&lock, tv_alloc_libc());
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none,
                                          &(struct tv_lock_subject){.mine = {NULL, 0}}, NULL),
                     TV_OK);
    assert_int_equal(lock.count, 1);
    assert_int_equal(lock.lines[0].least, 1 + 2);
    assert_int_equal(lock.lines[0].most, 1 + 3);
    tv_call_lock_release(&lock);
}

#define HEAD "traceview counts 1\nruns 2\n"

static void other_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"", "no lockfile"},
        {"traceview counts 2\nruns 1\n", "no lockfile"},
        {"traceview counts 1\n1\ta\n", "of how many runs"},
        {"traceview counts 1\nruns 0\n", "number of runs"},
        {"traceview counts 1\nruns 1\nruns 1\n", "number of runs"},
        {HEAD "a\n", "line 3: neither a count"},
        {HEAD "x\ta\n", "line 3: before the tab"},
        {HEAD "-1\ta\n", "line 3: before the tab"},
        {HEAD "3..3\ta\n", "line 3: before the tab"},
        {HEAD "7..3\ta\n", "line 3: before the tab"},
        {HEAD "99999999999999999999\ta\n", "line 3: before the tab"},
        {HEAD "0\ta\n", "line 3: a method without calls"},
        {HEAD "+\ta\n", "line 3: before the tab"},
        {HEAD "1++\ta\n", "line 3: before the tab"},
        {HEAD "short-names-of \n", "line 3: this line of the head"},
        {HEAD "1\t\n", "line 3: there is no name"},
        {HEAD "1\ta\tb\n", "line 3: the name is not escaped"},
        {HEAD "1\ta\\b\n", "line 3: the name is not escaped"},
        {HEAD "1\t\\x41\n", "line 3: the name is not escaped"},
        {HEAD "1\t\\x0A\n", "line 3: the name is not escaped"},
        {HEAD "1\ta\xff\n", "line 3: the name is not escaped"},
        {HEAD "1\tb\n1\ta\n", "line 4: names are not in order"},
        {HEAD "1\ta\n2\ta\n", "line 4: names are not in order"},
        {HEAD "1\ta\nmine b\n", "line 4: neither a count"},
        {HEAD "mine a\nmine b\n", "line 4: this line of the head"},
        {HEAD "mine \n", "line 3: this line of the head"},
        {HEAD "from a\n", "stand together"},
        {HEAD "<<<<<<< HEAD\n1\ta\n", "line 3 is a conflict marker, '<<<<<<<'"},
        {HEAD "1\ta\n=======\n", "line 4 is a conflict marker, '======='"},
        {HEAD "1\ta\n||||||| base\n", "line 4 is a conflict marker, '|||||||'"},
        {HEAD "1\ta\n>>>>>>> theirs\n", "line 4 is a conflict marker, '>>>>>>>'"},
        {"<<<<<<< HEAD\ntraceview counts 1\n", "line 1 is a conflict marker"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_call_lock lock;
        struct tv_error err = {.code = TV_OK};
        tv_call_lock_init(&lock, tv_alloc_libc());
        assert_int_equal(tv_call_lock_read(&lock, tv_str_from(cases[i].text), &err), TV_ERR_FORMAT);
        if (!strstr(err.text, cases[i].why))
            fail_msg("of case %zu: %s", i, err.text);
        assert_null(lock.lines);
        tv_call_lock_release(&lock);
    }
}

/* Notes, empty lines and the line ends of Windows are fine; so is a file without a method. */
static void notes_and_returns_are_read(void **state)
{
    (void)state;
    struct tv_call_lock lock;
    tv_call_lock_init(&lock, tv_alloc_libc());
    static const char text[] = "traceview counts 1\r\n# a note\r\nruns 3\r\nper com.A.b ()V\r\n"
                               "\r\n12\ta.b\r\n# another\n3..7\tc";
    assert_int_equal(tv_call_lock_read(&lock, TV_STR(text), NULL), TV_OK);
    assert_int_equal(lock.runs, 3);
    assert_int_equal(lock.count, 2);
    assert_true(tv_str_equal(lock.subject.per, TV_STR("com.A.b ()V")));
    assert_true(tv_str_equal(lock.lines[0].name, TV_STR("a.b")));
    assert_int_equal(lock.lines[1].most, 7);
    assert_int_equal(tv_call_lock_read(&lock, TV_STR(HEAD), NULL), TV_OK);
    assert_int_equal(lock.count, 0);
    tv_call_lock_release(&lock);
}

#define LINE(of_least, of_most)                                                                    \
    (&(struct tv_lock_line){.name = {"a", 1}, .least = (of_least), .most = (of_most)})

static void a_change_is_what_the_runs_do_not_explain(void **state)
{
    (void)state;
    assert_int_equal(tv_lock_compare(LINE(12, 12), LINE(12, 12)), TV_LOCK_SAME);
    assert_int_equal(tv_lock_compare(LINE(12, 12), LINE(13, 13)), TV_LOCK_CHANGED);
    assert_int_equal(tv_lock_compare(LINE(12, 12), LINE(12, 13)), TV_LOCK_CHANGED);
    assert_int_equal(tv_lock_compare(LINE(12, 12), NULL), TV_LOCK_GONE);
    assert_int_equal(tv_lock_compare(NULL, LINE(1, 1)), TV_LOCK_NEW);
    assert_int_equal(tv_lock_compare(LINE(3, 7), LINE(4, 6)), TV_LOCK_SAME);
    assert_int_equal(tv_lock_compare(LINE(3, 7), LINE(4, 11)), TV_LOCK_STRAY);
    assert_int_equal(tv_lock_compare(LINE(3, 7), LINE(4, 12)), TV_LOCK_CHANGED);
    assert_int_equal(tv_lock_compare(LINE(3, 7), NULL), TV_LOCK_STRAY);
    assert_int_equal(tv_lock_compare(LINE(30, 37), LINE(22, 22)), TV_LOCK_CHANGED);
    assert_int_equal(tv_lock_compare(LINE(0, 1), NULL), TV_LOCK_SAME);
}

static enum tv_code read_with(const struct tv_alloc *alloc, void *ctx)
{
    (void)ctx;
    struct tv_call_lock lock;
    tv_call_lock_init(&lock, alloc);
    enum tv_code code = tv_call_lock_read(&lock, TV_STR(HEAD "mine a\n1\ta\n2..3\tb\n"), NULL);
    tv_call_lock_release(&lock);
    return code;
}

static enum tv_code make_with(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_call_lock lock;
    struct listed *listed = ctx;
    tv_call_lock_init(&lock, alloc);
    enum tv_code code = tv_call_lock_of_join(
        &lock, &listed->join, &none, &(struct tv_lock_subject){.mine = TV_STR("com.")}, NULL);
    tv_call_lock_release(&lock);
    return code;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct listed listed;
    list(&listed, hostile_names, HOSTILE_NAME_COUNT);
    assert_true(failing_alloc_each(read_with, NULL) > 2);
    assert_true(failing_alloc_each(make_with, &listed) > 5);
}

static void a_lock_of_no_method_says_why(void **state)
{
    (void)state;
    struct listed listed;
    struct tv_call_lock lock;
    struct tv_error err;
    const struct tv_str name = TV_STR("load");
    tv_call_lock_init(&lock, tv_alloc_libc());
    list(&listed, &name, 1);
    struct tv_lock_subject subject = {.mine = TV_STR("com.ap.")};
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none, &subject, NULL), TV_OK);
    assert_int_equal(tv_call_lock_check(&lock, NULL), TV_OK);
    list(&listed, &name, 0);
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none, &subject, NULL), TV_OK);
    assert_int_equal(tv_call_lock_check(&lock, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "mine is 'com.ap.', and no class"));
    subject.mine = TV_STR("");
    assert_int_equal(tv_call_lock_of_join(&lock, &listed.join, &none, &subject, NULL), TV_OK);
    assert_int_equal(tv_call_lock_check(&lock, &err), TV_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no method was called in what is asked for"));
    tv_call_lock_release(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_of_no_method_says_why),
        cmocka_unit_test(no_name_makes_a_line_of_its_own),
        cmocka_unit_test(a_count_that_differs_is_a_range),
        cmocka_unit_test(names_that_are_written_alike_are_one_line),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(notes_and_returns_are_read),
        cmocka_unit_test(a_change_is_what_the_runs_do_not_explain),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
