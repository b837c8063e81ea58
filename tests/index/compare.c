/* An index against the slow reading of its records, and its look-ups against walking; see model.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/memory/map.h"
#include "index/mipmap.h"
#include "index/model.h"
#include "support/random_trace.h"

struct comparison {
    const struct tv_index *index;
    const struct model *model;
    uint64_t *place; /* of each of the model's calls: its ordinal in the index */
};

static void *take_room(size_t count, size_t elem_len)
{
    void *room = NULL;
    if (tv_alloc_new(tv_alloc_libc(), &room, count + 1, elem_len, NULL) != TV_OK)
        fail_msg("no memory");
    return room;
}

static void release_room(void *room, size_t count, size_t elem_len)
{
    tv_alloc_release(tv_alloc_libc(), &room, count + 1, elem_len);
}

static void expect_call(const struct comparison *c, const struct model_call *call, uint64_t ordinal)
{
    const struct tv_index *index = c->index;
    const struct tv_index_thread *thread = thread_of(index, c->model->threads[call->thread].id);
    const struct tv_index_method *method =
        &index->methods[index->node_method[index->call_node[ordinal]]];
    expect_number("method of a call", method->id, call->method);
    for (unsigned i = 0; i < TV_CLOCK_COUNT; i++) {
        enum tv_clock clock = (enum tv_clock)i;
        if (!c->model->facts.has_clock[clock])
            continue;
        expect_number("start of a call", tv_index_start(index, thread, clock, ordinal),
                      call->start[clock]);
        expect_number("duration of a call", tv_index_duration(index, thread, clock, ordinal),
                      call->end[clock] - call->start[clock]);
    }
}

/* A row holds the call that began before the trace, then the others as they began. */
static void expect_row(const struct comparison *c, uint32_t thread_ix, uint32_t depth)
{
    const struct tv_index_thread *thread = thread_of(c->index, c->model->threads[thread_ix].id);
    const struct tv_index_row *row = &c->index->rows[thread->row_first + depth];
    uint64_t ordinal = row->call_first;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < c->model->call_count; i++) {
            const struct model_call *call = &c->model->calls[i];
            if (call->thread != thread_ix || call->depth != depth || call->began_before == pass)
                continue;
            if (ordinal >= row->call_first + row->call_count)
                fail_msg("row %u of thread %u has only %llu calls", depth, thread->id,
                         (unsigned long long)row->call_count);
            expect_call(c, call, ordinal);
            c->place[i] = ordinal++;
        }
    }
    expect_number("calls of a row", row->call_count, ordinal - row->call_first);
}

static void expect_thread(const struct comparison *c, uint32_t thread_ix)
{
    const struct model_thread *model = &c->model->threads[thread_ix];
    const struct tv_index_thread *thread = thread_of(c->index, model->id);
    uint32_t calls = 0;
    uint32_t rows = 0;
    uint32_t open = 0;
    uint32_t adopted = 0;
    for (uint32_t i = 0; i < c->model->call_count; i++) {
        const struct model_call *call = &c->model->calls[i];
        if (call->thread != thread_ix)
            continue;
        calls++;
        rows = call->depth + 1 > rows ? call->depth + 1 : rows;
        open += call->is_open;
        adopted += call->began_before;
    }
    expect_number("records of a thread", thread->records, model->records);
    expect_number("calls of a thread", thread->calls, calls);
    expect_number("rows of a thread", thread->max_depth, rows);
    expect_number("open calls", thread->open_depth, open);
    expect_number("calls from before the trace", thread->adopted_depth, adopted);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t multiple = clock == TV_CLOCK_WALL ? model->multiple : 0;
        expect_number("first", thread->first[clock], (uint64_t)model->first[clock] + multiple);
        expect_number("last", thread->last[clock], (uint64_t)model->high[clock] + multiple);
    }
    for (uint32_t depth = 0; depth < rows; depth++)
        expect_row(c, thread_ix, depth);
}

static uint32_t node_of(const struct comparison *c, uint32_t call)
{
    return c->index->call_node[c->place[call]];
}

static bool is_recursive(const struct model *model, uint32_t call)
{
    uint32_t above = model->calls[call].parent;
    while (above != TV_NONE && model->calls[above].method != model->calls[call].method)
        above = model->calls[above].parent;
    return above != TV_NONE;
}

