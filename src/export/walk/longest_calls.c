/*
 * The longest calls of a thread; see export/walk/longest_calls.h.
 *
 * The heap has the shortest of the kept calls on top, so most calls are turned away after one
 * comparison. A call that is as long as the shortest one does not replace it: calls come in the
 * order of their ends, and of equal ones those that end first are wanted.
 */
#include "export/walk/longest_calls.h"

static uint64_t length_of(const struct tv_longest_calls *longest, size_t i)
{
    const struct tv_call_event *call = &longest->calls[i];
    return call->end_ns[longest->axis] - call->start_ns[longest->axis];
}

static void swap(struct tv_longest_calls *longest, size_t a, size_t b)
{
    struct tv_call_event kept = longest->calls[a];
    longest->calls[a] = longest->calls[b];
    longest->calls[b] = kept;
}

/* Moves the last call up to its place in the heap. */
static void move_up(struct tv_longest_calls *longest)
{
    for (size_t i = longest->count - 1; i; i = (i - 1) / 2) {
        if (length_of(longest, (i - 1) / 2) <= length_of(longest, i))
            return;
        swap(longest, i, (i - 1) / 2);
    }
}

/* Moves the top call down to its place in the heap. */
static void move_down(struct tv_longest_calls *longest)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t below = 2 * i + 1; below <= 2 * i + 2 && below < longest->count; below++) {
            if (length_of(longest, below) < length_of(longest, least))
                least = below;
        }
        if (least == i)
            return;
        swap(longest, i, least);
        i = least;
    }
}

/* A heap with the shortest of the longest on top: most calls cost one comparison. */
void tv_longest_calls_take(struct tv_longest_calls *longest, const struct tv_call_event *call)
{
    uint64_t len_ns = call->end_ns[longest->axis] - call->start_ns[longest->axis];
    if (longest->count < TV_LONGEST_CALLS) {
        longest->calls[longest->count++] = *call;
        move_up(longest);
    } else if (len_ns > length_of(longest, 0)) {
        longest->calls[0] = *call;
        move_down(longest);
    }
}

/* Calls of one start and level follow each other in their row. */
static bool is_before(const struct tv_longest_calls *longest, size_t a, size_t b)
{
    const struct tv_call_event *left = &longest->calls[a];
    const struct tv_call_event *right = &longest->calls[b];
    if (left->start_ns[longest->axis] != right->start_ns[longest->axis])
        return left->start_ns[longest->axis] < right->start_ns[longest->axis];
    return left->level != right->level ? left->level < right->level : left->call < right->call;
}

void tv_longest_calls_sort(struct tv_longest_calls *longest)
{
    for (size_t i = 1; i < longest->count; i++) {
        for (size_t k = i; k && is_before(longest, k, k - 1); k--)
            swap(longest, k, k - 1);
    }
}
