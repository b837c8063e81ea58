/*
 * Reports of dmtracedump; see export/report/report.h.
 *
 * The numbers of rows, callers and callees all come from the edges between methods: each call is
 * part of exactly one edge. Orders are those of dmtracedump: longest first, then by class, name and
 * signature, bytewise, so that both tools number methods alike.
 */
#include "export/report/report.h"

#include <string.h>

#include "analysis/profile/edges.h"
#include "base/memory/sort.h"

void tv_report_init(struct tv_report *report, const struct tv_alloc *alloc)
{
    *report = (struct tv_report){.alloc = alloc};
}

static void release_relatives(const struct tv_report *report, struct tv_report_relatives *relatives)
{
    tv_alloc_release(report->alloc, &relatives->of, relatives->cap, sizeof(*relatives->of));
    tv_alloc_release(report->alloc, &relatives->first, (size_t)report->row_count + 1,
                     sizeof(*relatives->first));
}

static void release_groups(const struct tv_report *report, struct tv_report_groups *groups)
{
    tv_alloc_release(report->alloc, &groups->of, groups->cap, sizeof(*groups->of));
    tv_alloc_release(report->alloc, &groups->members, report->row_count, sizeof(*groups->members));
}

void tv_report_release(struct tv_report *report)
{
    release_groups(report, &report->names);
    release_groups(report, &report->classes);
    release_relatives(report, &report->callees);
    release_relatives(report, &report->callers);
    tv_alloc_release(report->alloc, &report->by_inclusive, report->row_count, sizeof(uint32_t));
    tv_alloc_release(report->alloc, &report->by_exclusive, report->row_count, sizeof(uint32_t));
    tv_alloc_release(report->alloc, &report->rows, report->row_count, sizeof(*report->rows));
    tv_report_init(report, report->alloc);
}

static const struct tv_export_method toplevel = {.name = {"(toplevel)", 10}};

static void name_rows(struct tv_report *report, const struct tv_export_names *names)
{
    for (uint32_t i = 0; i < report->index->method_count; i++) {
        report->rows[i].method = &names->methods[i];
        report->rows[i].id = report->index->methods[i].id;
    }
    if (report->opts.has_toplevel)
        report->rows[report->row_count - 1].method = &toplevel;
}

/* Time of a thread on a clock, from its first record to its last, as far as the selection has it. A
 * call that is open at the end lasts to the end of the trace on the wall clock. */
static uint64_t thread_span_ns(const struct tv_index *index, const struct tv_index_thread *thread,
                               const struct tv_thread_range *range, enum tv_clock clock)
{
    uint64_t end = thread->last[clock];
    if (clock == TV_CLOCK_WALL && thread->open_depth && index->info->has_common_axis)
        end = index->info->axis_len > end ? index->info->axis_len : end;
    uint64_t from_ns = thread->first[clock] * index->info->unit_ns;
    uint64_t to_ns = end * index->info->unit_ns;
    if (range->from_ns[clock] > from_ns)
        from_ns = range->from_ns[clock];
    if (range->to_ns[clock] < to_ns)
        to_ns = range->to_ns[clock];
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* What the threads did outside of all calls. */
static void fill_toplevel(struct tv_report *report, const struct tv_sums *sums)
{
    struct tv_report_row *row = &report->rows[report->row_count - 1];
    const struct tv_index *index = report->index;
    uint32_t thread_count = tv_selection_thread_count(&sums->selection, index);
    for (uint32_t i = 0; i < thread_count; i++) {
        uint32_t thread_ix = tv_selection_thread(&sums->selection, i);
        const struct tv_index_thread *thread = &index->threads[thread_ix];
        struct tv_thread_range range = tv_thread_range_of(index, thread_ix, &sums->selection);
        for (unsigned clock = 0; thread->records && clock < TV_CLOCK_COUNT; clock++) {
            if (index->info->has_clock[clock])
                row->inclusive_ns[clock] +=
                    thread_span_ns(index, thread, &range, (enum tv_clock)clock);
        }
    }
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t inside_ns = sums->total_ns[clock] - sums->hidden_ns[clock];
        if (row->inclusive_ns[clock] < inside_ns)
            row->inclusive_ns[clock] = inside_ns;
        row->exclusive_ns[clock] = row->inclusive_ns[clock] - inside_ns;
        row->outermost_exclusive_ns[clock] = row->exclusive_ns[clock];
        report->total_ns[clock] = row->inclusive_ns[clock];
    }
}

