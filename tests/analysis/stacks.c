/* See analysis/stacks.h. */
#include "analysis/stacks.h"

#include <string.h>

struct stack stack_of(const struct world *w, int call, enum tv_call_tree_direction direction,
                      unsigned hidden)
{
    struct stack up = {.len = 0};
    struct stack down = {.len = 0};
    for (int at = call; at != WORLD_NONE; at = w->calls[at].parent) {
        if (w->calls[at].method != hidden)
            up.methods[up.len++] = w->calls[at].method;
    }
    if (direction == TV_INVERTED)
        return up;
    for (size_t i = up.len; i-- > 0;)
        down.methods[down.len++] = up.methods[i];
    return down;
}

static bool begins_with(const struct stack *stack, const struct stack *path)
{
    return stack->len >= path->len &&
           memcmp(stack->methods, path->methods, path->len * sizeof(path->methods[0])) == 0;
}

struct tv_numbers stack_numbers(const struct world *w, const struct stack *path,
                                enum tv_call_tree_direction direction, unsigned hidden)
{
    struct tv_numbers sum = {.calls = 0};
    for (int i = 0; i < w->call_count; i++) {
        struct stack stack = stack_of(w, i, direction, hidden);
        if (!begins_with(&stack, path))
            continue;
        bool ends_here = stack.len == path->len;
        bool is_visible = w->calls[i].method != hidden;
        sum.calls += is_visible && (direction == TV_INVERTED || ends_here);
        for (int clock = 0; clock < 2; clock++) {
            uint64_t exclusive = world_exclusive(w, i, clock, 0, UINT64_MAX);
            sum.inclusive_ns[clock] += exclusive;
            sum.exclusive_ns[clock] += ends_here ? exclusive : 0;
        }
    }
    return sum;
}

unsigned method_number(const struct world *w, uint32_t method_ix)
{
    return (unsigned)(w->index.methods[method_ix].id / 4 - 1);
}
