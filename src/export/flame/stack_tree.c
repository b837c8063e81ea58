/*
 * Stacks merged into a tree of frames; see export/flame/stack_tree.h.
 *
 * A frame has a higher ordinal than the one below it, so sums are made in one walk from the last
 * frame to the first. Children are found through a map by frame and name, but where the tree is
 * merged at once (stack_tree_merge.c). Names are kept once, and siblings are placed by the rank of
 * their names.
 */
#include "export/flame/stack_tree.h"

#include "base/error.h"
#include "base/memory/sort.h"

#define NO_FRAME UINT32_MAX

void tv_stack_tree_init(struct tv_stack_tree *tree, const struct tv_alloc *alloc)
{
    *tree = (struct tv_stack_tree){.alloc = alloc};
    tv_text_map_init(&tree->names, alloc);
    tv_map_init(&tree->child_of, alloc);
}

void tv_stack_tree_release(struct tv_stack_tree *tree)
{
    tv_alloc_release(tree->alloc, &tree->frames, tree->cap, sizeof(*tree->frames));
    tv_alloc_release(tree->alloc, &tree->levels, tree->level_cap, sizeof(*tree->levels));
    tv_text_map_release(&tree->names);
    tv_map_release(&tree->child_of);
    tv_alloc_release(tree->alloc, &tree->first_child, tree->first_child_cap,
                     sizeof(*tree->first_child));
    tv_stack_tree_init(tree, tree->alloc);
}

