/* 64-bit ids as keys, and the stacks that name the methods of bare exits. */
#include "format/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing_alloc.h"

#define LEAVE_ANY 0 /* the method of an exit that names none */
#define SAME_SLOT ((uint64_t)TV_KEY_CACHE << 20)

struct fixture {
    struct failing_alloc failing;
    struct tv_trace trace;
    struct tv_keys keys;
    struct tv_raw raw;
    struct tv_batch batch;
};

static void begin(struct fixture *f)
{
    failing_alloc_init(&f->failing, NEVER_FAIL);
    tv_trace_init(&f->trace, &f->failing.alloc);
    tv_keys_init(&f->keys, &f->failing.alloc);
    f->raw.count = 0;
    f->batch.count = 0;
}

static void end(struct fixture *f)
{
    tv_keys_release(&f->keys);
    tv_trace_release(&f->trace);
    assert_int_equal(f->failing.live, 0);
    assert_false(f->failing.was_lied_to);
}

static void add(struct fixture *f, uint64_t id, unsigned action)
{
    f->raw.method_id[f->raw.count] = id;
    f->raw.action[f->raw.count] = (uint16_t)action;
    f->raw.offset[f->raw.count] = 100 + f->raw.count;
    f->raw.count++;
}

static enum tv_code append(struct fixture *f, uint32_t thread, enum tv_exits exits)
{
    f->raw.thread_id = thread;
    enum tv_code code = tv_keys_append(&f->keys, &f->trace, &f->raw, exits, &f->batch, NULL);
    f->raw.count = 0;
    return code;
}

static void append_fine(struct fixture *f, uint32_t thread, enum tv_exits exits)
{
    assert_int_equal(append(f, thread, exits), TV_OK);
}

static uint64_t id_at(const struct fixture *f, size_t i)
{
    return tv_trace_id_of_key(&f->trace, f->batch.key_action[i]);
}

static void keys_count_up_in_order_of_first_use(void **state)
{
    (void)state;
    static struct fixture f;
    begin(&f);
    add(&f, UINT64_C(0x7f00000010), TV_ACTION_ENTER);
    add(&f, 0, TV_ACTION_ENTER);
    add(&f, UINT64_C(0x7f00000010), TV_ACTION_UNWIND);
    append_fine(&f, 70000, TV_EXITS_NAMED);
    add(&f, UINT64_MAX - 3, TV_ACTION_RESERVED);
    append_fine(&f, 1, TV_EXITS_NAMED);
    static const uint32_t expected[] = {0, 4, 0 | TV_ACTION_UNWIND, 8 | TV_ACTION_RESERVED};
    assert_int_equal(f.batch.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(f.batch.key_action[i], expected[i]);
    assert_int_equal(f.batch.thread_id[2], 70000);
    assert_int_equal(f.batch.thread_id[3], 1);
    assert_int_equal(f.batch.offsets[1], 101);
    assert_int_equal(f.batch.offsets[3], 100);
    assert_int_equal(f.trace.key_count, 3);
    assert_true(id_at(&f, 3) == UINT64_MAX - 3);
    end(&f);
}

/* The cache is direct mapped: ids that meet in a slot drive each other out, and keep their keys. */
static void ids_that_meet_in_the_cache_keep_their_keys(void **state)
{
    (void)state;
    static struct fixture f;
    begin(&f);
    for (unsigned round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < 40; i++)
            add(&f, (i + 1) * SAME_SLOT, TV_ACTION_ENTER);
        append_fine(&f, 1, TV_EXITS_NAMED);
    }
    assert_int_equal(f.trace.key_count, 40);
    for (size_t i = 0; i < f.batch.count; i++)
        assert_int_equal(f.batch.key_action[i], 4 * (i % 40));
    end(&f);
}

