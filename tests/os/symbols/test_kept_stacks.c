/* Stacks are known again at the same place with the same words, and at no other. */
#include "os/symbols/kept_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"

#define CODE 0x401000
#define STACK 0x7ff000

/* Memory of a thread, whose first word is at STACK. */
struct memory {
    uint64_t words[4];
};

static bool read_word(void *ctx, uint64_t at, uint64_t *value)
{
    const struct memory *memory = ctx;
    if (at < STACK || at - STACK >= sizeof(memory->words))
        return false;
    *value = memory->words[(at - STACK) / sizeof(*value)];
    return true;
}

static void keep(struct tv_kept_stacks *stacks, uint64_t code, uint64_t caller, uint64_t at,
                 uint64_t value)
{
    const uint64_t addresses[] = {code, caller};
    const struct tv_stack_word words[] = {{at, value}};
    tv_kept_stacks_keep(stacks, &(struct tv_kept_stack){.code = code,
                                                        .stack = STACK,
                                                        .is_whole = true,
                                                        .count = 2,
                                                        .word_count = 1,
                                                        .addresses = addresses,
                                                        .words = words});
}

static uint64_t caller_found(const struct tv_kept_stacks *stacks, uint64_t code, uint64_t stack,
                             struct memory *memory)
{
    const struct tv_kept_stack *kept = tv_kept_stacks_find(stacks, code, stack, read_word, memory);
    return kept ? kept->addresses[1] : 0;
}

static void a_stack_is_known_where_place_and_words_are_the_same(void **state)
{
    struct tv_kept_stacks stacks;
    struct memory memory = {{1, 2, 3, 4}};
    (void)state;
    tv_kept_stacks_init(&stacks, tv_alloc_libc());
    keep(&stacks, CODE, 77, STACK + 8, 2);
    assert_int_equal(caller_found(&stacks, CODE, STACK, &memory), 77);
    assert_int_equal(caller_found(&stacks, CODE + 1, STACK, &memory), 0);
    assert_int_equal(caller_found(&stacks, CODE, STACK + 16, &memory), 0);
    memory.words[1] = 5; /* another caller */
    assert_int_equal(caller_found(&stacks, CODE, STACK, &memory), 0);
    tv_kept_stacks_release(&stacks);
    memory.words[1] = 2;
    assert_int_equal(caller_found(&stacks, CODE, STACK, &memory), 0);
}

static void callers_of_one_place_are_told_apart(void **state)
{
    struct tv_kept_stacks stacks;
    struct memory memory = {{1, 2, 3, 4}};
    (void)state;
    tv_kept_stacks_init(&stacks, tv_alloc_libc());
    for (uint64_t i = 0; i < 10; i++)
        keep(&stacks, CODE, 100 + i, STACK + 8, i);
    keep(&stacks, CODE + 4, 200, STACK + 80, 0); /* of memory that is not there */
    for (uint64_t i = 0; i < 10; i++) {
        memory.words[1] = i;
        assert_int_equal(caller_found(&stacks, CODE, STACK, &memory), 100 + i);
    }
    assert_int_equal(caller_found(&stacks, CODE + 4, STACK, &memory), 0);
    tv_kept_stacks_release(&stacks);
}

static void memory_is_bounded(void **state)
{
    enum { STACKS = 40000 };
    struct tv_kept_stacks stacks;
    struct memory memory = {{1, 2, 3, 4}};
    (void)state;
    tv_kept_stacks_init(&stacks, tv_alloc_libc());
    for (uint64_t i = 0; i < STACKS; i++)
        keep(&stacks, CODE, i, STACK, i); /* of one place: few are kept */
    assert_in_range(stacks.count, 1, 100);
    for (uint64_t i = 0; i < 10 * STACKS; i++)
        keep(&stacks, CODE + 1 + i, i, STACK, 1);
    assert_in_range(stacks.bytes, 1, 17 << 20);
    assert_int_equal(caller_found(&stacks, CODE + 10 * STACKS, STACK, &memory), 10 * STACKS - 1);
    tv_kept_stacks_release(&stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_known_where_place_and_words_are_the_same),
        cmocka_unit_test(callers_of_one_place_are_told_apart),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
