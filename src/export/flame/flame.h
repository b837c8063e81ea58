/*
 * Flame graphs: from stacks to a picture. Stacks are those of a trace, as all exports get them
 * (export/export.h), or folded stacks of another tool.
 *
 * A graph is merged; or upside down, with the frames that have a part of their own at the bottom
 * and their callers on top; or in the order of time, a chart.
 */
#ifndef TV_EXPORT_FLAME_FLAME_H
#define TV_EXPORT_FLAME_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/sink.h"
#include "base/str.h"
#include "export/export.h"
#include "export/flame/flame_diff.h"
#include "export/flame/flame_svg.h"
#include "export/flame/folded_stacks.h"
#include "export/flame/stack_tree.h"

enum tv_flame_order { TV_FLAME_MERGED, TV_FLAME_INVERTED, TV_FLAME_IN_ORDER };

#define TV_FLAME_WIDTH 1200u
#define TV_FLAME_BOXES 20000u

/* How a graph is drawn. */
struct tv_flame_look {
    enum tv_flame_order order;
    enum tv_flame_roots roots;
    enum tv_flame_fit fit;
    enum tv_palette palette;
    uint32_t width;          /* pixels: TV_FLAME_LEAST_WIDTH to TV_FLAME_MOST_WIDTH */
    double least_pixels;     /* narrower boxes are left out */
    struct tv_str min_width; /* the same in words: "0.1 px" */
    size_t box_limit;        /* 0: no limit */
    struct tv_str title;     /* empty: the title that flamegraph.pl gives this kind of graph */
    struct tv_str unit;      /* the unit of the numbers */
    uint64_t unit_of;        /* how many of the stacks' own units one `unit` has: a power of ten */
    bool is_part_of_page;    /* for a page of markup: without style and script */
};

/* The default look: merged, in milliseconds, as wide as the window. */
struct tv_flame_look tv_flame_look_usual(void);

/* The stacks of an old trace, which a graph of a new one is compared with. */
struct tv_flame_base {
    const struct tv_alloc *alloc;
    struct tv_arena names; /* of the frames */
    struct tv_stack_tree tree;
    uint32_t *methods; /* by name of the tree: the method of that name; UINT32_MAX: none has it */
    size_t method_count;
    struct tv_buffer file;
    struct tv_flame_diff_opts diff;
};

void tv_flame_base_init(struct tv_flame_base *base, const struct tv_alloc *alloc);
void tv_flame_base_release(struct tv_flame_base *base);

/* The flame graph of a trace: options of an export, then its own. */
struct tv_trace_flame {
    struct tv_export_opts shared; /* first, so that the format finds the others behind it */
    struct tv_flame_look look;
    bool is_by_thread; /* a frame for each thread below its stacks; a graph in order of time always
                          has one */
    const uint32_t
        *root; /* the method that stacks begin with, as in tv_trace_stacks_opts; NULL: none */
    /* Of merged graphs: tv_export_flame_base fills it, and tv_export_flame compares with it. NULL:
     * nothing is compared. */
    struct tv_flame_base *base;
};

/* Formats for tv_export_run that take `shared` of a struct tv_trace_flame. */
extern const struct tv_export tv_export_flame;
/* Fills `base` and writes nothing. */
extern const struct tv_export tv_export_flame_base;
/* Folded stacks as AFlame made them: only calls that ended, wall time in whole microseconds, frames
 * "class#method", "?Class#?Method<id>" where the trace does not describe the method. They take any
 * options of exports, and need the wall clock. */
extern const struct tv_export tv_export_aflame;

/* Draws folded stacks. `file` is what they come from; `root` as in tv_folded_opts; `unit_of` of the
 * look is not looked at. */
struct tv_folded_flame {
    struct tv_str text;
    struct tv_str file;
    struct tv_str root;
    struct tv_flame_look look;
};

enum tv_code tv_flame_of_folded(const struct tv_folded_flame *flame, const struct tv_alloc *alloc,
                                struct tv_sink sink, struct tv_folded *found,
                                struct tv_error *err) TV_MUST_CHECK;

#endif
