/*
 * A flame graph as one picture in SVG that needs nothing else: boxes with names and tooltips, and
 * where the program has it the script that zooms and searches (export/flame/flame_script.h).
 *
 * Sizes and texts are those of flamegraph.pl's pictures, so that whoever knows these knows ours:
 * rows of 16 pixels, `name (12.3 ms, 4.56%)`. Colours of the background and of texts follow the
 * reader's choice of light or dark. What the picture leaves out stands in a line below the boxes.
 */
#ifndef TV_EXPORT_FLAME_FLAME_SVG_H
#define TV_EXPORT_FLAME_FLAME_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"
#include "base/text/out.h"
#include "export/flame/flame_boxes.h"
#include "export/flame/flame_diff.h"
#include "export/flame/palette.h"
#include "export/flame/stack_tree.h"

/* The narrowest picture, and the widest. */
#define TV_FLAME_LEAST_WIDTH 200u
#define TV_FLAME_MOST_WIDTH 100000u
/* The width of the boxes together in a picture of that width. */
TV_INLINE double tv_flame_box_width(uint32_t width)
{
    return (double)width - 20;
}

enum tv_flame_roots { TV_FLAME_ROOTS_BELOW, TV_FLAME_ROOTS_ABOVE };
/* Whether the script may fit the picture to the width of the window. */
enum tv_flame_fit { TV_FLAME_FIT_WINDOW, TV_FLAME_FIXED_WIDTH };

struct tv_flame_svg {
    const struct tv_stack_tree *tree;
    const struct tv_flame_boxes *boxes;
    struct tv_str title;
    struct tv_str subtitle;  /* empty: none */
    struct tv_str unit;      /* what a number counts: "ms", "samples" */
    uint64_t unit_of;        /* how much of the tree's value one of the unit is; a power of ten */
    struct tv_str min_width; /* for the line of what is left out: "0.1 px" */
    const struct tv_str *notes; /* more lines */
    size_t note_count;
    bool is_sampled; /* the calls of its frames are runs of samples */
    enum tv_palette palette;
    const struct tv_flame_diff
        *diff; /* colours and tooltips are of the change; NULL: they are not */
    enum tv_flame_roots roots;
    enum tv_flame_fit fit;
    uint32_t width;
    struct tv_str script; /* empty: none */
    /* It stands in a page of HTML whose policy allows no style: what matters of it is said by
     * attributes, for light pages alone. */
    bool is_part_of_page;
};

void tv_flame_svg_write(const struct tv_flame_svg *svg, struct tv_out *out);

#endif
