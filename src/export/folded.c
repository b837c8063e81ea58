/*
 * Folded stacks: one line for each calling context that took time itself, "thread;caller;callee N".
 * The lines of flamegraph.pl's stackcollapse programs, which most tools read.
 *
 * N is exclusive nanoseconds on the measure of the scope; a wait below zero counts as nothing.
 * Methods are named without signatures, as everybody's folded stacks do, so overloads that one
 * method calls have equal lines, and readers add them up.
 */

#include "analysis/profile/profile.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "export/exporting.h"
#include "export/folded_frame.h"
#include "export/formats.h"

struct folding {
    struct tv_exporting *exporting;
    struct tv_arena texts;
    struct tv_buffer name;
    struct tv_str *method_names; /* one per method: its frame; without bytes as long as not used */
    uint32_t *path;              /* of the node that is written, from its leaf to its root */
};

static enum tv_code keep_frame(struct folding *folding, struct tv_str name, struct tv_str *frame,
                               struct tv_error *err)
{
    bool is_changed;
    TV_TRY(tv_folded_frame(&folding->texts, name, frame, &is_changed, err));
    folding->exporting->result->changes[TV_EXPORT_NAMES_CHANGED] += is_changed;
    return TV_OK;
}

static enum tv_code frame_of(struct folding *folding, uint32_t method_ix, struct tv_error *err)
{
    struct tv_str *frame = &folding->method_names[method_ix];
    if (frame->at)
        return TV_OK;
    TV_TRY(
        tv_export_short_name(&folding->exporting->names.methods[method_ix], &folding->name, err));
    return keep_frame(folding, tv_buffer_view(&folding->name), frame, err);
}

/* Exclusive time of a node on the measure. */
static uint64_t value_of(const struct tv_exporting *exporting, uint32_t node)
{
    const struct tv_sums *sums = &exporting->stacks.sums;
    uint64_t exclusive_ns[TV_CLOCK_COUNT];
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        exclusive_ns[clock] = tv_sums_exclusive(sums, clock, node);
    int64_t value = tv_measure_of(exclusive_ns, exporting->opts->scope.measure);
    return value > 0 ? (uint64_t)value : 0;
}

static enum tv_code write_line(struct folding *folding, struct tv_str thread, uint32_t node,
                               uint64_t value, struct tv_error *err)
{
    struct tv_out *out = &folding->exporting->out;
    const struct tv_sums *sums = &folding->exporting->stacks.sums;
    size_t len = 0;
    for (; node != TV_NONE; node = sums->parent[node])
        folding->path[len++] = node;
    tv_out_text(out, thread);
    while (len--) {
        uint32_t method_ix = sums->method[folding->path[len]];
        TV_TRY(frame_of(folding, method_ix, err));
        tv_out_text(out, TV_STR(";"));
        tv_out_text(out, folding->method_names[method_ix]);
    }
    tv_out_text(out, TV_STR(" "));
    tv_out_decimal(out, value);
    tv_out_text(out, TV_STR("\n"));
    return TV_OK;
}

static enum tv_code write_thread(struct folding *folding, uint32_t position, struct tv_error *err)
{
    struct tv_exporting *exporting = folding->exporting;
    uint32_t thread_ix = tv_exporting_thread(exporting, position);
    struct tv_node_range nodes = tv_sums_nodes(&exporting->stacks.sums, position);
    struct tv_str thread;
    if (thread_ix == TV_NONE)
        return TV_OK;
    TV_TRY(tv_export_thread_label(&exporting->names, exporting->index, thread_ix, &folding->name,
                                  err));
    TV_TRY(keep_frame(folding, tv_buffer_view(&folding->name), &thread, err));
    for (uint32_t node = nodes.first; node < nodes.end; node++) {
        uint64_t value = value_of(exporting, node);
        if (value)
            TV_TRY(write_line(folding, thread, node, value, err));
        TV_TRY(tv_exporting_tell(exporting, tv_sums_calls(&exporting->stacks.sums, node), err));
    }
    return TV_OK;
}

static enum tv_code fold(struct folding *folding, struct tv_error *err)
{
    struct tv_exporting *exporting = folding->exporting;
    const struct tv_index *index = exporting->index;
    const struct tv_alloc *alloc = exporting->alloc;
    TV_TRY(tv_alloc_new(alloc, &folding->method_names, index->method_count,
                        sizeof(*folding->method_names), err));
    TV_TRY(
        tv_alloc_new(alloc, &folding->path, TV_EXPORT_STACK_LEVELS, sizeof(*folding->path), err));
    for (uint32_t i = 0; i < tv_exporting_thread_count(exporting); i++)
        TV_TRY(write_thread(folding, i, err));
    return TV_OK;
}

static enum tv_code write_folded(struct tv_exporting *exporting, struct tv_error *err)
{
    struct folding folding = {.exporting = exporting};
    tv_arena_init(&folding.texts, exporting->alloc);
    tv_buffer_init(&folding.name, exporting->alloc);
    enum tv_code code = fold(&folding, err);
    tv_alloc_release(exporting->alloc, &folding.method_names, exporting->index->method_count,
                     sizeof(*folding.method_names));
    tv_alloc_release(exporting->alloc, &folding.path, TV_EXPORT_STACK_LEVELS,
                     sizeof(*folding.path));
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