/* Adds the calls of an edge to its callee's row. */
static void add_to_row(struct tv_report_row *row, const struct tv_edge *edge)
{
    const struct tv_numbers *numbers = &edge->numbers;
    *(edge->is_callee_recursive ? &row->recursive_calls : &row->calls) += numbers->calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        row->exclusive_ns[clock] += numbers->exclusive_ns[clock];
        if (edge->is_callee_recursive)
            continue;
        row->inclusive_ns[clock] += numbers->inclusive_ns[clock];
        row->outermost_exclusive_ns[clock] += numbers->exclusive_ns[clock];
    }
}

static void fill_rows(struct tv_report *report, const struct tv_sums *sums,
                      const struct tv_edges *edges)
{
    for (size_t i = 0; i < edges->count; i++)
        add_to_row(&report->rows[edges->of[i].callee], &edges->of[i]);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        report->total_ns[clock] = sums->total_ns[clock];
    if (report->opts.has_toplevel)
        fill_toplevel(report, sums);
}

/* dmtracedump's order of names: class, name, signature, bytewise; equal ones stand by id. */
static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report_row *row_a = &((const struct tv_report_row *)ctx)[a];
    const struct tv_report_row *row_b = &((const struct tv_report_row *)ctx)[b];
    int order = tv_str_compare(row_a->method->class_name, row_b->method->class_name);
    if (!order)
        order = tv_str_compare(row_a->method->name, row_b->method->name);
    if (!order)
        order = tv_str_compare(row_a->method->signature, row_b->method->signature);
    return order ? order : (row_a->id > row_b->id) - (row_a->id < row_b->id);
}

