/*
 * The stacks of a trace; see export/flame/trace_stacks.h.
 *
 * There are two ways. Merged: the nodes of the sums, which are calling contexts already, are added
 * to the tree by name. In order of time: the calls of each thread are walked, and time that passes
 * is spent in the frame that is open. With a root, only what lies inside calls of that method
 * counts.
 */
#include "export/flame/trace_stacks.h"

#include "base/error.h"
#include "base/names/stable_name.h"
#include "export/flame/flame_boxes.h"
#include "export/walk/call_walk.h"

#define NONE UINT32_MAX

void tv_trace_stacks_init(struct tv_trace_stacks *stacks, struct tv_export_context *context,
                          const struct tv_trace_stacks_opts *opts)
{
    *stacks = (struct tv_trace_stacks){.context = context, .opts = opts};
    tv_arena_init(&stacks->texts, context->alloc);
    tv_buffer_init(&stacks->name, context->alloc);
}

void tv_trace_stacks_release(struct tv_trace_stacks *stacks)
{
    const struct tv_export_context *context = stacks->context;
    tv_alloc_release(context->alloc, &stacks->method_names, context->index->method_count,
                     sizeof(*stacks->method_names));
    tv_buffer_release(&stacks->name);
    tv_arena_release(&stacks->texts);
}

/* The name in the tree of a text that does not live as long as the tree. */
static enum tv_code keep_name(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                              struct tv_str text, uint32_t *name, struct tv_error *err)
{
    struct tv_str kept;
    TV_TRY(tv_arena_keep(&stacks->texts, text, &kept, err));
    return tv_stack_tree_name(tree, kept, name, err);
}

/* Replaces `name` by the class and the name of a method, with "*" for what is not stable. */
static enum tv_code add_stable_name(const struct tv_export_method *method, struct tv_buffer *name,
                                    struct tv_error *err)
{
    const struct tv_stable_name parts[] = {tv_stable_class(method->class_name),
                                           tv_stable_method(method->name)};
    name->len = 0;
    for (size_t i = 0; i < TV_COUNT_OF(parts); i++) {
        if (name->len && parts[i].stem.len)
            TV_TRY(tv_buffer_append(name, ".", 1, err));
        TV_TRY(tv_buffer_append(name, parts[i].stem.at, parts[i].stem.len, err));
        if (parts[i].is_cut)
            TV_TRY(tv_buffer_append(name, "*", 1, err));
    }
    return TV_OK;
}

/* Each method is spelled once for the whole picture. */
static enum tv_code name_of_method(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                                   uint32_t method_ix, uint32_t *name, struct tv_error *err)
{
    *name = stacks->method_names[method_ix];
    if (*name != NONE)
        return TV_OK;
    const struct tv_export_method *method = &stacks->context->names.methods[method_ix];
    TV_TRY(stacks->opts->is_stable ? add_stable_name(method, &stacks->name, err)
                                   : tv_export_short_name(method, &stacks->name, err));
    TV_TRY(keep_name(stacks, tree, tv_buffer_view(&stacks->name), name, err));
    stacks->method_names[method_ix] = *name;
    return TV_OK;
}

static enum tv_code name_of_thread(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                                   uint32_t thread_ix, uint32_t *name, struct tv_error *err)
{
    const struct tv_export_context *context = stacks->context;
    TV_TRY(tv_export_thread_label(&context->names, context->index, thread_ix, &stacks->name, err));
    return keep_name(stacks, tree, tv_buffer_view(&stacks->name), name, err);
}

static enum tv_code begin_tree(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                               struct tv_error *err)
{
    for (uint32_t i = 0; i < stacks->context->index->method_count; i++)
        stacks->method_names[i] = NONE;
    return tv_stack_tree_begin(tree, err);
}

static bool is_root(const struct tv_trace_stacks *stacks, uint32_t method_ix)
{
    return !stacks->opts->root || *stacks->opts->root == method_ix;
}

/* The exclusive time of a node on the measure. */
static uint64_t self_of(const struct tv_export_context *context, uint32_t node)
{
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        exclusive_ns[clock] = tv_sums_exclusive(&context->stacks.sums, clock, node);
    int64_t self = tv_measure_of(exclusive_ns, context->opts->scope.measure);
    return self > 0 ? (uint64_t)self : 0;
}

/* The nodes that are shown, and a frame for each thread, as the tree takes them. */
struct merge {
    struct tv_trace_stacks *stacks;
    struct tv_stack_tree *tree;
    struct tv_stack_node *nodes;
    size_t count;
    size_t cap;
    uint32_t *place; /* by node of the sums: its place, or that of what it stands on */
};

