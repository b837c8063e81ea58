/* What methods have allocated, as a file tells it, and as a hostile one does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/allocated.h"
#include "analysis/world.h"
#include "support/failing_alloc.h"

static struct world w;

static void build(const char *property)
{
    world_begin(&w);
    build_release(&w.t);
    build_text(&w.t, (struct build_opts){.version = 3, .clock = "dual", .options = property});
    build_record(&w.t, (struct build_record){1, M(0), ENTER, 0, 0});
    build_record(&w.t, (struct build_record){1, M(1), ENTER, 10, 10});
    build_record(&w.t, (struct build_record){1, M(1), LEAVE, 20, 20});
    build_record(&w.t, (struct build_record){1, M(0), LEAVE, 30, 30});
    world_read(&w);
}

static struct tv_allocated of[WORLD_METHODS];

/* The sum over all methods of what the property tells. */
static struct tv_allocated read_all(const char *property)
{
    struct tv_allocated sum = {0, 0};
    build(property);
    memset(of, 0, sizeof(of));
    assert_int_equal(tv_allocated_read(&w.index, tv_alloc_libc(), of, NULL), TV_OK);
    for (size_t i = 0; i < WORLD_METHODS; i++) {
        sum.own += of[i].own;
        sum.all += of[i].all;
    }
    return sum;
}

static uint64_t id_of(unsigned method)
{
    return w.index.methods[world_method_ix(&w, method)].id;
}

static void each_method_has_its_bytes(void **state)
{
    char property[128];
    (void)state;
    build("");
    assert_false(tv_allocated_is_told(&w.index));
    const uint64_t first = id_of(0), second = id_of(1);
    world_release(&w);
    (void)snprintf(property, sizeof(property), "allocated-bytes=65536;0x%llx:7:30;0x%llx:23:23\n",
                   (unsigned long long)first, (unsigned long long)second);
    const struct tv_allocated sum = read_all(property);
    assert_true(tv_allocated_is_told(&w.index));
    assert_int_equal(sum.own, 30);
    assert_int_equal(sum.all, 53);
    assert_int_equal(of[world_method_ix(&w, 0)].own, 7);
    assert_int_equal(of[world_method_ix(&w, 1)].all, 23);
    world_release(&w);
}

/* What stands before a part that cannot be read counts. */
static void what_cannot_be_read_is_left_out(void **state)
{
    static const char *const properties[] = {
        "allocated-bytes=\n",
        "allocated-bytes=65536\n",
        "allocated-bytes=65536;;;\n",
        "allocated-bytes=65536;0x999999:1:1\n",
        "allocated-bytes=65536;4:1:1\n",
        "allocated-bytes=65536;0x:1:1\n",
        "allocated-bytes=65536;0x4:1\n",
        "allocated-bytes=65536;0x4:1:1:1\n",
        "allocated-bytes=65536;0x4:-1:1\n",
        "allocated-bytes=65536;0x4:99999999999999999999:1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        assert_int_equal(read_all(properties[i]).all, 0);
        world_release(&w);
    }
}

static void memory_may_run_out(void **state)
{
    struct failing_alloc failing;
    (void)state;
    build("allocated-bytes=65536;0x4:1:1\n");
    failing_alloc_init(&failing, 0);
    assert_int_equal(tv_allocated_read(&w.index, &failing.alloc, of, NULL), TV_ERR_MEMORY);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_method_has_its_bytes),
        cmocka_unit_test(what_cannot_be_read_is_left_out),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
