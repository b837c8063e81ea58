/*
 * Folded stacks: one line for each calling context that took time itself, "thread;caller;callee N".
 * The lines of flamegraph.pl's stackcollapse programs, which most tools read.
 *
 * N is exclusive nanoseconds on the measure of the scope; a wait below zero counts as nothing.
 * Methods are named without signatures, as everybody's folded stacks do, so overloads that one
 * method calls have equal lines, and readers add them up.
 */

#include "analysis/profile/profile.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/str.h"
#include "export/export_context.h"
#include "export/folded_frame.h"
#include "export/formats.h"

/*
 * Neighbouring nodes mostly share their outer callers, and so the beginning of their lines. The
 * line of the node before is kept, and only the frames below the last shared caller are written
 * anew. A caller has a lower number than the nodes that it calls, so the node numbers of a line
 * ascend, which is how the last shared caller is found.
 */
struct folding {
    struct tv_export_context *context;
    struct tv_arena texts;
    struct tv_buffer name;
    struct tv_str *method_names; /* one per method: its frame; without bytes as long as not used */
    struct tv_buffer line;       /* the frames of the node that was written last */
    uint32_t *nodes;             /* of its frames, from the root on */
    size_t *ends;                /* where in the line each frame ends */
    uint32_t *climbed;           /* callers on the way up to those of the node before */
    size_t level_count;          /* frames in the line */
    size_t thread_len;           /* of the thread, with which the line begins */
};

static enum tv_code keep_frame(struct folding *folding, struct tv_str name, struct tv_str *frame,
                               struct tv_error *err)
{
    bool is_changed;
    TV_TRY(tv_folded_frame(&folding->texts, name, frame, &is_changed, err));
    folding->context->result->changes[TV_EXPORT_NAMES_CHANGED] += is_changed;
    return TV_OK;
}

static enum tv_code frame_of(struct folding *folding, uint32_t method_ix, struct tv_error *err)
{
    struct tv_str *frame = &folding->method_names[method_ix];
    if (frame->at)
        return TV_OK;
    TV_TRY(tv_export_short_name(&folding->context->names.methods[method_ix], &folding->name, err));
    return keep_frame(folding, tv_buffer_view(&folding->name), frame, err);
}

/* Exclusive time of a node on the measure. */
static uint64_t value_of(const struct tv_export_context *context, uint32_t node)
{
    const struct tv_sums *sums = &context->stacks.sums;
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
    int64_t value = tv_measure_of(exclusive_ns, context->opts->scope.measure);
    return value > 0 ? (uint64_t)value : 0;
}

/* ends[] says where the line ends at each level, so that going back to a caller is cutting the line
 * there. */
static enum tv_code add_frame(struct folding *folding, uint32_t node, struct tv_error *err)
{
    uint32_t method_ix = folding->context->stacks.sums.method[node];
    TV_TRY(frame_of(folding, method_ix, err));
    struct tv_str frame = folding->method_names[method_ix];
    TV_TRY(tv_buffer_append(&folding->line, ";", 1, err));
    TV_TRY(tv_buffer_append(&folding->line, frame.at, frame.len, err));
    folding->nodes[folding->level_count] = node;
    folding->ends[folding->level_count++] = folding->line.len;
    return TV_OK;
}

/* Makes the line that of a node, but for its number. */
static enum tv_code turn_line(struct folding *folding, uint32_t node, struct tv_error *err)
{
    const uint32_t *parents = folding->context->stacks.sums.parent;
    size_t climbed = 0;
    size_t level = folding->level_count;
    for (; node != TV_NONE; node = parents[node]) {
        while (level && folding->nodes[level - 1] > node)
            level--;
        if (level && folding->nodes[level - 1] == node)
            break;
        folding->climbed[climbed++] = node;
    }
    /* Without a caller in common the node is below another root. */
    folding->level_count = node == TV_NONE ? 0 : level;
    folding->line.len =
        folding->level_count ? folding->ends[folding->level_count - 1] : folding->thread_len;
    while (climbed)
        TV_TRY(add_frame(folding, folding->climbed[--climbed], err));
    return TV_OK;
}