static uint32_t add_node(struct merge *merge, struct tv_stack_node node)
{
    merge->nodes[merge->count] = node;
    return (uint32_t)merge->count++;
}

/* Adds a node, which stands on its caller, or on `below` where it is the first of its stack that
 * counts. */
static enum tv_code merge_node(struct merge *merge, uint32_t node, uint32_t below,
                               struct tv_error *err)
{
    const struct tv_export_context *context = merge->stacks->context;
    const struct tv_sums *sums = &context->stacks.sums;
    const uint32_t parent = sums->parent[node];
    const uint32_t method_ix = sums->method[node];
    const uint32_t caller = parent == TV_NONE ? NONE : merge->place[parent];
    uint32_t name;
    merge->place[node] = caller;
    if (!tv_sums_is_touched(sums, node) || (caller == NONE && !is_root(merge->stacks, method_ix)))
        return TV_OK;
    TV_TRY(name_of_method(merge->stacks, merge->tree, method_ix, &name, err));
    merge->place[node] =
        add_node(merge, (struct tv_stack_node){.below = caller == NONE ? below : caller,
                                               .name = name,
                                               .self = self_of(context, node),
                                               .calls = tv_sums_calls(sums, node)});
    return TV_OK;
}

/* How many nodes ahead memory is asked for: callers are all over the memory. */
#define NODES_AHEAD 16u

static enum tv_code merge_thread(struct merge *merge, uint32_t position, struct tv_error *err)
{
    struct tv_export_context *context = merge->stacks->context;
    uint32_t thread_ix = tv_export_context_thread(context, position);
    struct tv_node_range nodes = tv_sums_nodes(&context->stacks.sums, position);
    uint32_t below = TV_STACK_NOTHING;
    uint32_t name;
    if (thread_ix == TV_NONE)
        return TV_OK;
    if (merge->stacks->opts->is_by_thread) {
        TV_TRY(name_of_thread(merge->stacks, merge->tree, thread_ix, &name, err));
        below = add_node(merge, (struct tv_stack_node){.below = TV_STACK_NOTHING, .name = name});
    }
    const uint32_t *parents = context->stacks.sums.parent;
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        if (nodes.end - node > NODES_AHEAD && parents[node + NODES_AHEAD] != TV_NONE)
            TV_PREFETCH(&merge->place[parents[node + NODES_AHEAD]]);
        TV_TRY(merge_node(merge, node, below, err));
        TV_TRY(tv_export_context_tell(context, tv_sums_calls(&context->stacks.sums, node), err));
    }
    return TV_OK;
}

/* A node's parent comes before it, so its place is known. */
static enum tv_code merge_threads(struct merge *merge, struct tv_error *err)
{
    const struct tv_export_context *context = merge->stacks->context;
    const size_t node_count = context->stacks.sums.node_count;
    const uint32_t thread_count = tv_export_context_thread_count(context);
    TV_TRY(tv_alloc_new(context->alloc, &merge->place, node_count, sizeof(*merge->place), err));
    TV_TRY(tv_alloc_grow(context->alloc, &merge->nodes, &merge->cap, node_count + thread_count,
                         sizeof(*merge->nodes), err));
    TV_TRY(begin_tree(merge->stacks, merge->tree, err));
    for (uint32_t i = 0; i < thread_count; i++)
        TV_TRY(merge_thread(merge, i, err));
    return tv_stack_tree_merge(merge->tree, merge->nodes, merge->count, err);
}

/* Merged stacks come from the sums of nodes, without a walk over calls: time depends on how many
 * different stacks there are. */
static enum tv_code merge(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                          struct tv_error *err)
{
    const struct tv_export_context *context = stacks->context;
    struct merge merge = {.stacks = stacks, .tree = tree};
    enum tv_code code = merge_threads(&merge, err);
    tv_alloc_release(context->alloc, &merge.nodes, merge.cap, sizeof(*merge.nodes));
    tv_alloc_release(context->alloc, &merge.place, context->stacks.sums.node_count,
                     sizeof(*merge.place));
    return code;
}

/* A thread's walk in order of time: where the walk stands on the clock, and how many calls around
 * it are drawn. */
struct passage {
    struct tv_trace_stacks *stacks;
    struct tv_stack_tree *tree;
    enum tv_clock clock;
    uint64_t now_ns;
    uint32_t inside; /* calls from the root on; 0: outside, where nothing is spent */
    bool has_begun;
};

/* Moves on to the moment. A thread begins with its first call, and with a root all that is outside
 * of it takes no room. */