static uint64_t add_up_to_most(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* The place is the time at which the frame begins; in a merged tree it is computed at the end. */
enum tv_code tv_stack_tree_add_frame(struct tv_stack_tree *tree, uint32_t parent, uint32_t name,
                                     struct tv_error *err)
{
    if (tree->count >= NO_FRAME)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u frames", NO_FRAME);
    TV_TRY(tv_alloc_grow(tree->alloc, &tree->frames, &tree->cap, tree->count + 1,
                         sizeof(*tree->frames), err));
    tree->frames[tree->count++] =
        (struct tv_stack_frame){.start = tree->now, .name = name, .parent = parent};
    return TV_OK;
}

/* The frame on top of the stack is `frame`; nothing was closed on top of it yet. */
static enum tv_code add_level(struct tv_stack_tree *tree, size_t depth, uint32_t frame,
                              struct tv_error *err)
{
    TV_TRY(tv_alloc_grow(tree->alloc, &tree->levels, &tree->level_cap, depth + 1,
                         sizeof(*tree->levels), err));
    tree->levels[depth] = (struct tv_stack_level){frame, NO_FRAME};
    return TV_OK;
}

enum tv_code tv_stack_tree_begin(struct tv_stack_tree *tree, struct tv_error *err)
{
    uint32_t name;
    TV_TRY(tv_stack_tree_name(tree, TV_STR("all"), &name, err));
    TV_TRY(add_level(tree, 0, TV_STACK_ROOT, err));
    return tv_stack_tree_add_frame(tree, NO_FRAME, name, err);
}

enum tv_code tv_stack_tree_name(struct tv_stack_tree *tree, struct tv_str text, uint32_t *name,
                                struct tv_error *err)
{
    uint32_t *at;
    TV_TRY(tv_text_map_slot(&tree->names, text, (uint32_t)tree->names.count, &at, err));
    *name = *at;
    return TV_OK;
}

struct tv_str tv_stack_tree_name_of(const struct tv_stack_tree *tree, uint32_t frame)
{
    return tree->names.entries[tree->frames[frame].name].text;
}

enum tv_code tv_stack_tree_child(struct tv_stack_tree *tree, uint32_t parent, uint32_t name,
                                 uint32_t *child, struct tv_error *err)
{
    uint32_t *at;
    uint32_t added = (uint32_t)tree->count;
    TV_TRY(tv_map_slot(&tree->child_of, (uint64_t)parent << 32 | name, added, &at, err));
    *child = *at;
    return *child == added ? tv_stack_tree_add_frame(tree, parent, name, err) : TV_OK;
}

void tv_stack_tree_add(struct tv_stack_tree *tree, uint32_t frame, uint64_t self, uint64_t calls)
{
    struct tv_stack_frame *of = &tree->frames[frame];
    of->self = add_up_to_most(of->self, self);
    of->calls = add_up_to_most(of->calls, calls);
}

/*
 * The last frame that was closed on top of level `depth` is never opened again: it is dropped if it
 * is too short, together with all that stands on it. Frames are added in the order in which they
 * are opened, so all of these are the end of the list. The last frame that was closed on top of
 * that one is settled first, since it may be dropped alone.
 */
static void settle(struct tv_stack_tree *tree, size_t depth)
{
    size_t end = depth;
    while (tree->levels[end].last_closed != NO_FRAME)
        end++;
    while (end-- > depth) {
        uint32_t closed = tree->levels[end].last_closed;
        if (tree->frames[closed].value < tree->least) {
            tree->dropped += tree->count - closed;
            tree->count = closed;
        }
        tree->levels[end].last_closed = NO_FRAME;
    }
}

/* In the order of time, a frame that begins where the same name has just ended goes on with that
 * frame: two calls one behind the other are one box. */
enum tv_code tv_stack_tree_open(struct tv_stack_tree *tree, uint32_t name, uint64_t calls,
                                struct tv_error *err)
{
    struct tv_stack_level *below = &tree->levels[tree->depth];
    uint32_t again = below->last_closed;
    bool is_again = again != NO_FRAME && tree->frames[again].name == name &&
                    tree->frames[again].start + tree->frames[again].value == tree->now;
    if (is_again) {
        below->last_closed = NO_FRAME;
    } else {
        settle(tree, tree->depth);
        again = (uint32_t)tree->count;
        TV_TRY(tv_stack_tree_add_frame(tree, tree->levels[tree->depth].frame, name, err));
        TV_TRY(add_level(tree, tree->depth + 1, again, err));
    }
    tree->frames[again].calls = add_up_to_most(tree->frames[again].calls, calls);
    tree->depth++;
    return TV_OK;
}

void tv_stack_tree_spend(struct tv_stack_tree *tree, uint64_t amount)
{
    struct tv_stack_frame *top = &tree->frames[tree->levels[tree->depth].frame];
    uint64_t now = add_up_to_most(tree->now, amount);
    top->self += now - tree->now;
    tree->now = now;
}

void tv_stack_tree_close(struct tv_stack_tree *tree, size_t depth)
{
    for (; tree->depth > depth; tree->depth--) {
        uint32_t closed = tree->levels[tree->depth].frame;
        tree->frames[closed].value = tree->now - tree->frames[closed].start;
        tree->levels[tree->depth - 1].last_closed = closed;
    }
}

void tv_stack_tree_end_in_order(struct tv_stack_tree *tree)
{
    tv_stack_tree_close(tree, 0);
    settle(tree, 0);
    tree->frames[TV_STACK_ROOT].value = tree->now;
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_text_map_entry *entries = ctx;
    return tv_str_compare(entries[a].text, entries[b].text);
}

/* Gives each name its place among all names in the order of their bytes. */
static enum tv_code rank_names(const struct tv_stack_tree *tree, uint32_t *rank,
                               struct tv_error *err)
{
    size_t count = tree->names.count;
    uint32_t *by_name;
    TV_TRY(tv_alloc_new(tree->alloc, &by_name, count, sizeof(*by_name), err));
    for (size_t i = 0; i < count; i++)
        by_name[i] = (uint32_t)i;
    enum tv_code code =
        tv_sort(tree->alloc, by_name, count, compare_names, tree->names.entries, err);
    for (size_t i = 0; i < count; i++)
        rank[by_name[i]] = (uint32_t)i;
    tv_alloc_release(tree->alloc, &by_name, count, sizeof(*by_name));
    return code;
}

/* Lists all frames but the root by name: a counting sort by the ranks of names. `ends` has room for
 * a number per name, and one more. */
static void sort_frames(const struct tv_stack_tree *tree, const uint32_t *rank, uint32_t *ends,
                        uint32_t *by_name)
{
    for (size_t i = 1; i < tree->count; i++)
        ends[rank[tree->frames[i].name] + 1]++;
    for (size_t i = 0; i < tree->names.count; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 1; i < tree->count; i++)
        by_name[ends[rank[tree->frames[i].name]]++] = (uint32_t)i;
}

/* Places siblings one behind the other in the order of `by_name`: first from the left edge of their
 * parent, then, parents first, from that of the graph. */
static void place_frames(struct tv_stack_tree *tree, const uint32_t *by_name, uint64_t *filled)
{
    struct tv_stack_frame *frames = tree->frames;
    for (size_t i = 0; i < tree->count; i++)
        filled[i] = frames[i].self;
    for (size_t i = 0; i + 1 < tree->count; i++) {
        struct tv_stack_frame *frame = &frames[by_name[i]];
        frame->start = filled[frame->parent];
        filled[frame->parent] = add_up_to_most(filled[frame->parent], frame->value);
    }
    for (size_t i = 1; i < tree->count; i++)
        frames[i].start = add_up_to_most(frames[i].start, frames[frames[i].parent].start);
}

/* What a tree that was not merged at once needs to place its frames: all frames are sorted by name,
 * and handed to their parents in that order, which takes no sorting of children. */
static enum tv_code place_sorted(struct tv_stack_tree *tree, const uint32_t *rank,
                                 uint32_t *by_name, struct tv_error *err)
{
    const struct tv_alloc *alloc = tree->alloc;
    const size_t name_count = tree->names.count;
    uint32_t *ends = NULL;
    uint64_t *filled = NULL;
    enum tv_code code = tv_alloc_new(alloc, &ends, name_count + 1, sizeof(*ends), err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &filled, tree->count, sizeof(*filled), err);
    if (code == TV_OK) {
        sort_frames(tree, rank, ends, by_name);
        place_frames(tree, by_name, filled);
    }
    tv_alloc_release(alloc, &filled, tree->count, sizeof(*filled));
    tv_alloc_release(alloc, &ends, name_count + 1, sizeof(*ends));
    return code;
}

struct name_order {
    const struct tv_stack_frame *frames;
    const uint32_t *rank;
};

static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
    const struct name_order *order = ctx;
    const uint32_t rank_a = order->rank[order->frames[a].name];
    const uint32_t rank_b = order->rank[order->frames[b].name];
    return (rank_a > rank_b) - (rank_a < rank_b);
}

