/*
 * Which frames a picture shows; see export/flame/flame_boxes.h.
 *
 * Frames that are wide enough are gathered in the order of the tree. Where they are too many they
 * are sorted by width and cut off: a frame is never wider than the one below it, so what is left is
 * still a tree. Then each gets its level, and what is left out is added up for the line below the
 * picture.
 */
#include "export/flame/flame_boxes.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/memory/sort.h"

void tv_flame_boxes_init(struct tv_flame_boxes *boxes, const struct tv_alloc *alloc)
{
    *boxes = (struct tv_flame_boxes){.alloc = alloc};
}

void tv_flame_boxes_release(struct tv_flame_boxes *boxes)
{
    tv_alloc_release(boxes->alloc, &boxes->of, boxes->cap, sizeof(*boxes->of));
    tv_flame_boxes_init(boxes, boxes->alloc);
}

uint64_t tv_flame_least(uint64_t total, double pixels, double width)
{
    double exact = (double)total * pixels / width;
    if (exact >= (double)total)
        return total;
    uint64_t least = (uint64_t)exact;
    return (double)least < exact ? least + 1 : least;
}

/* The frames that are wide enough. */
struct chosen {
    uint8_t *is_above; /* by frame: it is the lowest one or stands on it; NULL: all are */
    uint32_t *frames;
    size_t count;
    size_t cap;
};

/* Marks what stands on `top`: a frame comes behind the one that it stands on. */
static enum tv_code find_above(struct chosen *chosen, const struct tv_stack_tree *tree,
                               uint32_t top, struct tv_error *err)
{
    if (top == TV_STACK_ROOT)
        return TV_OK;
    TV_TRY(tv_alloc_new(tree->alloc, &chosen->is_above, tree->count, 1, err));
    chosen->is_above[top] = true;
    for (size_t i = (size_t)top + 1; i < tree->count; i++)
        chosen->is_above[i] = chosen->is_above[tree->frames[i].parent];
    return TV_OK;
}

/* The lowest frame is always chosen. A frame that is too narrow has no wide descendants, so that no
 * gap can arise. */
static enum tv_code choose_wide(struct chosen *chosen, const struct tv_stack_tree *tree,
                                const struct tv_flame_boxes_opts *opts, struct tv_error *err)
{
    for (size_t i = opts->top; i < tree->count; i++) {
        uint64_t value = tree->frames[i].value;
        if (i != opts->top &&
            (!value || value < opts->least || (chosen->is_above && !chosen->is_above[i])))
            continue;
        TV_TRY(tv_alloc_grow(tree->alloc, &chosen->frames, &chosen->cap, chosen->count + 1,
                             sizeof(*chosen->frames), err));
        chosen->frames[chosen->count++] = (uint32_t)i;
    }
    return TV_OK;
}

/* The widest first. A frame is not wider than the one below it, which has a lower ordinal, so that
 * any beginning of the order has all frames below its frames. */
static int compare_widths(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_stack_frame *frames = ctx;
    if (frames[a].value != frames[b].value)
        return frames[a].value > frames[b].value ? -1 : 1;
    return (a > b) - (a < b);
}

static int compare_ordinals(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return (a > b) - (a < b);
}

/* Keeps the widest of them, in the order of their ordinals. */
static enum tv_code keep_widest(struct chosen *chosen, const struct tv_stack_tree *tree,
                                size_t limit, struct tv_error *err)
{
    TV_TRY(tv_sort(tree->alloc, chosen->frames, chosen->count, compare_widths, tree->frames, err));
    chosen->count = limit;
    return tv_sort(tree->alloc, chosen->frames, chosen->count, compare_ordinals, NULL, err);
}

/* Boxes from the left; one that begins where another does stands on top of it. */
struct box_order {
    const struct tv_flame_picture_box *boxes;
    const struct tv_stack_frame *frames;
};

/* From the left to the right, and callers before their callees: the order in which the script of
 * the picture looks for a box. */