static void undescribed_methods_are_told_apart_up_to_a_limit(void **state)
{
    (void)state;
    static struct fixture f;
    const struct tv_trace_method described = {.id = UINT64_C(1) << 40};
    begin(&f);
    assert_int_equal(tv_trace_add_method(&f.trace, &described, 0, NULL), TV_OK);
    for (uint64_t first = 0; first < TV_MOST_UNDESCRIBED; first += TV_RAW_CAP) {
        f.batch.count = 0;
        for (uint64_t i = 0; i < TV_RAW_CAP; i++)
            add(&f, 8 * (first + i), TV_ACTION_ENTER);
        append_fine(&f, 1, TV_EXITS_NAMED);
    }
    f.batch.count = 0;
    add(&f, UINT64_C(1) << 50, TV_ACTION_ENTER);
    add(&f, UINT64_C(1) << 51, TV_ACTION_ENTER);
    add(&f, described.id, TV_ACTION_ENTER);
    add(&f, 8, TV_ACTION_ENTER);
    append_fine(&f, 1, TV_EXITS_NAMED);
    assert_true(id_at(&f, 0) == TV_METHOD_ID_UNKNOWN);
    assert_true(id_at(&f, 1) == TV_METHOD_ID_UNKNOWN);
    assert_true(id_at(&f, 2) == described.id);
    assert_true(id_at(&f, 3) == 8);
    assert_int_equal(f.trace.key_count, TV_MOST_UNDESCRIBED + 2);
    end(&f);
}

static void bare_exits_leave_the_top_of_their_thread(void **state)
{
    (void)state;
    static struct fixture f;
    begin(&f);
    add(&f, 100, TV_ACTION_ENTER);
    add(&f, 200, TV_ACTION_ENTER);
    append_fine(&f, 1, TV_EXITS_BARE);
    add(&f, 300, TV_ACTION_ENTER);
    add(&f, LEAVE_ANY, TV_ACTION_EXIT);
    add(&f, LEAVE_ANY, TV_ACTION_EXIT);
    append_fine(&f, 2, TV_EXITS_BARE);
    add(&f, LEAVE_ANY, TV_ACTION_UNWIND);
    add(&f, LEAVE_ANY, TV_ACTION_EXIT);
    append_fine(&f, 1, TV_EXITS_BARE); /* the stack outlasts the block */
    static const uint64_t ids[] = {100, 200, 300, 300, TV_METHOD_ID_UNKNOWN, 200, 100};
    assert_int_equal(f.batch.count, 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(id_at(&f, i) == ids[i]);
    assert_int_equal(f.batch.key_action[5] & 3, TV_ACTION_UNWIND);
    end(&f);
}

static void links_that_were_popped_are_used_again(void **state)
{
    (void)state;
    static struct fixture f;
    begin(&f);
    for (unsigned round = 0; round < 100; round++) {
        add(&f, 100, TV_ACTION_ENTER);
        add(&f, 200, TV_ACTION_ENTER);
        add(&f, LEAVE_ANY, TV_ACTION_EXIT);
        add(&f, LEAVE_ANY, TV_ACTION_EXIT);
        append_fine(&f, round % 5, TV_EXITS_BARE);
    }
    assert_int_equal(f.keys.stacks.link_count, 2);
    end(&f);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static struct fixture f;
    uint64_t requests = 1;
    for (uint64_t fail_at = 0; fail_at < requests; fail_at++) {
        begin(&f);
        f.failing.fail_at = fail_at;
        for (uint64_t i = 0; i < 100; i++)
            add(&f, 4 * i, TV_ACTION_ENTER);
        enum tv_code code = append(&f, 1, TV_EXITS_BARE);
        assert_int_equal(code, f.failing.has_failed ? TV_ERR_MEMORY : TV_OK);
        assert_int_equal(f.batch.count, f.failing.has_failed ? 0 : 100);
        requests = f.failing.requests + f.failing.has_failed;
        end(&f);
    }
    assert_true(requests > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_count_up_in_order_of_first_use),
        cmocka_unit_test(ids_that_meet_in_the_cache_keep_their_keys),
        cmocka_unit_test(undescribed_methods_are_told_apart_up_to_a_limit),
        cmocka_unit_test(bare_exits_leave_the_top_of_their_thread),
        cmocka_unit_test(links_that_were_popped_are_used_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
