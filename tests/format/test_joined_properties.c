/* How the properties of several recordings become those of one, and that none is forgotten. */
#include "format/joined_properties.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/str.h"

/* Properties, one a line, of a recording of `records` records. */
static void take(struct tv_joined_properties *joined, uint64_t records, const char *lines)
{
    struct tv_trace trace;
    struct tv_str rest = tv_str_from(lines), line, key;
    tv_trace_init(&trace, tv_alloc_libc());
    trace.fixed.count = records;
    while (tv_str_split(&rest, '\n', &line)) {
        if (tv_str_split(&line, '=', &key))
            assert_int_equal(tv_trace_add_property(&trace, key, line, NULL), TV_OK);
    }
    tv_joined_properties_add(joined, &trace);
    tv_trace_release(&trace);
}

static void expect(const struct tv_joined_properties *joined, const char *lines)
{
    char all[4096] = "";
    size_t len = 0;
    for (size_t i = 0; i < TV_JOINED_PROPERTY_COUNT; i++) {
        const char *key;
        char value[TV_JOINED_PROPERTY_CAP];
        if (tv_joined_properties_get(joined, i, &key, value))
            len += (size_t)snprintf(all + len, sizeof(all) - len, "%s=%s\n", key, value);
    }
    assert_string_equal(all, lines);
}

static void what_is_missing_of_one_is_missing_of_the_whole(void **state)
{
    (void)state;
    static const char full[] = "ring-bytes=65536\nring-is-full=true\n";
    static const char left_out[] = "methods-skipped=5\n"
                                   "classes-left-out=boot, chosen\n"
                                   "depth-limit=2\n"
                                   "file-limit=4096\n"
                                   "records-lost=7\n";
    struct {
        const char *first, *second, *whole;
    } cases[] = {{full, "ring-bytes=65536\nring-is-full=false\n", full},
                 {full, "", full},
                 {"ring-is-full=false\n", "ring-is-full=false\n", "ring-is-full=false\n"},
                 {"methods-skipped=4\nclasses-left-out=boot\ndepth-limit=3\nrecords-lost=3\n",
                  "methods-skipped=1\nclasses-left-out=boot, chosen\ndepth-limit=2\n"
                  "records-lost=4\nfile-limit=4096\n",
                  left_out},
                 {left_out, "", left_out}};
    for (size_t i = 0; i < TV_COUNT_OF(cases); i++) {
        struct tv_joined_properties joined = {.of = {{.number = 0}}},
                                    other_way = {.of = {{.number = 0}}};
        take(&joined, 10, cases[i].first);
        take(&joined, 10, cases[i].second);
        expect(&joined, cases[i].whole);
        take(&other_way, 10, cases[i].second);
        take(&other_way, 10, cases[i].first);
        expect(&other_way, cases[i].whole);
    }
}

static void costs_are_those_of_the_recordings_that_tell_them(void **state)
{
    (void)state;
    struct tv_joined_properties joined = {.of = {{.number = 0}}};
    take(&joined, 300,
         "record-call-overhead-nsec=100\nrecord-leaf-overhead-nsec=20\n"
         "record-calling-overhead-nsec=40\nrecord-writing-nsec=7\nprocessor=One\npid=7\n");
    take(&joined, 100,
         "record-call-overhead-nsec=60\nrecord-leaf-overhead-nsec=40\n"
         "record-calling-overhead-nsec=80\nrecord-writing-nsec=8\nprocessor=Two\npid=8\n");
    expect(&joined, "record-call-overhead-nsec=90\nrecord-leaf-overhead-nsec=25\n"
                    "record-calling-overhead-nsec=50\nrecord-writing-nsec=15\nprocessor=One\n");
    take(&joined, 1000, ""); /* as of a process that was killed */
    expect(&joined, "record-call-overhead-nsec=90\nrecord-leaf-overhead-nsec=25\n"
                    "record-calling-overhead-nsec=50\nrecord-writing-nsec=15\nprocessor=One\n");
    take(&joined, 0, "record-call-overhead-nsec=60\nrecord-leaf-overhead-nsec=60\n");
    expect(&joined, "record-call-overhead-nsec=90\nrecord-writing-nsec=15\nprocessor=One\n");
}

static bool has_way(struct tv_str key)
{
    static const struct tv_joined_properties none = {.of = {{.number = 0}}};
    for (size_t i = 0; i < TV_JOINED_PROPERTY_COUNT; i++) {
        const char *of_table = NULL;
        char value[TV_JOINED_PROPERTY_CAP];
        (void)tv_joined_properties_get(&none, i, &of_table, value);
        if (tv_str_equal(key, tv_str_from(of_table)))
            return true;
    }
    return false;
}

/* Each text of the source that begins as a property, "depth-limit" or "clock=wall\n", is one that
 * the table has. */
static void each_property_that_our_recorder_writes_has_a_way(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen("src/record/summary.c", "r");
    size_t found = 0;
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    for (const char *at = text; (at = strchr(at, '"')); at++) {
        const struct tv_str key = {at + 1, strspn(at + 1, letters)};
        if (key.len < 3 || (key.at[key.len] != '=' && key.at[key.len] != '"'))
            continue;
        if (!has_way(key))
            fail_msg("%.*s is not in the table", (int)key.len, key.at);
        found++;
    }
    free(text);
    assert_true(found >= 22);
    assert_true(has_way(TV_STR("java-program")));
    assert_false(has_way(TV_STR("unknown")));
}

static void a_longer_text_than_any_of_ours_is_left_out(void **state)
{
    (void)state;
    char line[200] = "processor=";
    struct tv_joined_properties joined = {.of = {{.number = 0}}};
    memset(line + strlen(line), 'x', TV_JOINED_PROPERTY_CAP);
    take(&joined, 1, line);
    expect(&joined, "");
    line[strlen(line) - 1] = '\0';
    joined = (struct tv_joined_properties){.of = {{.number = 0}}};
    take(&joined, 1, line);
    line[strlen(line)] = '\n'; /* zeros follow */
    expect(&joined, line);
}

static void words_that_do_not_fit_leave_nothing(void **state)
{
    (void)state;
    char line[200] = "classes-left-out=boot";
    const size_t len = strlen(line);
    struct tv_joined_properties joined = {.of = {{.number = 0}}};
    (void)snprintf(line + len, sizeof(line) - len, ", %0*d", (int)TV_JOINED_PROPERTY_CAP - 6, 0);
    take(&joined, 1, line);
    expect(&joined, "classes-left-out=boot\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_of_one_is_missing_of_the_whole),
        cmocka_unit_test(costs_are_those_of_the_recordings_that_tell_them),
        cmocka_unit_test(each_property_that_our_recorder_writes_has_a_way),
        cmocka_unit_test(a_longer_text_than_any_of_ours_is_left_out),
        cmocka_unit_test(words_that_do_not_fit_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
