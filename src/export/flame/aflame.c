/*
 * Folded stacks with the numbers of AFlame, so that graphs made by it can be compared with ours.
 *
 * AFlame forgets calls that have no exit: they stand in the stacks of the calls that they made, and
 * have no time. Of exits without an enter it knows nothing, so no stack has their calls.
 *
 * Each thread has a tree of its own, which is written and emptied before the next thread begins, so
 * memory follows the largest thread and not the trace.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/memory/arena.h"
#include "base/units.h"
#include "export/export_context.h"
#include "export/flame/flame.h"
#include "export/flame/stack_tree.h"
#include "export/folded_frame.h"
#include "export/walk/call_walk.h"

#define NONE UINT32_MAX

struct aflame {
    struct tv_export_context *context;
    struct tv_arena texts;
    struct tv_buffer name;
    struct tv_stack_tree tree; /* of one thread */
    uint32_t *method_names;    /* one per method: its name in the tree; NONE: not named yet */
    uint32_t *stack;           /* frames of the open calls, one per level */
    size_t stack_cap;
};

/* A method is spelled once per thread and then known by the number of its name in the tree. One
 * that the file does not describe is called as AFlame calls it. */
static enum tv_code name_of_method(struct aflame *aflame, uint32_t method_ix, uint32_t *name,
                                   struct tv_error *err)
{
    const struct tv_export_method *method = &aflame->context->names.methods[method_ix];
    const struct tv_index_method *of_index = &aflame->context->index->methods[method_ix];
    char text[48];
    struct tv_str frame;
    bool is_changed;
    *name = aflame->method_names[method_ix];
    if (*name != NONE)
        return TV_OK;
    aflame->name.len = 0;
    if (of_index->is_known) {
        TV_TRY(tv_buffer_append(&aflame->name, method->class_name.at, method->class_name.len, err));
        TV_TRY(tv_buffer_append(&aflame->name, "#", 1, err));
        TV_TRY(tv_buffer_append(&aflame->name, method->name.at, method->name.len, err));
    } else {
        int len =
            snprintf(text, sizeof(text), "?Class#?Method<%llu>", (unsigned long long)of_index->id);
        TV_TRY(tv_buffer_append(&aflame->name, text, (size_t)len, err));
    }
    TV_TRY(
        tv_folded_frame(&aflame->texts, tv_buffer_view(&aflame->name), &frame, &is_changed, err));
    TV_TRY(tv_stack_tree_name(&aflame->tree, frame, name, err));
    aflame->method_names[method_ix] = *name;
    return TV_OK;
}

/* The frame of a call stands on that of its nearest caller of which AFlame knows. */
static enum tv_code take_event(struct aflame *aflame, const struct tv_call_event *event,
                               struct tv_error *err)
{
    uint32_t name;
    TV_TRY(tv_alloc_grow(aflame->context->alloc, &aflame->stack, &aflame->stack_cap,
                         event->level + (size_t)1, sizeof(*aflame->stack), err));
    uint32_t *frame = &aflame->stack[event->level];
    if (event->kind == TV_CALL_ENTER) {
        *frame = event->level ? frame[-1] : TV_STACK_ROOT;
        if (event->is_adopted)
            return TV_OK;
        TV_TRY(name_of_method(aflame, event->method, &name, err));
        return tv_stack_tree_child(&aflame->tree, *frame, name, frame, err);
    }
    if (!event->is_adopted && !event->is_open_at_end)
        tv_stack_tree_add(&aflame->tree, *frame, event->exclusive_ns[TV_CLOCK_WALL] / TV_NS_PER_US,
                          1);
    return TV_OK;
}

/* The tree leads from a frame to its parent, but a line begins with the root: so the way up is
 * collected first. */