static enum tv_code write_line(struct folding *folding, uint32_t node, uint64_t value,
                               struct tv_error *err)
{
    struct tv_out *out = &folding->context->out;
    TV_TRY(turn_line(folding, node, err));
    tv_out_text(out, tv_buffer_view(&folding->line));
    tv_out_text(out, TV_STR(" "));
    tv_out_decimal(out, value);
    tv_out_text(out, TV_STR("\n"));
    return TV_OK;
}

/* Nodes come in an order in which parents are before their children. The line of the node before is
 * reused as far as both stacks agree. */
static enum tv_code write_thread(struct folding *folding, uint32_t position, struct tv_error *err)
{
    struct tv_export_context *context = folding->context;
    uint32_t thread_ix = tv_export_context_thread(context, position);
    struct tv_node_range nodes = tv_sums_nodes(&context->stacks.sums, position);
    struct tv_str thread;
    if (thread_ix == TV_NONE)
        return TV_OK;
    TV_TRY(tv_export_thread_label(&context->names, context->index, thread_ix, &folding->name, err));
    TV_TRY(keep_frame(folding, tv_buffer_view(&folding->name), &thread, err));
    folding->line.len = folding->level_count = 0;
    folding->thread_len = thread.len;
    TV_TRY(tv_buffer_append(&folding->line, thread.at, thread.len, err));
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint64_t value = value_of(context, node);
        if (value)
            TV_TRY(write_line(folding, node, value, err));
        TV_TRY(tv_export_context_tell(context, tv_sums_calls(&context->stacks.sums, node), err));
    }
    return TV_OK;
}

/* Rooms for one stack of the deepest level that the format has; no stack is deeper. */
static enum tv_code fold(struct folding *folding, struct tv_error *err)
{
    struct tv_export_context *context = folding->context;
    const struct tv_index *index = context->index;
    const struct tv_alloc *alloc = context->alloc;
    TV_TRY(tv_alloc_new(alloc, &folding->method_names, index->method_count,
                        sizeof(*folding->method_names), err));
    TV_TRY(
        tv_alloc_new(alloc, &folding->nodes, TV_EXPORT_STACK_LEVELS, sizeof(*folding->nodes), err));
    TV_TRY(
        tv_alloc_new(alloc, &folding->ends, TV_EXPORT_STACK_LEVELS, sizeof(*folding->ends), err));
    TV_TRY(tv_alloc_new(alloc, &folding->climbed, TV_EXPORT_STACK_LEVELS, sizeof(*folding->climbed),
                        err));
    for (uint32_t i = 0; i < tv_export_context_thread_count(context); i++)
        TV_TRY(write_thread(folding, tv_export_context_position(context, i), err));
    return TV_OK;
}

/* One struct with all that the walk needs, released here whatever failed. */
static enum tv_code write_folded(struct tv_export_context *context, struct tv_error *err)
{
    struct folding folding = {.context = context};
    tv_arena_init(&folding.texts, context->alloc);
    tv_buffer_init(&folding.name, context->alloc);
    tv_buffer_init(&folding.line, context->alloc);
    enum tv_code code = fold(&folding, err);
    tv_alloc_release(context->alloc, &folding.method_names, context->index->method_count,
                     sizeof(*folding.method_names));
    tv_alloc_release(context->alloc, &folding.nodes, TV_EXPORT_STACK_LEVELS,
                     sizeof(*folding.nodes));
    tv_alloc_release(context->alloc, &folding.ends, TV_EXPORT_STACK_LEVELS, sizeof(*folding.ends));
    tv_alloc_release(context->alloc, &folding.climbed, TV_EXPORT_STACK_LEVELS,
                     sizeof(*folding.climbed));
    tv_buffer_release(&folding.line);
    tv_buffer_release(&folding.name);
    tv_arena_release(&folding.texts);
    return code;
}

const struct tv_export tv_export_folded = {
    .name = "folded",
    .suffix = ".folded",
    .media_type = "text/plain; charset=utf-8",
    .summary = "folded stacks: flamegraph.pl, speedscope, inferno",
    .is_text = true,
    .levels_most = TV_EXPORT_STACK_LEVELS,
    .write = write_folded,
};
