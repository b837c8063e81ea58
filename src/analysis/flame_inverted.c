/*
 * Stacks turned over: from each node with own time upwards through its callers, one level at a time
 * for all, so that what is too thin can be left behind before its callers are looked at.
 */
#include "analysis/flame_merge.h"
#include "base/alloc.h"
#include "base/error.h"

/* A climb from one node: where it is, and what it carries. */
struct climb {
    uint32_t at; /* node, or box of the stacks; TV_NONE past the root */
    uint32_t place;
    uint64_t self;
    uint64_t calls;
};

struct climbing {
    struct tv_merged *merged;
    const struct tv_merged *stacks;
    struct climb *climbs;
    size_t count;
    size_t cap;
};

static uint32_t caller_of(const struct climbing *climbing, uint32_t at)
{
    return climbing->stacks ? climbing->stacks->boxes[at].parent
                            : climbing->merged->sums->parent[at];
}

static uint32_t method_of(const struct climbing *climbing, uint32_t at)
{
    return climbing->stacks ? climbing->stacks->boxes[at].method
                            : climbing->merged->sums->method[at];
}

/* Adds a climb, unless it does not begin with the path (less its last method, which is the bottom
 * box). */
static enum tv_code add_climb(struct climbing *climbing, uint32_t at, uint64_t self, uint64_t calls,
                              struct tv_error *err)
{
    const struct tv_flame_opts *opts = climbing->merged->opts;
    if (!self)
        return TV_OK;
    for (size_t i = 0; i < opts->path_len; i++) {
        if (at == TV_NONE || method_of(climbing, at) != opts->path[i])
            return TV_OK;
        if (i + 1 < opts->path_len)
            at = caller_of(climbing, at);
    }
    TV_TRY(tv_alloc_grow(climbing->merged->flame->alloc, &climbing->climbs, &climbing->cap,
                         climbing->count + 1, sizeof(*climbing->climbs), err));
    climbing->climbs[climbing->count++] = (struct climb){at, TV_NONE, self, calls};
    return TV_OK;
}

static enum tv_code add_climbs(struct climbing *climbing, struct tv_error *err)
{
    const struct tv_merged *merged = climbing->merged;
    const struct tv_sums *sums = merged->sums;
    if (climbing->stacks) {
        for (size_t i = 0; i < climbing->stacks->count; i++) {
            const struct tv_flame_box *box = &climbing->stacks->boxes[i];
            TV_TRY(add_climb(climbing, (uint32_t)i, box->self, box->calls, err));
        }
        return TV_OK;
    }
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            TV_TRY(add_climb(climbing, node, tv_merged_self(merged, node),
                             tv_sums_calls(sums, node), err));
        }
    }
    return TV_OK;
}

/* What climbs so far ahead stand at is asked for while others go on. */
#define CLIMBS_AHEAD 12u

static enum tv_code climb_level(struct climbing *climbing, struct tv_error *err)
{
    struct tv_merged *merged = climbing->merged;
    for (size_t i = 0; i < climbing->count; i++) {
        struct climb *climb = &climbing->climbs[i];
        if (!climbing->stacks && i + CLIMBS_AHEAD < climbing->count) {
            TV_PREFETCH(&merged->sums->method[climb[CLIMBS_AHEAD].at]);
            TV_PREFETCH(&merged->sums->parent[climb[CLIMBS_AHEAD].at]);
        }
        TV_TRY(tv_merged_child(merged, climb->place, method_of(climbing, climb->at), &climb->place,
                               err));
        struct tv_flame_box *box = &merged->boxes[climb->place];
        climb->at = caller_of(climbing, climb->at);
        box->value += climb->self;
        box->calls += climb->calls;
        if (climb->at == TV_NONE)
            box->self += climb->self;
    }
    return TV_OK;
}

/* Keeps the climbs that go on. */
static void thin_out(struct climbing *climbing)
{
    size_t kept = 0;
    for (size_t i = 0; i < climbing->count; i++) {
        const struct climb *climb = &climbing->climbs[i];
        if (climb->at != TV_NONE &&
            !tv_merged_is_thin(climbing->merged, climbing->merged->boxes[climb->place].value))
            climbing->climbs[kept++] = *climb;
    }
    climbing->count = kept;
}

enum tv_code tv_merge_inverted(struct tv_merged *merged, const struct tv_merged *stacks,
                               struct tv_error *err)
{
    struct climbing climbing = {.merged = merged, .stacks = stacks};
    enum tv_code code = add_climbs(&climbing, err);
    for (size_t i = 0; i < climbing.count; i++)
        merged->flame->value_ns += climbing.climbs[i].self;
    uint64_t steps_left = (uint64_t)climbing.count * TV_FLAME_CLIMB_LIMIT;
    for (uint32_t level = 0; code == TV_OK && climbing.count; level++) {
        if (level == TV_FLAME_INVERTED_LEVEL_LIMIT || climbing.count > steps_left) {
            merged->flame->is_complete = false;
            break;
        }
        steps_left -= climbing.count;
        code = climb_level(&climbing, err);
        if (code == TV_OK)
            thin_out(&climbing);
    }
    tv_alloc_free(merged->flame->alloc, climbing.climbs, climbing.cap, sizeof(*climbing.climbs));
    return code;
}