/* A node is made by its first call; its number is that of the order of first calls. */
static void expect_node_of(const struct comparison *c, uint32_t call, uint32_t *known)
{
    const struct tv_index *index = c->index;
    const struct model_call *of = &c->model->calls[call];
    const struct tv_index_thread *thread = thread_of(index, c->model->threads[of->thread].id);
    uint32_t node = node_of(c, call);
    uint32_t parent = of->parent == TV_NONE ? TV_NONE : node_of(c, of->parent);
    if (node >= thread->node_first + *known) {
        expect_number("number of a new node", node, thread->node_first + *known);
        ++*known;
    }
    expect_number("node of the caller", index->node_parent[node], parent);
    expect_number("depth of a node", index->node_depth[node], of->depth);
    expect_number("recursion", index->node_flags[node] & TV_NODE_RECURSIVE,
                  is_recursive(c->model, call));
    if (parent != TV_NONE && parent >= node)
        fail_msg("node %u stands below its child %u", parent, node);
}

static void expect_nodes_of_thread(const struct comparison *c, uint32_t thread_ix)
{
    uint32_t known = 0;
    for (uint32_t i = c->model->call_count; i-- > 0;) {
        const struct model_call *call = &c->model->calls[i];
        if (call->thread == thread_ix && call->began_before) /* the last adopted the others */
            expect_node_of(c, i, &known);
    }
    for (uint32_t i = 0; i < c->model->call_count; i++) {
        const struct model_call *call = &c->model->calls[i];
        if (call->thread == thread_ix && !call->began_before)
            expect_node_of(c, i, &known);
    }
    const struct tv_index_thread *thread = thread_of(c->index, c->model->threads[thread_ix].id);
    expect_number("nodes of a thread", thread->node_count, known);
}

/* Two nodes below one caller are of two methods. */
static void expect_distinct_paths(const struct tv_index *index)
{
    struct tv_map seen;
    tv_map_init(&seen, tv_alloc_libc());
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t node = thread->node_first; node < thread->node_first + thread->node_count;
             node++) {
            uint32_t parent = index->node_parent[node];
            uint64_t above = parent == TV_NONE ? 0xffffffffu - i : parent;
            uint64_t path = above << 32 | index->node_method[node];
            assert_int_equal(tv_map_get(&seen, path), TV_MAP_NONE);
            assert_int_equal(tv_map_put(&seen, path, node, NULL), TV_OK);
        }
    }
    tv_map_release(&seen);
}

/* Times of all calls added up to their nodes, and to their methods. */
struct sums {
    uint64_t calls, recursive_calls, inclusive, exclusive;
};

static uint64_t duration(const struct model_call *call, unsigned clock)
{
    return call->end[clock] - call->start[clock];
}

static void add_call(struct sums *sums, const struct model *model, uint32_t call, unsigned clock)
{
    bool is_inner = is_recursive(model, call);
    sums->calls += !is_inner;
    sums->recursive_calls += is_inner;
    sums->inclusive += is_inner ? 0 : duration(&model->calls[call], clock);
    sums->exclusive += duration(&model->calls[call], clock);
}

static void expect_node_times(const struct comparison *c, unsigned clock)
{
    const struct tv_index *index = c->index;
    struct sums *of_node = take_room(index->node_count, sizeof(*of_node));
    for (uint32_t i = 0; i < c->model->call_count; i++) {
        const struct model_call *call = &c->model->calls[i];
        struct sums *sums = &of_node[node_of(c, i)];
        sums->calls++;
        sums->inclusive += duration(call, clock);
        sums->exclusive += duration(call, clock);
        if (call->parent != TV_NONE)
            of_node[node_of(c, call->parent)].exclusive -= duration(call, clock);
    }
    for (uint32_t i = 0; i < index->node_count; i++) {
        expect_number("calls of a node", tv_index_node_calls(index, i), of_node[i].calls);
        expect_number("node inclusive", tv_index_node_inclusive(index, clock, i),
                      of_node[i].inclusive);
        expect_number("node exclusive", tv_index_node_exclusive(index, clock, i),
                      of_node[i].exclusive);
    }
    release_room(of_node, index->node_count, sizeof(*of_node));
}

