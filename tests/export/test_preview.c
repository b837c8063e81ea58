/* The preview: only what has calls in the part is counted, and examples are what is written. */
#include "export/preview.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/probe.h"
#include "support/failing_alloc.h"

static enum tv_code make(struct tv_preview *preview, const struct world *w, uint64_t to_ns,
                         struct tv_error *err)
{
    const struct tv_redact_opts redact = {.keep = TV_STR("java.,com.app.Main")};
    struct tv_export_opts opts = {.redact = &redact};
    tv_scope_init(&opts.scope, &w->index);
    if (to_ns)
        assert_int_equal(tv_scope_take_range(&opts.scope, &w->index, 0, to_ns, err), TV_OK);
    return tv_preview_make(preview, &w->index, &opts, NULL, err);
}

/* com.app.Main.run calls com.lib.List.get and put, a worker java.util.Map.get. */
static void make_world(struct world *w)
{
    world_begin(w);
    world_enter(w, 1, 0, 10, 1);
    world_enter(w, 1, 2, 20, 2);
    world_leave(w, 1, 2, 30, 3);
    world_enter(w, 2, 4, 35, 1);
    world_leave(w, 2, 4, 38, 1);
    world_enter(w, 1, 3, 40, 4);
    world_leave(w, 1, 3, 50, 5);
    world_leave(w, 1, 0, 60, 6);
    world_end(w);
}

static void assert_package(const struct tv_preview_package *package, const char *name, bool is_kept,
                           uint32_t methods)
{
    assert_true(tv_str_equal(package->name, tv_str_from(name)));
    assert_int_equal(package->is_kept, is_kept);
    assert_int_equal(package->methods, methods);
}

static void test_all(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err = {.code = TV_OK};
    struct tv_preview preview;
    make_world(&w);
    tv_preview_init(&preview, tv_alloc_libc());
    assert_int_equal(make(&preview, &w, 0, &err), TV_OK);
    assert_int_equal(preview.package_count, 3);
    assert_package(&preview.packages[0], "com.app", true, 1);
    assert_package(&preview.packages[1], "java.util", true, 1);
    assert_package(&preview.packages[2], "com.lib", false, 2);
    assert_int_equal(preview.methods_kept, 2);
    assert_int_equal(preview.methods_replaced, 2);
    assert_int_equal(preview.files_left_out, 4);
    assert_int_equal(preview.threads_kept, 1);
    assert_int_equal(preview.threads_replaced, 1);
    uint32_t example = preview.packages[2].example;
    assert_int_equal(example, tv_index_method_of_id(&w.index, M(2)));
    assert_true(
        tv_str_equal(preview.names.methods[example].class_name, TV_STR("pf93a8b6183.C8497b59673")));
    tv_preview_release(&preview);
    world_release(&w);
}

static void test_part(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err = {.code = TV_OK};
    struct tv_preview preview;
    make_world(&w);
    tv_preview_init(&preview, tv_alloc_libc());
    assert_int_equal(make(&preview, &w, 33000, &err), TV_OK);
    assert_int_equal(preview.package_count, 2);
    assert_package(&preview.packages[0], "com.app", true, 1);
    assert_package(&preview.packages[1], "com.lib", false, 1);
    assert_int_equal(preview.threads_kept, 1);
    assert_int_equal(preview.threads_replaced, 0);
    tv_preview_release(&preview);
    world_release(&w);
}

/* A method of a kept class that lists methods of others, as a mapping leaves it, is not kept. */
static void test_listed_methods(void **state)
{
    (void)state;
    static struct world w;
    struct tv_error err = {.code = TV_OK};
    struct tv_preview preview;
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){
                         .version = 3,
                         .clock = "dual",
                         .threads = "1\tmain\n",
                         .methods = "0x4\tjava.util.Map\tget\t()V\n"
                                    "0x8\tjava.util.Map\tput | com.zebra.Quagga.okapi\t()V\n"});
    enter(&w.t, 1, 0x4, 10);
    enter(&w.t, 1, 0x8, 20);
    leave(&w.t, 1, 0x8, 30);
    leave(&w.t, 1, 0x4, 40);
    enter(&w.t, 1, 0xc, 50); /* not described: it is called by its id, and stays so */
    leave(&w.t, 1, 0xc, 60);
    world_read(&w);
    tv_preview_init(&preview, tv_alloc_libc());
    assert_int_equal(make(&preview, &w, 0, &err), TV_OK);
    assert_int_equal(preview.package_count, 3);
    assert_package(&preview.packages[0], "", true, 1);
    assert_package(&preview.packages[1], "java.util", true, 1);
    assert_package(&preview.packages[2], "java.util", false, 1);
    assert_int_equal(preview.methods_kept, 2);
    assert_int_equal(preview.methods_replaced, 1);
    assert_int_equal(preview.packages[2].example, tv_index_method_of_id(&w.index, 0x8));
    tv_preview_release(&preview);
    world_release(&w);
}

static enum tv_code make_and_release(const struct tv_alloc *alloc, void *ctx)
{
    struct tv_preview preview;
    struct tv_error err = {.code = TV_OK};
    tv_preview_init(&preview, alloc);
    enum tv_code code = make(&preview, ctx, 33000, &err);
    tv_preview_release(&preview);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    static struct world w;
    make_world(&w);
    (void)failing_alloc_each(make_and_release, &w);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_listed_methods),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
