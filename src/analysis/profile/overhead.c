/*
 * How much of a trace is the tracing itself; see analysis/profile/overhead.h.
 *
 * The cost of a call comes from a property that our own recorders write, else from the cost of a
 * clock reading in the header, which is only a part of it (is_partial). The margin comes from the
 * trace: the shortest mean time of a method's leaf calls is near to what recording a call takes.
 * How much wider it is was found with methods whose own times are known (bench/known_costs.py). All
 * is an estimate, so it is left out where the cost is not known or absurdly large.
 */
#include "analysis/profile/overhead.h"

#include <string.h>

#include "analysis/selection/names.h"
#include "base/str.h"

/* What the file says of an enter and an exit together, which libtraceview-record measures. */
#define CALL_COST_KEY "record-call-overhead-nsec"
/* The parts of it that are in the call's own time, and in its caller's. */
#define LEAF_COST_KEY "record-leaf-overhead-nsec"
#define CALLING_COST_KEY "record-calling-overhead-nsec"
/* Calls that `traceview record` left out when the program had ended. */
#define LEFT_OUT_KEY "calls-left-out"
/* More than this for a call is no cost but a file that lies. */
#define CALL_COST_MOST UINT64_C(1000000000)
/* The part of a record's cost that a processor hides, since it works at the record beside the
 * program's own instructions. */
#define OVERLAP_NS 25.0
/* Where caches are not as they were when the cost was measured, a record takes longer. */
#define COLD_FACTOR 1.25

/* The leaf calls of a method. */
struct leaves {
    uint64_t calls;
    uint64_t time; /* units on the axis clock */
};

static bool find_cost(const struct tv_index *index, struct tv_str key, uint64_t *cost_ns)
{
    const struct tv_str value = tv_index_property_of(index, key);
    return tv_str_to_u64(value, 10, cost_ns) && *cost_ns <= CALL_COST_MOST;
}

/* Where the file has the cost of a call and that of its caller apart, those two are taken. */
static void take_parts(const struct tv_index *index, struct tv_record_cost *cost)
{
    uint64_t leaf_ns, calling_ns;
    cost->leaf_ns = cost->calling_ns = cost->ns;
    if (cost->is_partial || !find_cost(index, TV_STR(LEAF_COST_KEY), &leaf_ns) ||
        !find_cost(index, TV_STR(CALLING_COST_KEY), &calling_ns))
        return;
    cost->has_parts = true;
    cost->leaf_ns = (double)leaf_ns;
    cost->calling_ns = (double)calling_ns;
}

/* Adds up the leaf calls of each method: the calls of nodes without a child. */
static void add_leaves(const struct tv_index *index, uint8_t *has_child, struct leaves *leaves)
{
    unsigned clock = tv_index_axis(index);
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (index->node_parent[node] != TV_NONE)
            has_child[index->node_parent[node]] = 1;
    }
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (has_child[node])
            continue;
        leaves[index->node_method[node]].calls += tv_index_node_calls(index, node);
        leaves[index->node_method[node]].time += tv_index_node_exclusive(index, clock, node);
    }
}

/* Looks for the method with the shortest leaf calls; false: none has enough of them. */
static bool find_shortest(const struct tv_index *index, const struct leaves *leaves,
                          double *shortest_ns)
{
    bool has_any = false;
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (leaves[i].calls < TV_LEAF_CALLS_LEAST)
            continue;
        double mean_ns =
            (double)leaves[i].time * (double)index->info->unit_ns / (double)leaves[i].calls;
        if (!has_any || mean_ns < *shortest_ns)
            *shortest_ns = mean_ns;
        has_any = true;
    }
    return has_any;
}

/* Widens the margin to what a leaf call of the method with the shortest ones takes, and further
 * where the whole cost of a record is meant. */
static void take_margin(const struct tv_index *index, const struct leaves *leaves,
                        struct tv_record_cost *cost)
{
    cost->has_margin = find_shortest(index, leaves, &cost->shortest_ns);
    if (!cost->has_margin)
        return;
    cost->least_ns = cost->shortest_ns < cost->least_ns ? cost->shortest_ns : cost->least_ns;
    cost->most_ns = cost->shortest_ns > cost->most_ns ? cost->shortest_ns : cost->most_ns;
    if (cost->is_partial)
        return;
    cost->least_ns = cost->least_ns > OVERLAP_NS ? cost->least_ns - OVERLAP_NS : 0;
    cost->most_ns *= COLD_FACTOR;
}

uint32_t tv_writing_method(const struct tv_index *index)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (tv_str_equal(tv_method_class(index, i), TV_STR("traceview")) &&
            tv_str_equal(tv_method_name(index, i), TV_STR("writing")) &&
            tv_str_equal(tv_method_signature(index, i), TV_STR("()V")))
            return i;
    }
    return TV_NONE;
}