static enum tv_code write_line(struct aflame *aflame, struct tv_str thread, uint32_t frame,
                               struct tv_error *err)
{
    struct tv_out *out = &aflame->context->out;
    size_t depth = 0;
    for (uint32_t at = frame; at != TV_STACK_ROOT; at = aflame->tree.frames[at].parent) {
        TV_TRY(tv_alloc_grow(aflame->context->alloc, &aflame->stack, &aflame->stack_cap, depth + 1,
                             sizeof(*aflame->stack), err));
        aflame->stack[depth++] = at;
    }
    tv_out_text(out, thread);
    while (depth--) {
        tv_out_text(out, TV_STR(";"));
        tv_out_text(out, tv_stack_tree_name_of(&aflame->tree, aflame->stack[depth]));
    }
    tv_out_text(out, TV_STR(" "));
    tv_out_decimal(out, aflame->tree.frames[frame].self);
    tv_out_text(out, TV_STR("\n"));
    return TV_OK;
}

/* Two passes over a thread: its calls are merged into the tree, then each frame with time of its
 * own becomes a line. */
static enum tv_code write_thread(struct aflame *aflame, struct tv_call_walk *walk,
                                 uint32_t thread_ix, struct tv_error *err)
{
    struct tv_export_context *context = aflame->context;
    struct tv_call_event event;
    struct tv_str thread;
    bool is_changed;
    tv_stack_tree_release(&aflame->tree);
    for (uint32_t i = 0; i < context->index->method_count; i++)
        aflame->method_names[i] = NONE;
    TV_TRY(tv_stack_tree_begin(&aflame->tree, err));
    TV_TRY(tv_call_walk_begin(walk, context, thread_ix, err));
    for (tv_call_walk_next(walk, &event); event.kind != TV_CALL_END;
         tv_call_walk_next(walk, &event)) {
        TV_TRY(take_event(aflame, &event, err));
        TV_TRY(tv_export_context_tell(context, event.kind == TV_CALL_EXIT, err));
    }
    TV_TRY(tv_export_thread_label(&context->names, context->index, thread_ix, &aflame->name, err));
    TV_TRY(
        tv_folded_frame(&aflame->texts, tv_buffer_view(&aflame->name), &thread, &is_changed, err));
    for (uint32_t i = 1; i < aflame->tree.count; i++) {
        if (aflame->tree.frames[i].self)
            TV_TRY(write_line(aflame, thread, i, err));
    }
    return TV_OK;
}

/* Numbers of AFlame are wall time, so a trace without that clock is refused rather than written
 * with another one. */
static enum tv_code write_threads(struct aflame *aflame, struct tv_error *err)
{
    struct tv_export_context *context = aflame->context;
    struct tv_call_walk walk;
    enum tv_code code = TV_OK;
    if (!context->index->info->has_clock[TV_CLOCK_WALL])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "AFlame's numbers are wall time, which this trace has not");
    TV_TRY(tv_alloc_new(context->alloc, &aflame->method_names, context->index->method_count,
                        sizeof(*aflame->method_names), err));
    tv_call_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; code == TV_OK && i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        if (thread_ix != TV_NONE)
            code = write_thread(aflame, &walk, thread_ix, err);
    }
    tv_call_walk_release(&walk);
    return code;
}

/* Everything that the walk needs stands in one struct, and is released here whatever failed. */
static enum tv_code write_aflame(struct tv_export_context *context, struct tv_error *err)
{
    struct aflame aflame = {.context = context};
    tv_arena_init(&aflame.texts, context->alloc);
    tv_buffer_init(&aflame.name, context->alloc);
    tv_stack_tree_init(&aflame.tree, context->alloc);
    enum tv_code code = write_threads(&aflame, err);
    tv_alloc_release(context->alloc, &aflame.stack, aflame.stack_cap, sizeof(*aflame.stack));
    tv_alloc_release(context->alloc, &aflame.method_names, context->index->method_count,
                     sizeof(*aflame.method_names));
    tv_stack_tree_release(&aflame.tree);
    tv_buffer_release(&aflame.name);
    tv_arena_release(&aflame.texts);
    return code;
}

const struct tv_export tv_export_aflame = {
    .name = "folded",
    .suffix = ".folded",
    .media_type = "text/plain; charset=utf-8",
    .summary = "folded stacks with AFlame's names and numbers",
    .is_text = true,
    .levels_most = TV_EXPORT_STACK_LEVELS,
    .write = write_aflame,
};