static int compare_places(const void *ctx, uint32_t a, uint32_t b)
{
    const struct box_order *order = ctx;
    const struct tv_flame_picture_box *box_a = &order->boxes[a];
    const struct tv_flame_picture_box *box_b = &order->boxes[b];
    uint64_t start_a = order->frames[box_a->frame].start;
    uint64_t start_b = order->frames[box_b->frame].start;
    if (start_a != start_b)
        return start_a < start_b ? -1 : 1;
    return (box_a->level > box_b->level) - (box_a->level < box_b->level);
}

/* The box of a frame among boxes that are sorted by the ordinals of their frames. */
static size_t box_of(const struct tv_flame_boxes *boxes, uint32_t frame)
{
    size_t first = 0;
    size_t end = boxes->count;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (boxes->of[middle].frame <= frame)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* Parents come before their children in the tree, so the level of a parent is known when its child
 * is placed. What chosen frames have below them and is not chosen is summed up as left out. */
static enum tv_code make_boxes(struct tv_flame_boxes *boxes, const struct chosen *chosen,
                               const struct tv_stack_tree *tree, struct tv_error *err)
{
    uint64_t shown = 0;
    uint64_t own = 0;
    TV_TRY(tv_alloc_new(boxes->alloc, &boxes->of, chosen->count, sizeof(*boxes->of), err));
    boxes->cap = chosen->count;
    for (size_t i = 0; i < chosen->count; i++) {
        const struct tv_stack_frame *frame = &tree->frames[chosen->frames[i]];
        struct tv_flame_picture_box *box = &boxes->of[boxes->count++];
        box->frame = chosen->frames[i];
        box->level = i ? boxes->of[box_of(boxes, frame->parent)].level + 1 : 0;
        if (box->level >= boxes->level_count)
            boxes->level_count = box->level + 1;
        own += frame->value - frame->self;
        shown += i ? frame->value : 0;
    }
    boxes->left_out = own - shown;
    const struct box_order order = {boxes->of, tree->frames};
    return tv_sort_rows(boxes->alloc, boxes->of, boxes->count, sizeof(*boxes->of), compare_places,
                        &order, err);
}

/* Frames that stand on `top`: all of them on the root, those with a value on another one. */
static uint64_t frames_above(const struct chosen *chosen, const struct tv_stack_tree *tree,
                             uint32_t top)
{
    uint64_t count = 0;
    if (!chosen->is_above)
        return tree->count - 1;
    for (size_t i = (size_t)top + 1; i < tree->count; i++)
        count += tree->frames[i].value && chosen->is_above[i];
    return count;
}

/* First by width, then by number: both counts are told apart, since a user can change the first by
 * looking closer and the second by an option. */
enum tv_code tv_flame_boxes_choose(struct tv_flame_boxes *boxes, const struct tv_stack_tree *tree,
                                   const struct tv_flame_boxes_opts *opts, struct tv_error *err)
{
    struct chosen chosen = {.frames = NULL};
    tv_flame_boxes_release(boxes);
    enum tv_code code = find_above(&chosen, tree, opts->top, err);
    if (code == TV_OK)
        code = choose_wide(&chosen, tree, opts, err);
    if (code == TV_OK)
        boxes->too_narrow =
            tree->dropped + frames_above(&chosen, tree, opts->top) + 1 - chosen.count;
    if (code == TV_OK && opts->limit && chosen.count > opts->limit) {
        boxes->over_the_limit = chosen.count - opts->limit;
        code = keep_widest(&chosen, tree, opts->limit, err);
    }
    if (code == TV_OK)
        code = make_boxes(boxes, &chosen, tree, err);
    tv_alloc_release(tree->alloc, &chosen.is_above, tree->count, 1);
    tv_alloc_release(tree->alloc, &chosen.frames, chosen.cap, sizeof(*chosen.frames));
    if (code != TV_OK)
        tv_flame_boxes_release(boxes);
    return code;
}