/* A call has two records, so a record costs half of what a call costs. */
enum tv_code tv_record_cost_of(const struct tv_index *index, const struct tv_alloc *alloc,
                               struct tv_record_cost *cost, struct tv_error *err)
{
    uint64_t call_ns = 0;
    uint8_t *has_child;
    struct leaves *leaves;
    *cost = (struct tv_record_cost){.writing = TV_NONE};
    if (index->info->is_sampled)
        return TV_OK;
    (void)tv_str_to_u64(tv_index_property_of(index, TV_STR(LEFT_OUT_KEY)), 10, &cost->left_out);
    if (cost->left_out)
        return TV_OK;
    cost->is_partial = !find_cost(index, TV_STR(CALL_COST_KEY), &call_ns) || !call_ns;
    cost->ns = cost->is_partial ? (double)index->info->clock_overhead_ns : (double)call_ns / 2.0;
    cost->is_known = cost->ns > 0 && cost->ns <= (double)CALL_COST_MOST;
    if (!cost->is_known) {
        *cost = (struct tv_record_cost){.writing = TV_NONE};
        return TV_OK;
    }
    cost->writing = tv_writing_method(index);
    take_parts(index, cost);
    cost->least_ns = cost->leaf_ns < cost->calling_ns ? cost->leaf_ns : cost->calling_ns;
    cost->most_ns = cost->leaf_ns > cost->calling_ns ? cost->leaf_ns : cost->calling_ns;
    TV_TRY(tv_alloc_new(alloc, &has_child, index->node_count, 1, err));
    enum tv_code code = tv_alloc_new(alloc, &leaves, index->method_count, sizeof(*leaves), err);
    if (code == TV_OK) {
        add_leaves(index, has_child, leaves);
        take_margin(index, leaves, cost);
        tv_alloc_release(alloc, &leaves, index->method_count, sizeof(*leaves));
    }
    tv_alloc_release(alloc, &has_child, index->node_count, 1);
    return code;
}

static uint64_t part_of(double ns, uint64_t time_ns)
{
    return ns < (double)time_ns ? (uint64_t)ns : time_ns;
}

struct tv_overhead tv_overhead_of(const struct tv_record_cost *cost,
                                  struct tv_recorded_calls recorded, uint64_t time_ns)
{
    const double calls = (double)recorded.calls, made = (double)recorded.made;
    return (struct tv_overhead){
        .ns = part_of(cost->leaf_ns * calls + cost->calling_ns * made, time_ns),
        .least_ns = part_of(cost->least_ns * (calls + made), time_ns),
        .most_ns = part_of(cost->most_ns * (calls + made), time_ns)};
}

struct tv_overhead tv_overhead_of_method(const struct tv_record_cost *cost, uint32_t method,
                                         struct tv_recorded_calls recorded, uint64_t time_ns)
{
    if (method == cost->writing)
        return (struct tv_overhead){.ns = time_ns, .least_ns = time_ns, .most_ns = time_ns};
    return tv_overhead_of(cost, recorded, time_ns);
}

void tv_recorded_calls_add(const struct tv_sums *sums, struct tv_recorded_calls *of)
{
    const uint32_t thread_count = tv_selection_thread_count(&sums->selection, sums->index);
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct tv_node_range nodes = tv_sums_nodes(sums, i);
        for (uint32_t node = nodes.first; node < nodes.end; node++) {
            const uint64_t calls = tv_sums_calls(sums, node);
            const uint64_t hidden = tv_sums_hidden_calls(sums, node);
            of[sums->method[node]].calls += calls + hidden;
            of[sums->method[node]].made += hidden;
            if (sums->parent[node] != TV_NONE)
                of[sums->method[sums->parent[node]]].made += calls;
        }
    }
}

/* Every call is one of its method's, and all but the root calls are made by another. */
static struct tv_recorded_calls recorded_of_all(const struct tv_index *index)
{
    uint64_t roots = 0;
    for (uint32_t node = 0; node < index->node_count; node++) {
        if (index->node_parent[node] == TV_NONE)
            roots += tv_index_node_calls(index, node);
    }
    return (struct tv_recorded_calls){.calls = index->info->calls,
                                      .made = index->info->calls - roots};
}

struct tv_overhead tv_overhead_of_all(const struct tv_record_cost *cost,
                                      const struct tv_index *index, enum tv_clock clock)
{
    const uint64_t time_ns = index->info->total[clock] * index->info->unit_ns;
    uint64_t writing_ns =
        cost->writing == TV_NONE
            ? 0
            : index->methods[cost->writing].exclusive[clock] * index->info->unit_ns;
    writing_ns = writing_ns < time_ns ? writing_ns : time_ns;
    struct tv_overhead all = tv_overhead_of(cost, recorded_of_all(index), time_ns - writing_ns);
    all.ns += writing_ns;
    all.least_ns += writing_ns;
    all.most_ns += writing_ns;
    return all;
}

bool tv_overhead_is_most(const struct tv_overhead *overhead, uint64_t time_ns)
{
    return overhead->ns && overhead->ns >= time_ns - overhead->ns;
}

enum tv_code tv_overhead_mark(const struct tv_index *index, enum tv_clock clock,
                              const struct tv_alloc *alloc, uint8_t *is_most, struct tv_error *err)
{
    struct tv_record_cost cost;
    uint64_t *made;
    memset(is_most, 0, index->method_count);
    TV_TRY(tv_record_cost_of(index, alloc, &cost, err));
    if (!cost.is_known)
        return TV_OK;
    TV_TRY(tv_alloc_new(alloc, &made, index->method_count, sizeof(*made), err));
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t parent = index->node_parent[node];
        if (parent != TV_NONE)
            made[index->node_method[parent]] += tv_index_node_calls(index, node);
    }
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        uint64_t time_ns = method->exclusive[clock] * index->info->unit_ns;
        struct tv_overhead overhead = tv_overhead_of_method(
            &cost, i, (struct tv_recorded_calls){method->calls + method->recursive_calls, made[i]},
            time_ns);
        is_most[i] = tv_overhead_is_most(&overhead, time_ns);
    }
    tv_alloc_release(alloc, &made, index->method_count, sizeof(*made));
    return TV_OK;
}
