/* Categories of methods by hand; tests/readers compares them with those of the profiler's own
 * importer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buffer.h"
#include "export/tools/firefox_categories.h"

static struct tv_export_method method(const char *class_name, const char *name)
{
    return (struct tv_export_method){.class_name = tv_str_from(class_name),
                                     .name = tv_str_from(name)};
}

static void find(struct tv_firefox_categories *categories, struct tv_export_method *methods,
                 uint32_t count)
{
    struct tv_export_names names = {.methods = methods, .method_count = count};
    assert_int_equal(tv_firefox_categories_find(categories, &names, tv_alloc_libc(), NULL), TV_OK);
}

static void test_each(void **state)
{
    (void)state;
    static const struct {
        const char *class_name, *name;
        unsigned category;
    } wanted[] = {
        {"android.os.MessageQueue", "nativePollOnce", 0},
        {"android.os.MessageQueue", "next", 3},
        {"java.lang.Object", "wait", 2},
        {"java.lang.Object", "notify", 4},
        {"com.android.internal.os.ZygoteInit", "main", 3},
        {"sun.misc.Unsafe", "park", 4},
        {"com.sun.x.Y", "z", 4},
        {"kotlin.Unit", "a", 5},
        {"kotlinx.coroutines.Job", "a", 5},
        {"androidx.core.A", "a", 6},
        {"com.example.app.Main", "run", 7},
        {"org.example.Other", "run", 7},
        {"example.Third", "run", 7},
        {"com.examples.Main", "run", 1},
        {"javax.swing.A", "a", 1},
        {"androidy.A", "a", 1},
        {"", "slice", 1},
    };
    struct tv_export_method methods[sizeof(wanted) / sizeof(*wanted)];
    struct tv_firefox_categories categories;
    const uint32_t count = sizeof(wanted) / sizeof(*wanted);
    for (uint32_t i = 0; i < count; i++)
        methods[i] = method(wanted[i].class_name, wanted[i].name);
    find(&categories, methods, count);
    assert_true(tv_str_equal(categories.own, TV_STR("example")));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(tv_firefox_category(&categories, &methods[i]), wanted[i].category);
}

/* Without a package of its own a trace has no such category; a long name is cut. */
static void test_own(void **state)
{
    (void)state;
    char class_name[200];
    struct tv_export_method of_java = method("java.lang.Object", "a");
    struct tv_firefox_categories categories;
    struct tv_buffer out;
    struct tv_json json;
    find(&categories, &of_java, 1);
    assert_int_equal(categories.own.len, 0);
    assert_int_equal(tv_firefox_category(&categories, &of_java), 4);
    memset(class_name, 'n', sizeof(class_name) - 1);
    class_name[sizeof(class_name) - 1] = '\0';
    struct tv_export_method long_one = method(class_name, "a");
    find(&categories, &long_one, 1);
    tv_buffer_init(&out, tv_alloc_libc());
    tv_json_init(&json, tv_buffer_sink(&out));
    tv_firefox_categories_put(&categories, &json);
    assert_int_equal(tv_json_finish(&json, NULL), TV_OK);
    assert_int_equal(tv_buffer_append(&out, "", 1, NULL), TV_OK);
    assert_non_null(strstr((const char *)out.bytes, "\"Nnnnn"));
    tv_buffer_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
