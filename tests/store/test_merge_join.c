/*
 * Rows and files side by side, over more than a page of each: what is passed over here, a check
 * does not see, and gc takes for a file without a row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "store/merge_join.h"

#define ALL (2 * TV_MERGE_JOIN_PAGE + 100)
#define WITHOUT_FILE 300u
#define WITHOUT_ROW 301u

static void name_of(struct tv_hash *name, unsigned i)
{
    (void)snprintf(name->hex, sizeof(name->hex), "%016x", i);
}

/* The numbers behind `after`, but for one, at most `cap`. */
static size_t numbers_behind(const struct tv_hash *after, unsigned left_out, unsigned *numbers,
                             size_t cap)
{
    size_t count = 0;
    for (unsigned i = 0; i < ALL && count < cap; i++) {
        struct tv_hash name;
        name_of(&name, i);
        if (i != left_out && (!after || strcmp(name.hex, after->hex) > 0))
            numbers[count++] = i;
    }
    return count;
}

static enum tv_code list_rows(void *ctx, const struct tv_hash *after, struct tv_file_row *rows,
                              size_t cap, size_t *count, struct tv_error *err)
{
    unsigned numbers[ALL];
    (void)ctx;
    (void)err;
    *count = numbers_behind(after, WITHOUT_ROW, numbers, cap);
    memset(rows, 0, *count * sizeof(*rows));
    for (size_t i = 0; i < *count; i++)
        name_of(&rows[i].name, numbers[i]);
    return TV_OK;
}

static enum tv_code list_names(void *ctx, const struct tv_hash *after, struct tv_hash *names,
                               size_t cap, size_t *count, struct tv_error *err)
{
    unsigned numbers[ALL];
    (void)ctx;
    (void)err;
    *count = numbers_behind(after, WITHOUT_FILE, numbers, cap);
    for (size_t i = 0; i < *count; i++)
        name_of(&names[i], numbers[i]);
    return TV_OK;
}

static void every_row_and_file_comes_once(void **state)
{
    (void)state;
    struct tv_store store = {.db = {.list_files = list_rows}, .files = {.list = list_names}};
    struct tv_merge_join merged;
    struct tv_merge_join_file file;
    bool has;
    tv_merge_join_init(&merged, &store);
    for (unsigned i = 0; i < ALL; i++) {
        struct tv_hash name;
        name_of(&name, i);
        assert_int_equal(tv_merge_join_next(&merged, &file, &has, NULL), TV_OK);
        assert_true(has);
        assert_string_equal(file.name.hex, name.hex);
        assert_int_equal(file.row != NULL, i != WITHOUT_ROW);
        assert_int_equal(file.is_file, i != WITHOUT_FILE);
    }
    assert_int_equal(tv_merge_join_next(&merged, &file, &has, NULL), TV_OK);
    assert_false(has);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_and_file_comes_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