static void expect_method_times(const struct comparison *c, unsigned clock)
{
    const struct tv_index *index = c->index;
    struct sums *of_method = take_room(index->method_count, sizeof(*of_method));
    for (uint32_t i = 0; i < c->model->call_count; i++) {
        const struct model_call *call = &c->model->calls[i];
        add_call(&of_method[index->node_method[node_of(c, i)]], c->model, i, clock);
        if (call->parent != TV_NONE)
            of_method[index->node_method[node_of(c, call->parent)]].exclusive -=
                duration(call, clock);
    }
    for (uint32_t i = 0; i < index->method_count; i++) {
        const struct tv_index_method *method = &index->methods[i];
        expect_number("calls of a method", method->calls, of_method[i].calls);
        expect_number("recursive calls", method->recursive_calls, of_method[i].recursive_calls);
        expect_number("inclusive", method->inclusive[clock], of_method[i].inclusive);
        expect_number("exclusive", method->exclusive[clock], of_method[i].exclusive);
    }
    release_room(of_method, index->method_count, sizeof(*of_method));
}

static void expect_totals(const struct comparison *c, unsigned clock)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < c->model->thread_count; i++) {
        uint64_t of_thread = 0;
        for (uint32_t k = 0; k < c->model->call_count; k++) {
            const struct model_call *call = &c->model->calls[k];
            if (call->thread == i && call->parent == TV_NONE)
                of_thread += duration(call, clock);
        }
        const struct tv_index_thread *thread = thread_of(c->index, c->model->threads[i].id);
        expect_number("root calls of a thread", thread->root_total[clock], of_thread);
        total += of_thread;
    }
    expect_number("all root calls", c->index->info->total[clock], total);
}

/* A method's name as it is shown, for ties of rank. */
static void shown_name(const struct tv_index *index, const struct tv_index_method *method,
                       char *room, size_t room_len)
{
    (void)snprintf(
        room, room_len, "%.*s%s%.*s%s%.*s", (int)method->class_len, index->text + method->class_off,
        method->name_len ? "." : "", (int)method->name_len, index->text + method->name_off,
        method->name_len && method->signature_len ? " " : "",
        method->name_len ? (int)method->signature_len : 0, index->text + method->signature_off);
}

static void expect_ranks(const struct tv_index *index)
{
    enum tv_clock clock = tv_index_default_clock(index);
    for (uint32_t rank = 0; rank < index->method_count; rank++) {
        const struct tv_index_method *b = &index->methods[index->method_of_rank[rank]];
        expect_number("rank", b->rank, rank);
        expect_number("has calls", b->calls + b->recursive_calls > 0,
                      rank < index->info->ranked_count);
        if (!rank || rank == index->info->ranked_count)
            continue;
        const struct tv_index_method *a = &index->methods[index->method_of_rank[rank - 1]];
        char a_name[200];
        char b_name[200];
        shown_name(index, a, a_name, sizeof(a_name));
        shown_name(index, b, b_name, sizeof(b_name));
        int order = strcmp(a_name, b_name);
        bool is_tie = a->inclusive[clock] == b->inclusive[clock];
        if (a->inclusive[clock] < b->inclusive[clock] ||
            (is_tie && (order > 0 || (order == 0 && a->id >= b->id))))
            fail_msg("%s (%llu) stands before %s (%llu)", a_name,
                     (unsigned long long)a->inclusive[clock], b_name,
                     (unsigned long long)b->inclusive[clock]);
    }
}

static void expect_same_group(const struct tv_index_segment_group *found,
                              const struct tv_index_segment_group *group)
{
    expect_number("start of a segment group", found->start, group->start);
    expect_number("first call of a segment group", found->first_call, group->first_call);
    expect_number("first depth of a segment group", found->first_depth, group->first_depth);
    expect_number("longest segment", found->longest_len, group->longest_len);
    if (!group->longest_len)
        return; /* where all are 0, any will do */
    expect_number("start of the longest", found->longest_start, group->longest_start);
    expect_number("call of the longest", found->longest_call, group->longest_call);
    expect_number("depth of the longest", found->longest_depth, group->longest_depth);
}

