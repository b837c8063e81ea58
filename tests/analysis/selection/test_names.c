/* Whole names of methods: joined, and compared without being joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/selection/names.h"
#include "analysis/world.h"

static struct world w;

/* Methods whose parts are empty, begin alike, or have the separators of others in them. */
static void begin_odd_names(void)
{
    build_text(&w.t, (struct build_opts){.version = 3,
                                         .clock = "dual",
                                         .methods = "0x4\ta.B\tc\t()V\tB.java\t1\n"
                                                    "0x8\ta\tB.c\t()V\tB.java\t1\n"
                                                    "0xc\ta.B\tc\t()J\tB.java\t1\n"
                                                    "0x10\ta.B\tc\t\t\t\n"
                                                    "0x14\ta.B\t\t()V\t\t\n"
                                                    "0x18\t\tc\t()V\t\t\n"
                                                    "0x1c\ta.B.c\t\t()V\t\t\n"
                                                    "0x20\ta.B.cc\td\t()V\t\t\n"
                                                    "0x24\t\xc3\xa4\tc\t()V\t\t\n"});
    tv_trace_init(&w.trace, tv_alloc_libc());
    tv_index_init(&w.index);
    for (uint32_t i = 0; i < 10; i++) {
        enter(&w.t, MAIN, 4 * (i + 1), 2 * i); /* the last has no line in the file */
        leave(&w.t, MAIN, 4 * (i + 1), 2 * i + 1);
    }
    world_read(&w);
}

static void read_name(uint32_t method_ix, struct tv_buffer *text)
{
    assert_int_equal(tv_method_text(&w.index, method_ix, text, NULL), TV_OK);
}

static void expect_name(uint32_t id, const char *name)
{
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    read_name(tv_index_method_of_id(&w.index, id), &text);
    assert_int_equal(text.len, strlen(name));
    assert_memory_equal(text.bytes, name, text.len);
    tv_buffer_release(&text);
}

static void names_leave_out_empty_parts(void **state)
{
    (void)state;
    begin_odd_names();
    expect_name(0x4, "a.B.c ()V");
    expect_name(0x8, "a.B.c ()V");
    expect_name(0x10, "a.B.c");
    expect_name(0x14, "a.B ()V");
    expect_name(0x18, "c ()V");
    expect_name(0x28, "(0x28)");
    world_release(&w);
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

/* As memcmp orders the joined texts, the shorter first where one begins with the other. */
static int plain_order(struct tv_str a, struct tv_str b)
{
    int order = memcmp(a.at, b.at, a.len < b.len ? a.len : b.len);
    return order ? sign(order) : (a.len > b.len) - (a.len < b.len);
}

static void names_compare_as_their_joined_texts(void **state)
{
    struct tv_buffer a;
    struct tv_buffer b;
    (void)state;
    begin_odd_names();
    tv_buffer_init(&a, tv_alloc_libc());
    tv_buffer_init(&b, tv_alloc_libc());
    assert_int_equal(w.index.method_count, 10);
    for (uint32_t i = 0; i < w.index.method_count; i++) {
        for (uint32_t k = 0; k < w.index.method_count; k++) {
            read_name(i, &a);
            read_name(k, &b);
            assert_int_equal(sign(tv_method_compare_texts(&w.index, i, k)),
                             plain_order(tv_buffer_view(&a), tv_buffer_view(&b)));
        }
    }
    tv_buffer_release(&a);
    tv_buffer_release(&b);
    world_release(&w);
}

/* As a mapping's names are: the last point ends the class, and a signature has points of no name.
 */
static void inlined_methods_are_taken_one_by_one(void **state)
{
    struct tv_str rest = TV_STR("app.Log.put (Lapp/Store;)V\napp.Log$A.<init> ()V\nplain");
    static const struct tv_inlined_name taken[] = {
        {{"app.Log", 7}, {"put", 3}, {"(Lapp/Store;)V", 14}},
        {{"app.Log$A", 9}, {"<init>", 6}, {"()V", 3}},
        {{"", 0}, {"plain", 5}, {"", 0}}};
    struct tv_inlined_name inlined;
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(taken); i++) {
        assert_true(tv_inlined_next(&rest, &inlined));
        assert_true(tv_str_equal(inlined.class_name, taken[i].class_name));
        assert_true(tv_str_equal(inlined.name, taken[i].name));
        assert_true(tv_str_equal(inlined.signature, taken[i].signature));
    }
    assert_false(tv_inlined_next(&rest, &inlined));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_leave_out_empty_parts),
        cmocka_unit_test(names_compare_as_their_joined_texts),
        cmocka_unit_test(inlined_methods_are_taken_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
