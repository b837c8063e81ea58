/*
 * Stacks that are known again; see os/symbols/kept_stacks.h.
 *
 * All of a place hang in a list, the newest first: a function that waits for several callers has
 * one for each. Lists are short, so that a look costs little where a program has thousands; what is
 * behind their ends is followed anew each time.
 */
#include "os/symbols/kept_stacks.h"

#include <string.h>

#define BYTES_MOST ((size_t)16 << 20)
#define WORDS_MOST 4096u /* of one stack: those of some 500 calls */
#define SAME_PLACE_MOST 16u
#define SPREAD UINT64_C(0x9e3779b97f4a7c15) /* 2^64 by the golden ratio */

static uint64_t key_of(uint64_t code, uint64_t stack)
{
    return code * SPREAD ^ stack;
}

void tv_kept_stacks_init(struct tv_kept_stacks *stacks, const struct tv_alloc *alloc)
{
    *stacks = (struct tv_kept_stacks){.count = 0};
    tv_arena_init(&stacks->arena, alloc);
    tv_map_init(&stacks->last, alloc);
}

void tv_kept_stacks_release(struct tv_kept_stacks *stacks)
{
    const struct tv_alloc *alloc = stacks->arena.alloc;
    tv_alloc_release(alloc, &stacks->all, stacks->cap, sizeof(*stacks->all));
    tv_map_release(&stacks->last);
    tv_arena_release(&stacks->arena);
    tv_kept_stacks_init(stacks, alloc);
}

static const struct tv_kept_stack *newest(const struct tv_kept_stacks *stacks, uint64_t key)
{
    const uint32_t ix = tv_map_get(&stacks->last, key);
    return ix == TV_MAP_NONE ? NULL : stacks->all[ix];
}

/* A copy in the arena, whose arrays stand behind it. */
static enum tv_code copy(struct tv_kept_stacks *stacks, const struct tv_kept_stack *stack,
                         struct tv_kept_stack **made, struct tv_error *err)
{
    const size_t address_len = stack->count * sizeof(*stack->addresses);
    const size_t words_len = stack->word_count * sizeof(*stack->words);
    uint64_t *addresses;
    struct tv_stack_word *words;
    TV_TRY(tv_arena_take(&stacks->arena, sizeof(**made), made, err));
    TV_TRY(tv_arena_take(&stacks->arena, address_len + 1, &addresses, err));
    TV_TRY(tv_arena_take(&stacks->arena, words_len + 1, &words, err));
    if (address_len)
        memcpy(addresses, stack->addresses, address_len);
    if (words_len)
        memcpy(words, stack->words, words_len);
    **made = *stack;
    (*made)->addresses = addresses;
    (*made)->words = words;
    stacks->bytes += sizeof(**made) + address_len + words_len;
    return TV_OK;
}

static enum tv_code add(struct tv_kept_stacks *stacks, const struct tv_kept_stack *stack,
                        struct tv_error *err)
{
    const uint64_t key = key_of(stack->code, stack->stack);
    struct tv_kept_stack *made;
    TV_TRY(copy(stacks, stack, &made, err));
    made->next = newest(stacks, key);
    TV_TRY(tv_alloc_grow(stacks->arena.alloc, &stacks->all, &stacks->cap, stacks->count + 1,
                         sizeof(*stacks->all), err));
    TV_TRY(tv_map_put(&stacks->last, key, (uint32_t)stacks->count, err));
    stacks->all[stacks->count++] = made;
    return TV_OK;
}

void tv_kept_stacks_keep(struct tv_kept_stacks *stacks, const struct tv_kept_stack *stack)
{
    struct tv_error err;
    unsigned same = 0;
    for (const struct tv_kept_stack *at = newest(stacks, key_of(stack->code, stack->stack)); at;
         at = at->next)
        same++;
    if (same >= SAME_PLACE_MOST || stack->word_count > WORDS_MOST)
        return;
    if (stacks->bytes > BYTES_MOST)
        tv_kept_stacks_release(stacks);
    if (add(stacks, stack, &err) != TV_OK)
        tv_kept_stacks_release(stacks);
}

static bool has_same_words(const struct tv_kept_stack *kept,
                           bool (*read)(void *ctx, uint64_t at, uint64_t *value), void *ctx)
{
    uint64_t value;
    for (size_t i = 0; i < kept->word_count; i++) {
        if (!read(ctx, kept->words[i].at, &value) || value != kept->words[i].value)
            return false;
    }
    return true;
}

const struct tv_kept_stack *
tv_kept_stacks_find(const struct tv_kept_stacks *stacks, uint64_t code, uint64_t stack,
                    bool (*read)(void *ctx, uint64_t at, uint64_t *value), void *ctx)
{
    const struct tv_kept_stack *kept = newest(stacks, key_of(code, stack));
    while (kept && (kept->code != code || kept->stack != stack || !has_same_words(kept, read, ctx)))
        kept = kept->next;
    return kept;
}