/* The next `most` segments of a thread from *at on, as one segment group; false when there are
 * none. */
static bool group_segments(const struct comparison *c, uint32_t thread_ix, uint32_t *at,
                           uint64_t most, struct tv_index_segment_group *group)
{
    uint64_t count = 0;
    for (; *at < c->model->segment_count && count < most; ++*at) {
        const struct model_segment *segment = &c->model->segments[*at];
        if (segment->thread != thread_ix)
            continue;
        bool has_call = segment->call != TV_NONE;
        uint64_t call = has_call ? c->place[segment->call] : UINT64_MAX;
        uint32_t depth = has_call ? c->model->calls[segment->call].depth : TV_NONE;
        if (!count++)
            *group = (struct tv_index_segment_group){.start = segment->start,
                                                     .first_call = call,
                                                     .first_depth = depth,
                                                     .longest_call = UINT64_MAX,
                                                     .longest_depth = TV_NONE};
        if (!has_call || segment->len <= group->longest_len)
            continue;
        group->longest_start = segment->start;
        group->longest_len = segment->len;
        group->longest_call = call;
        group->longest_depth = depth;
    }
    return count;
}

static void expect_groups(const struct comparison *c, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = thread_of(c->index, c->model->threads[thread_ix].id);
    uint64_t at = thread->group_first;
    uint32_t mipmap = 0;
    uint64_t count = 2;
    for (uint64_t len = TV_SEGMENT_GROUP_LEN; count > 1; len *= TV_SEGMENT_GROUP_FANOUT) {
        struct tv_index_segment_group group = {.start = 0};
        uint32_t segment = 0;
        count = 0;
        for (; group_segments(c, thread_ix, &segment, len, &group); count++) {
            assert_true(at < c->index->segment_group_count);
            expect_same_group(&c->index->segment_groups[at++], &group);
        }
        if (!mipmap)
            expect_number("segment groups of a thread", thread->group_count, count);
        mipmap += count > 0;
    }
    expect_number("levels of segment groups", thread->group_level_count, mipmap);
}

static void expect_sampled(const struct tv_index *index, const struct model *m)
{
    uint64_t others = m->gaps - m->gaps_zero;
    uint64_t percentile = (others + 99) / 100; /* the nearest rank, from 1 */
    bool is_sampled = !m->has_unwind && m->gaps && 2 * m->gaps_zero >= m->gaps && others &&
                      m->gaps_small < percentile;
    /* Where wall times are suspect, the model has not counted what decides. */
    if (!index->info->findings.of[TV_FINDING_UNIT_SUSPECT].count)
        expect_number("sampled", index->info->is_sampled, is_sampled);
}

static void expect_findings(const struct tv_index *index, const struct model *model)
{
    static const enum tv_finding_kind kinds[] = {
        TV_FINDING_UNKNOWN_THREAD,     TV_FINDING_CLOCK_WRAPPED,     TV_FINDING_CLOCK_BACKWARDS,
        TV_FINDING_UNKNOWN_METHOD,     TV_FINDING_EXIT_NOT_ON_STACK, TV_FINDING_EXIT_CLOSED_OTHERS,
        TV_FINDING_EXIT_WITHOUT_ENTER, TV_FINDING_OPEN_AT_END,       TV_FINDING_RESERVED_ACTION,
        TV_FINDING_THREAD_ZERO,        TV_FINDING_EMPTY_RECORD,      TV_FINDING_CPU_CLOCK_BACKWARDS,
    };
    for (size_t i = 0; i < TV_COUNT_OF(kinds); i++)
        expect_finding(index, kinds[i], model->findings.of[kinds[i]].count,
                       model->findings.of[kinds[i]].offset);
}

void expect_as_model(const struct tv_index *index, const struct model *model)
{
    struct comparison c = {.index = index, .model = model};
    c.place = take_room(model->call_count, sizeof(*c.place));
    expect_number("records", index->info->records, model->records);
    expect_number("calls", index->info->calls, model->call_count);
    expect_number("calls", index->call_count, model->call_count);
    for (uint32_t i = 0; i < model->thread_count; i++)
        expect_thread(&c, i);
    for (uint32_t i = 0; i < model->thread_count; i++) {
        expect_nodes_of_thread(&c, i);
        expect_groups(&c, i);
    }
    expect_distinct_paths(index);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!model->facts.has_clock[clock])
            continue;
        expect_node_times(&c, clock);
        expect_method_times(&c, clock);
        expect_totals(&c, clock);
    }
    expect_ranks(index);
    expect_sampled(index, model);
    expect_findings(index, model);
    release_room(c.place, model->call_count, sizeof(*c.place));
}

