/*
 * Folded stacks of any bytes, and what is drawn of them. Merged and in order of time they have the
 * same lines and the same sum; a frame lies within the one below it; and the picture of each order
 * is XML whose boxes keep to their limit, whatever the title, the unit and the root are.
 *
 * How it is drawn is chosen by the input's last bytes. The second frame of the input is what else a
 * user would name.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/memory/buffer.h"
#include "check.h"
#include "export/flame/flame.h"
#include "plain_xml.h"

/* Upside down, each line can climb 64 steps, which are frames. */
#define FLAME_MEMORY ((size_t)1 << 24)
#define FLAME_MEMORY_PER_BYTE 512u

/* The second frame of the first line. */
static struct tv_str second_frame(struct tv_str text)
{
    struct tv_str line;
    struct tv_str frame = {NULL, 0};
    if (!text.len || !tv_str_split(&text, '\n', &line) || !tv_str_split(&line, ';', &frame) ||
        !tv_str_split(&line, ';', &frame))
        return TV_STR("");
    return frame;
}

static void take_look(struct tv_str text, struct tv_folded_flame *flame)
{
    static const double pixels[] = {0, 0.1, 3, 100};
    const struct tv_str frame = second_frame(text);
    const uint8_t last = text.len > 0 ? (uint8_t)text.at[text.len - 1] : 0;
    const uint8_t before = text.len > 1 ? (uint8_t)text.at[text.len - 2] : 0;
    *flame = (struct tv_folded_flame){
        .text = text,
        .file = last & 1 ? frame : TV_STR("fuzz.folded"),
        .root = last & 2 ? frame : TV_STR(""),
        .look = {.roots = last & 4 ? TV_FLAME_ROOTS_ABOVE : TV_FLAME_ROOTS_BELOW,
                 .fit = last & 8 ? TV_FLAME_FIXED_WIDTH : TV_FLAME_FIT_WINDOW,
                 .palette = (enum tv_palette)(before % (TV_PALETTE_PACKAGE + 1)),
                 .width = last & 16 ? TV_FLAME_LEAST_WIDTH : TV_FLAME_WIDTH,
                 .least_pixels = pixels[last >> 5 & 3],
                 .min_width = TV_STR("3 px"),
                 .box_limit = last & 128 ? 1u + before / 16u : 0,
                 .title = before & 32 ? frame : TV_STR(""),
                 .unit = before & 64 ? frame : TV_STR("samples")}};
}

static void check_frames(const struct tv_stack_tree *tree)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const struct tv_stack_frame *frame = &tree->frames[i];
        sum += frame->self;
        FUZZ_CHECK(frame->self <= frame->value && frame->name < tree->names.count);
        FUZZ_CHECK((i == TV_STACK_ROOT) == (frame->parent == UINT32_MAX));
        if (i == TV_STACK_ROOT)
            continue;
        FUZZ_CHECK(frame->parent < i);
        const struct tv_stack_frame *below = &tree->frames[frame->parent];
        FUZZ_CHECK(frame->start >= below->start &&
                   frame->start + frame->value <= below->start + below->value);
    }
    FUZZ_CHECK(sum == tree->frames[TV_STACK_ROOT].value);
}

/* Reads in one order; returns what all stacks add up to. */
static uint64_t read_in(bool is_in_order, const struct tv_folded_flame *flame,
                        const struct tv_alloc *alloc, struct tv_folded *found, enum tv_code *code)
{
    const struct tv_folded_opts opts = {.is_in_order = is_in_order, .root = flame->root};
    struct tv_stack_tree tree;
    struct tv_error err = {.code = TV_OK};
    uint64_t total = 0;
    tv_stack_tree_init(&tree, alloc);
    *code = tv_folded_read(flame->text, &opts, &tree, found, &err);
    FUZZ_CHECK(*code == err.code);
    FUZZ_CHECK(*code == TV_OK || *code == TV_ERR_FORMAT || *code == TV_ERR_NOT_FOUND);
    if (*code == TV_OK) {
        check_frames(&tree);
        total = tree.frames[TV_STACK_ROOT].value;
    }
    tv_stack_tree_release(&tree);
    return total;
}

/* Reads in both orders, and compares. */
static enum tv_code read_twice(const struct tv_folded_flame *flame, const struct tv_alloc *alloc)
{
    struct tv_folded merged;
    struct tv_folded in_order;
    enum tv_code code;
    enum tv_code other_code;
    const uint64_t total = read_in(false, flame, alloc, &merged, &code);
    FUZZ_CHECK(read_in(true, flame, alloc, &in_order, &other_code) == total && other_code == code);
    FUZZ_CHECK(merged.lines == in_order.lines && merged.bad_lines == in_order.bad_lines);
    FUZZ_CHECK(merged.first_bad_line == in_order.first_bad_line);
    FUZZ_CHECK(merged.has_decimals == in_order.has_decimals);
    FUZZ_CHECK(merged.is_comparison == in_order.is_comparison);
    FUZZ_CHECK(!merged.bad_lines == !merged.first_bad_line);
    FUZZ_CHECK(merged.lines + merged.bad_lines <= flame->text.len + 1);
    FUZZ_CHECK(code != TV_OK || (total && merged.lines));
    return code;
}

static size_t count_boxes(struct tv_str picture)
{
    static const char box[] = "\n<g data-at=";
    size_t count = 0;
    for (size_t i = 0; i + sizeof(box) <= picture.len; i++)
        count += memcmp(picture.at + i, box, sizeof(box) - 1) == 0;
    return count;
}

static void draw(const struct tv_folded_flame *flame, const struct tv_alloc *alloc,
                 enum tv_code read_code)
{
    struct tv_buffer picture;
    struct tv_folded found;
    struct tv_error err = {.code = TV_OK};
    tv_buffer_init(&picture, tv_alloc_libc());
    enum tv_code code = tv_flame_of_folded(flame, alloc, tv_buffer_sink(&picture), &found, &err);
    FUZZ_CHECK(code == err.code && code == read_code);
    if (code == TV_OK) {
        const struct tv_str text = tv_buffer_view(&picture);
        const size_t count = count_boxes(text);
        FUZZ_CHECK(fuzz_is_xml(text));
        FUZZ_CHECK(count && (!flame->look.box_limit || count <= flame->look.box_limit));
    } else {
        FUZZ_CHECK(err.text[0]);
    }
    tv_buffer_release(&picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const enum tv_flame_order orders[] = {TV_FLAME_MERGED, TV_FLAME_INVERTED,
                                                 TV_FLAME_IN_ORDER};
    struct fuzz_memory memory;
    struct tv_folded_flame flame;
    fuzz_memory_init(&memory, len);
    memory.most += FLAME_MEMORY + len * FLAME_MEMORY_PER_BYTE;
    take_look((struct tv_str){(const char *)bytes, len}, &flame);
    enum tv_code code = read_twice(&flame, &memory.alloc);
    (void)tv_folded_begins(flame.text);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        flame.look.order = orders[i];
        draw(&flame, &memory.alloc, code);
    }
    fuzz_memory_check_released(&memory);
    return 0;
}