static void move_to(struct passage *passage, uint64_t moment_ns)
{
    uint64_t before_ns = passage->now_ns;
    bool is_spent = passage->inside || (passage->has_begun && !passage->stacks->opts->root);
    if (moment_ns > before_ns || !passage->has_begun)
        passage->now_ns = moment_ns;
    if (is_spent && moment_ns > before_ns)
        tv_stack_tree_spend(passage->tree, moment_ns - before_ns);
    passage->has_begun = true;
}

/* `inside` counts the open frames from the outermost call of the root method on; calls outside of
 * it are passed over. */
static enum tv_code take_event(struct passage *passage, const struct tv_call_event *event,
                               struct tv_error *err)
{
    uint32_t name;
    if (event->kind == TV_CALL_EXIT) {
        move_to(passage, event->end_ns[passage->clock]);
        if (passage->inside) {
            tv_stack_tree_close(passage->tree, passage->tree->depth - 1);
            passage->inside--;
        }
        return TV_OK;
    }
    move_to(passage, event->start_ns[passage->clock]);
    if (!passage->inside && !is_root(passage->stacks, event->method))
        return TV_OK;
    passage->inside++;
    TV_TRY(name_of_method(passage->stacks, passage->tree, event->method, &name, err));
    return tv_stack_tree_open(passage->tree, name, 1, err);
}

/* In the order of time every call is walked. The thread itself is the lowest box, so that threads
 * stand side by side and not on each other. */
static enum tv_code follow_thread(struct passage *passage, struct tv_call_walk *walk,
                                  uint32_t thread_ix, struct tv_error *err)
{
    struct tv_export_context *context = passage->stacks->context;
    struct tv_call_event event;
    uint32_t name;
    TV_TRY(name_of_thread(passage->stacks, passage->tree, thread_ix, &name, err));
    TV_TRY(tv_stack_tree_open(passage->tree, name, 0, err));
    TV_TRY(tv_call_walk_begin(walk, context, thread_ix, err));
    passage->has_begun = false;
    passage->inside = 0;
    for (tv_call_walk_next(walk, &event); event.kind != TV_CALL_END;
         tv_call_walk_next(walk, &event)) {
        TV_TRY(take_event(passage, &event, err));
        TV_TRY(tv_export_context_tell(context, event.kind == TV_CALL_EXIT, err));
    }
    tv_stack_tree_close(passage->tree, 0);
    return TV_OK;
}

/* A thread outside the part of the trace has no box, rather than an empty one. */
static enum tv_code follow_threads(struct passage *passage, struct tv_error *err)
{
    const struct tv_export_context *context = passage->stacks->context;
    struct tv_call_walk walk;
    enum tv_code code = begin_tree(passage->stacks, passage->tree, err);
    tv_call_walk_init(&walk, context->alloc);
    for (uint32_t i = 0; code == TV_OK && i < tv_export_context_thread_count(context); i++) {
        uint32_t thread_ix = tv_export_context_thread(context, i);
        if (thread_ix != TV_NONE)
            code = follow_thread(passage, &walk, thread_ix, err);
    }
    tv_call_walk_release(&walk);
    if (code == TV_OK)
        tv_stack_tree_end_in_order(passage->tree);
    return code;
}

/* Goes through the calls twice: what is too narrow depends on how much there is in all, and a tree
 * of all calls could take more memory than the trace. */
static enum tv_code follow(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                           struct tv_error *err)
{
    struct tv_export_context *context = stacks->context;
    enum tv_measure measure = context->opts->scope.measure;
    struct passage passage = {.stacks = stacks, .tree = tree};
    if (measure == TV_MEASURE_WAIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "waits have no order in time: choose the wall or the CPU clock");
    passage.clock = measure == TV_MEASURE_WALL ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    tree->least = UINT64_MAX;
    TV_TRY(follow_threads(&passage, err));
    uint64_t total = tree->now;
    tv_stack_tree_release(tree);
    tree->least = tv_flame_least(total, stacks->opts->least_width, stacks->opts->width);
    context->calls_told = 0;
    return follow_threads(&passage, err);
}

/* A picture without any width is refused, with what could be asked instead. */
enum tv_code tv_trace_stacks_make(struct tv_trace_stacks *stacks, struct tv_stack_tree *tree,
                                  struct tv_error *err)
{
    const struct tv_export_context *context = stacks->context;
    TV_TRY(tv_alloc_new(context->alloc, &stacks->method_names, context->index->method_count,
                        sizeof(*stacks->method_names), err));
    TV_TRY(stacks->opts->is_in_order ? follow(stacks, tree, err) : merge(stacks, tree, err));
    if (!tree->frames[TV_STACK_ROOT].value)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "no time was spent in this part of the trace: take a longer range, other "
                       "threads or another clock");
    return TV_OK;
}