/* Whole-trace ordinals of a row. */
struct span {
    uint32_t thread_ix, row_ix;
    uint64_t from, to;
};

static uint64_t start_of(const struct tv_index *index, struct span row, uint64_t call)
{
    return tv_index_start(index, &index->threads[row.thread_ix], tv_index_axis(index), call);
}

static uint64_t length_of(const struct tv_index *index, struct span row, uint64_t call)
{
    return tv_index_duration(index, &index->threads[row.thread_ix], tv_index_axis(index), call);
}

static void expect_sorted(const struct tv_index *index, struct span row)
{
    for (uint64_t call = row.from + 1; call < row.to; call++) {
        uint64_t end = start_of(index, row, call - 1) + length_of(index, row, call - 1);
        if (end > start_of(index, row, call))
            fail_msg("call %llu ends at %llu, the next starts at %llu",
                     (unsigned long long)(call - 1), (unsigned long long)end,
                     (unsigned long long)start_of(index, row, call));
    }
}

uint64_t longest_call(const struct tv_mipmap *mipmap, uint64_t from, uint64_t to)
{
    struct tv_longest_call longest = tv_mipmap_longest(mipmap, from, to);
    while (tv_mipmap_narrow(mipmap, &longest))
        continue;
    return longest.call;
}

static void expect_longest(const struct tv_index *index, struct span row, uint64_t *seed)
{
    uint64_t count = row.to - row.from;
    uint64_t from = row.from + random_next(seed) % count;
    uint64_t to = from + 1 + random_next(seed) % (row.to - from);
    uint64_t best = from;
    for (uint64_t call = from; call < to; call++) {
        if (length_of(index, row, call) > length_of(index, row, best))
            best = call;
    }
    const struct tv_mipmap mipmap = tv_mipmap_of(index, row.thread_ix, row.row_ix);
    expect_number("longest call", longest_call(&mipmap, from, to), best);
}

static void expect_searches(const struct tv_index *index, struct span row, uint64_t time)
{
    uint64_t ending = row.from;
    while (ending < row.to && start_of(index, row, ending) + length_of(index, row, ending) <= time)
        ending++;
    uint64_t starting = row.from;
    while (starting < row.to && start_of(index, row, starting) < time)
        starting++;
    expect_number("first ending after",
                  tv_index_first_ending_after(index, row.thread_ix, row.row_ix, time), ending);
    expect_number("first starting at",
                  tv_index_first_starting_at(index, row.thread_ix, row.row_ix, time), starting);
    /* The same from each place that is twice as far before it as the last one. */
    const struct tv_mipmap mipmap = tv_mipmap_of(index, row.thread_ix, row.row_ix);
    for (uint64_t back = 1; back <= starting - row.from; back *= 2)
        expect_number("skipped to", tv_mipmap_skip_to(&mipmap, starting - back, time), starting);
}

static void expect_row_lookups(const struct tv_index *index, struct span row, uint64_t *seed)
{
    expect_sorted(index, row);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t call = row.from + random_next(seed) % (row.to - row.from);
        uint64_t around = start_of(index, row, call) + (i & 1 ? length_of(index, row, call) : 0);
        expect_longest(index, row, seed);
        expect_searches(index, row, around + i / 3 - (around > 0));
    }
    expect_searches(index, row, 0);
    expect_searches(index, row, UINT64_MAX);
}

void expect_lookups(const struct tv_index *index, uint64_t seed)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        const struct tv_index_thread *thread = &index->threads[i];
        for (uint32_t k = 0; k < thread->max_depth; k++) {
            const struct tv_index_row *row = &index->rows[thread->row_first + k];
            struct span span = {i, thread->row_first + k, row->call_first,
                                row->call_first + row->call_count};
            expect_row_lookups(index, span, &seed);
        }
    }
}