/* Insertion sort is faster for up to this many siblings. */
#define FEW 16u

static enum tv_code sort_siblings(const struct tv_alloc *alloc, const struct name_order *order,
                                  uint32_t *siblings, size_t count, struct tv_error *err)
{
    if (count > FEW)
        return tv_sort(alloc, siblings, count, compare_ranks, order, err);
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = siblings[i];
        size_t at = i;
        for (; at > 0 && compare_ranks(order, siblings[at - 1], moved) > 0; at--)
            siblings[at] = siblings[at - 1];
        siblings[at] = moved;
    }
    return TV_OK;
}

/* Children that stand one behind the other are sorted and placed when their parent has its place.
 */
static enum tv_code place_children(struct tv_stack_tree *tree, const uint32_t *rank, uint64_t least,
                                   uint32_t *siblings, struct tv_error *err)
{
    const struct name_order order = {tree->frames, rank};
    for (uint32_t parent = 0; parent < tree->count; parent++) {
        if (tree->frames[parent].value < least)
            continue;
        const uint32_t end = tv_stack_tree_children_end(tree, parent);
        uint64_t start = add_up_to_most(tree->frames[parent].start, tree->frames[parent].self);
        size_t count = 0;
        for (uint32_t i = tree->first_child[parent]; i < end; i++)
            siblings[count++] = i;
        TV_TRY(sort_siblings(tree->alloc, &order, siblings, count, err));
        for (size_t i = 0; i < count; i++) {
            struct tv_stack_frame *frame = &tree->frames[siblings[i]];
            frame->start = start;
            start = add_up_to_most(start, frame->value);
        }
    }
    return TV_OK;
}

/* Frames with the same parent stand side by side in the order of their names. */
static enum tv_code place(struct tv_stack_tree *tree, uint64_t least, struct tv_error *err)
{
    const struct tv_alloc *alloc = tree->alloc;
    uint32_t *rank = NULL;
    uint32_t *room = NULL;
    size_t room_cap = 0;
    enum tv_code code = tv_alloc_new(alloc, &rank, tree->names.count, sizeof(*rank), err);
    if (code == TV_OK)
        code = tv_alloc_grow(alloc, &room, &room_cap, tree->count, sizeof(*room), err);
    if (code == TV_OK)
        code = rank_names(tree, rank, err);
    if (code == TV_OK)
        code = tree->first_child ? place_children(tree, rank, least, room, err)
                                 : place_sorted(tree, rank, room, err);
    tv_alloc_release(alloc, &room, room_cap, sizeof(*room));
    tv_alloc_release(alloc, &rank, tree->names.count, sizeof(*rank));
    return code;
}

/* Children come behind their parents, so one pass from the end adds every frame's time to all above
 * it. */
void tv_stack_tree_sum_up(struct tv_stack_tree *tree)
{
    struct tv_stack_frame *frames = tree->frames;
    for (size_t i = 0; i < tree->count; i++)
        frames[i].value = frames[i].self;
    for (size_t i = tree->count; i-- > 1;) {
        uint64_t *below = &frames[frames[i].parent].value;
        *below = add_up_to_most(*below, frames[i].value);
    }
}

enum tv_code tv_stack_tree_end(struct tv_stack_tree *tree, struct tv_error *err)
{
    tv_stack_tree_sum_up(tree);
    return place(tree, 0, err);
}

enum tv_code tv_stack_tree_place(struct tv_stack_tree *tree, uint64_t least, struct tv_error *err)
{
    return tree->first_child ? place(tree, least, err) : TV_OK;
}
