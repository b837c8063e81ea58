/* retrace/name_lookup: names of a mapping in both directions. */
#include "retrace/name_lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/error.h"

#define MAPPING                                                                                    \
    "app.Store -> a.b:\n"                                                                          \
    "    1:1:int app.Util.help():7:7 -> a\n    1:1:void save(int):9 -> a\n"                        \
    "    2:3:void save(int):10:11 -> a\n"                                                          \
    "    void save(app.Item) -> c\n"                                                               \
    "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(La/d;)V\"}\n"     \
    "    void app.Merged.drop() -> e\n"                                                            \
    "    void bridge() -> f\n"                                                                     \
    "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"                                      \
    "app.Item -> a.d:\n    void drop() -> e\n"                                                     \
    "app.Twin -> a.d:\n    void own() -> g\n"

/* Looks a name up, and compares what was found with "kind written source signature; ...". */
static void check(const char *name, const char *expected)
{
    static const char kinds[] = "CMIS";
    struct tv_retracer retracer;
    struct tv_found_names found;
    struct tv_buffer text;
    tv_buffer_init(&text, tv_alloc_libc());
    tv_retracer_init(&retracer, tv_alloc_libc());
    tv_found_names_init(&found, tv_alloc_libc());
    assert_int_equal(tv_retracer_open(&retracer, TV_STR(MAPPING), NULL), TV_OK);
    assert_int_equal(tv_found_names_add(&found, &retracer, tv_str_from(name), NULL), TV_OK);
    for (size_t i = 0; i < found.count; i++) {
        const struct tv_found_name *one = &found.of[i];
        const struct tv_str parts[] = {{i ? "; " : "", i ? 2 : 0},
                                       {&kinds[one->kind], 1},
                                       TV_STR(" "),
                                       one->written_class,
                                       TV_STR("."),
                                       one->written_name,
                                       TV_STR(" "),
                                       one->source.class_name,
                                       TV_STR("."),
                                       one->source.name,
                                       one->source.signature};
        for (size_t part = 0; part < TV_COUNT_OF(parts); part++)
            assert_int_equal(tv_buffer_append(&text, parts[part].at, parts[part].len, NULL), TV_OK);
    }
    assert_int_equal(tv_buffer_append(&text, "", 1, NULL), TV_OK);
    assert_string_equal((const char *)text.bytes, expected);
    tv_buffer_release(&text);
    tv_found_names_release(&found);
    tv_retracer_release(&retracer);
}

static void names_of_the_build_are_found(void **state)
{
    (void)state;
    check("a.b", "C a.b. app.Store.");
    check("a.b.c", "M a.b.c app.Store.save(Lapp/Item;)V");
    check("a.b.c (La/d;)V", "M a.b.c app.Store.save(Lapp/Item;)V");
    check("a.b.c(I)V", "");
    check("a.b.c(La/d;)V", "M a.b.c app.Store.save(Lapp/Item;)V");
    check("a.b.f", "S a.b.f app.Store.bridge()V");
    check("a.d.e", "M a.d.e app.Item.drop()V");
}

static void names_of_the_source_are_found(void **state)
{
    (void)state;
    check("app.Item", "C a.d. app.Item.");
    check("app.Store.save", "M a.b.a app.Store.save(I)V; M a.b.c app.Store.save(Lapp/Item;)V");
    check("app.Store.save(I)V", "M a.b.a app.Store.save(I)V");
    check("app.Store.save(int)", "M a.b.a app.Store.save(I)V");
    check("app.Store.save(Item)", "M a.b.c app.Store.save(Lapp/Item;)V");
    check("app.Store.save (app.Item)", "M a.b.c app.Store.save(Lapp/Item;)V");
    check("app.Store.save(long)", "");
    check("Store.save(int)", "M a.b.a app.Store.save(I)V");
    check("Store.save", "M a.b.a app.Store.save(I)V; M a.b.c app.Store.save(Lapp/Item;)V");
    check("Merged.drop", "M a.b.e app.Merged.drop()V");
    check("tore.save", "");
    check("b.c", "");
    check("app.Util.help", "I a.b.a app.Util.help()I");
    check("app.Merged.drop", "M a.b.e app.Merged.drop()V");
    check("app.Merged", "C a.b. app.Merged.");
    check("app.Util", "");
    check("app.Twin", "C a.d. app.Twin.");
    check("app.Twin.own", "M a.d.g app.Twin.own()V");
}

static void odd_names_are_not_found(void **state)
{
    static const char *const names[] = {
        "", ".", "(", " ", "a.", ".a", "save", "a.b.", "app.Store.save(", "a.b ()V"};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(names); i++)
        check(names[i], "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_build_are_found),
        cmocka_unit_test(names_of_the_source_are_found),
        cmocka_unit_test(odd_names_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
