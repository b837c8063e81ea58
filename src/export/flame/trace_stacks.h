/*
 * The stacks of a trace as a tree of frames: what is shown of it (export/export_context.h), with
 * frames named "class.method" as in folded stacks.
 *
 * Values are nanoseconds on the measure of the scope: exclusive time; a wait below zero counts as
 * nothing. A frame that stands for a thread has the thread's name, or "thread N" with its id.
 */
#ifndef TV_EXPORT_FLAME_TRACE_STACKS_H
#define TV_EXPORT_FLAME_TRACE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "export/export_context.h"
#include "export/flame/stack_tree.h"

struct tv_trace_stacks_opts {
    bool is_in_order;  /* in the order of time, a frame for each thread; else merged */
    bool is_by_thread; /* merged: a frame for each thread, too */
    bool is_stable;    /* names without what differs from run to run (base/names/stable_name.h) */
    /* In order of time: the width that is drawn, pixels, and what is too narrow to be drawn. */
    double width;
    double least_width;
    /* Stacks begin with the outermost call of this method; others are left out. NULL: whole stacks.
     * Borrowed. */
    const uint32_t *root;
};

/* The names of the frames, which must live as long as the tree. */
struct tv_trace_stacks {
    struct tv_export_context *context;
    const struct tv_trace_stacks_opts *opts;
    struct tv_arena texts;
    struct tv_buffer name;  /* scratch */
    uint32_t *method_names; /* one per method: its name in the tree, or UINT32_MAX */
};

void tv_trace_stacks_init(struct tv_trace_stacks *stacks, struct tv_export_context *context,
                          const struct tv_trace_stacks_opts *opts);
void tv_trace_stacks_release(struct tv_trace_stacks *stacks);
/* Fills an initialised tree and ends it. TV_ERR_ARGUMENT: no time was spent in what is shown, or
 * the measure is no clock and the order of time was asked for. */
enum tv_code tv_trace_stacks_make(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                                  struct tv_error *err) TV_MUST_CHECK;

#endif