/* The longer time first. */
static int compare_times(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_name_places(const struct tv_report *report, uint32_t a, uint32_t b)
{
    uint32_t place_a = report->rows[a].name_place;
    uint32_t place_b = report->rows[b].name_place;
    return (place_a > place_b) - (place_a < place_b);
}

static int compare_exclusive(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report *report = ctx;
    enum tv_clock clock = report->opts.clock;
    int order =
        compare_times(report->rows[a].exclusive_ns[clock], report->rows[b].exclusive_ns[clock]);
    return order ? order : compare_name_places(report, a, b);
}

static int compare_inclusive(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_report *report = ctx;
    enum tv_clock clock = report->opts.clock;
    int order =
        compare_times(report->rows[a].inclusive_ns[clock], report->rows[b].inclusive_ns[clock]);
    return order ? order : compare_name_places(report, a, b);
}

/* Lists all rows, sorted. */
static enum tv_code list_rows(const struct tv_report *report, uint32_t *rows, tv_compare compare,
                              const void *ctx, struct tv_error *err)
{
    for (uint32_t i = 0; i < report->row_count; i++)
        rows[i] = i;
    return tv_sort(report->alloc, rows, report->row_count, compare, ctx, err);
}

/* Names are ordered first: their order breaks ties in both other orders, so that two rows with the
 * same time do not depend on the order of the index. */
static enum tv_code order_rows(struct tv_report *report, struct tv_error *err)
{
    uint32_t count = report->row_count;
    TV_TRY(tv_alloc_new(report->alloc, &report->by_exclusive, count, sizeof(uint32_t), err));
    TV_TRY(tv_alloc_new(report->alloc, &report->by_inclusive, count, sizeof(uint32_t), err));
    TV_TRY(list_rows(report, report->by_inclusive, compare_names, report->rows, err));
    for (uint32_t i = 0; i < count; i++)
        report->rows[report->by_inclusive[i]].name_place = i;
    TV_TRY(list_rows(report, report->by_exclusive, compare_exclusive, report, err));
    TV_TRY(list_rows(report, report->by_inclusive, compare_inclusive, report, err));
    for (uint32_t i = 0; i < count; i++)
        report->rows[report->by_inclusive[i]].rank = i;
    return TV_OK;
}

struct relative_ordering {
    const struct tv_report *report;
    const struct tv_report_relative *relatives;
};

/* Brings relatives of one kind of the same two rows together. */
static int compare_pairs(const void *ctx, uint32_t a, uint32_t b)
{
    const struct relative_ordering *ordering = ctx;
    const struct tv_report_relative *left = &ordering->relatives[a];
    const struct tv_report_relative *right = &ordering->relatives[b];
    int order = (left->of > right->of) - (left->of < right->of);
    if (!order)
        order = left->is_recursive - right->is_recursive;
    return order ? order : (left->other > right->other) - (left->other < right->other);
}

/* By method, then the recursive part apart, then longest first. */
static int compare_relatives(const void *ctx, uint32_t a, uint32_t b)
{
    const struct relative_ordering *ordering = ctx;
    const struct tv_report_relative *left = &ordering->relatives[a];
    const struct tv_report_relative *right = &ordering->relatives[b];
    enum tv_clock clock = ordering->report->opts.clock;
    int order = (left->of > right->of) - (left->of < right->of);
    if (!order)
        order = left->is_recursive - right->is_recursive;
    if (!order)
        order = compare_times(left->inclusive_ns[clock], right->inclusive_ns[clock]);
    return order ? order : compare_name_places(ordering->report, left->other, right->other);
}

static bool are_one(const struct tv_report_relative *a, const struct tv_report_relative *b)
{
    return a->of == b->of && a->other == b->other && a->is_recursive == b->is_recursive;
}

/* Adds up relatives of the same two rows, which stand next to each other. */
static void join_relatives(struct tv_report_relatives *relatives)
{
    size_t kept = 0;
    for (size_t i = 0; i < relatives->count; i++) {
        const struct tv_report_relative *next = &relatives->of[i];
        struct tv_report_relative *last = kept ? &relatives->of[kept - 1] : NULL;
        if (!last || !are_one(last, next)) {
            relatives->of[kept++] = *next;
            continue;
        }
        last->calls += next->calls;
        for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
            last->inclusive_ns[clock] += next->inclusive_ns[clock];
    }
    relatives->count = kept;
}

static enum tv_code sort_relatives(const struct tv_report *report,
                                   struct tv_report_relatives *relatives, tv_compare compare,
                                   struct tv_error *err)
{
    const struct relative_ordering ordering = {report, relatives->of};
    return tv_sort_rows(report->alloc, relatives->of, relatives->count, sizeof(*relatives->of),
                        compare, &ordering, err);
}

/* Sets where the relatives of each row begin. */
static void find_relatives(const struct tv_report *report, struct tv_report_relatives *relatives)
{
    size_t at = 0;
    for (uint32_t row = 0; row <= report->row_count; row++) {
        while (at < relatives->count && relatives->of[at].of < row)
            at++;
        relatives->first[row] = at;
    }
}

/* Lists the callers, or the callees, of all rows. A root call's caller is "(toplevel)". */
static enum tv_code list_relatives(struct tv_report *report, const struct tv_edges *edges,
                                   struct tv_report_relatives *relatives, struct tv_error *err)
{
    bool are_callers = relatives == &report->callers;
    TV_TRY(tv_alloc_new(report->alloc, &relatives->first, (size_t)report->row_count + 1,
                        sizeof(*relatives->first), err));
    TV_TRY(tv_alloc_grow(report->alloc, &relatives->of, &relatives->cap, edges->count,
                         sizeof(*relatives->of), err));
    for (size_t i = 0; i < edges->count; i++) {
        const struct tv_edge *edge = &edges->of[i];
        uint32_t caller = edge->caller == TV_NONE ? report->index->method_count : edge->caller;
        if (caller >= report->row_count)
            continue;
        struct tv_report_relative *relative = &relatives->of[relatives->count++];
        *relative = (struct tv_report_relative){
            .of = are_callers ? edge->callee : caller,
            .other = are_callers ? caller : edge->callee,
            .is_recursive = are_callers ? edge->is_callee_recursive : edge->is_caller_recursive,
            .calls = edge->numbers.calls,
        };
        memcpy(relative->inclusive_ns, edge->numbers.inclusive_ns, sizeof(relative->inclusive_ns));
    }
    TV_TRY(sort_relatives(report, relatives, compare_pairs, err));
    join_relatives(relatives);
    TV_TRY(sort_relatives(report, relatives, compare_relatives, err));
    find_relatives(report, relatives);
    return TV_OK;
}

/* How methods are grouped. */
struct grouping {
    const struct tv_report *report;
    struct tv_report_groups *groups;
};

/* What the methods of a group share. Where a method has no class or no name, it is the other. */
static struct tv_str group_name(const struct grouping *grouping, uint32_t row)
{
    const struct tv_export_method *method = grouping->report->rows[row].method;
    bool is_by_name = grouping->groups == &grouping->report->names;
    if (!method->class_name.len || !method->name.len)
        return method->name.len ? method->name : method->class_name;
    return is_by_name ? method->name : method->class_name;
}

static int compare_members(const void *ctx, uint32_t a, uint32_t b)
{
    const struct grouping *grouping = ctx;
    int order = tv_str_compare(group_name(grouping, a), group_name(grouping, b));
    return order ? order : compare_exclusive(grouping->report, a, b);
}

/* Groups of equal time stand as in dmtracedump: by the class of their longest method, then by its
 * id. */
static int compare_groups(const void *ctx, uint32_t a, uint32_t b)
{
    const struct grouping *grouping = ctx;
    const struct tv_report_group *left = &grouping->groups->of[a];
    const struct tv_report_group *right = &grouping->groups->of[b];
    enum tv_clock clock = grouping->report->opts.clock;
    int order = compare_times(left->exclusive_ns[clock], right->exclusive_ns[clock]);
    const struct tv_report_row *row_a =
        &grouping->report->rows[grouping->groups->members[left->first]];
    const struct tv_report_row *row_b =
        &grouping->report->rows[grouping->groups->members[right->first]];
    if (!order)
        order = tv_str_compare(row_a->method->class_name, row_b->method->class_name);
    return order ? order : (row_a->id > row_b->id) - (row_a->id < row_b->id);
}

static void add_to_group(struct tv_report_group *group, const struct tv_report_row *row)
{
    group->count++;
    group->calls += row->calls;
    group->recursive_calls += row->recursive_calls;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        group->exclusive_ns[clock] += row->exclusive_ns[clock];
}

/* Members are sorted by the name of their group, so the members of a group are neighbours, and a
 * group is a first member and a count. */
static enum tv_code make_groups(struct tv_report *report, struct tv_report_groups *groups,
                                struct tv_error *err)
{
    const struct grouping grouping = {report, groups};
    uint32_t count = report->index->method_count;
    TV_TRY(tv_alloc_new(report->alloc, &groups->members, report->row_count, sizeof(uint32_t), err));
    for (uint32_t i = 0; i < count; i++)
        groups->members[i] = i;
    TV_TRY(tv_sort(report->alloc, groups->members, count, compare_members, &grouping, err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = groups->members[i];
        struct tv_str name = group_name(&grouping, row);
        if (!i || !tv_str_equal(name, groups->of[groups->count - 1].name)) {
            TV_TRY(tv_alloc_grow(report->alloc, &groups->of, &groups->cap, groups->count + 1,
                                 sizeof(*groups->of), err));
            groups->of[groups->count++] = (struct tv_report_group){.name = name, .first = i};
        }
        add_to_group(&groups->of[groups->count - 1], &report->rows[row]);
    }
    return tv_sort_rows(report->alloc, groups->of, groups->count, sizeof(*groups->of),
                        compare_groups, &grouping, err);
}

/* Rows first, then the orders, since relatives and groups point at rows and are sorted by their
 * places. */
static enum tv_code make_from_edges(struct tv_report *report, const struct tv_sums *sums,
                                    const struct tv_export_names *names,
                                    const struct tv_edges *edges, struct tv_error *err)
{
    uint32_t count = report->index->method_count + report->opts.has_toplevel;
    TV_TRY(tv_alloc_new(report->alloc, &report->rows, count, sizeof(*report->rows), err));
    report->row_count = count;
    name_rows(report, names);
    fill_rows(report, sums, edges);
    TV_TRY(order_rows(report, err));
    TV_TRY(list_relatives(report, edges, &report->callers, err));
    TV_TRY(list_relatives(report, edges, &report->callees, err));
    TV_TRY(make_groups(report, &report->classes, err));
    return make_groups(report, &report->names, err);
}

/* The edges are needed only while the report is made, and can be large: they are gone before it is
 * written. */
enum tv_code tv_report_make(struct tv_report *report, const struct tv_sums *sums,
                            const struct tv_export_names *names, const struct tv_report_opts *opts,
                            struct tv_error *err)
{
    struct tv_edges edges;
    tv_report_release(report);
    report->index = sums->index;
    report->opts = *opts;
    tv_edges_init(&edges, report->alloc);
    enum tv_code code = tv_edges_compute(&edges, sums, err);
    if (code == TV_OK)
        code = make_from_edges(report, sums, names, &edges, err);
    tv_edges_release(&edges);
    if (code != TV_OK)
        tv_report_release(report);
    return code;
}
