/*
 * Messages, frames and phases; see analysis/lanes/lanes.h.
 *
 * Each method gets its rule, each node of a main thread then learns whether its calls are items: a
 * message inside a message is none, and a part counts only inside a frame. Rows with such nodes are
 * scanned twice: once for the items, and, when frames are sorted by start, once for the parts,
 * which are added to the frame that contains them.
 */
#include "analysis/lanes/lanes.h"

#include "analysis/selection/names.h"
#include "base/memory/sort.h"

/* A node whose calls are no items. */
#define NO_RULE UINT8_MAX

/* The search. Nodes and rows are those of one thread at a time. */
struct lane_search {
    struct tv_lanes *lanes;
    const struct tv_index *index;
    enum tv_clock axis;
    uint8_t *method_rule; /* per method: the place of its rule, or NO_RULE */
    uint8_t *node_rule;   /* per node of the trace: that of its method where it is outermost */
    uint8_t *node_inside; /* per node of the trace: a bit per lane, that it is inside of */
    uint8_t *has_items;   /* per row of the trace */
    struct tv_error *err;
};

void tv_lanes_init(struct tv_lanes *lanes, const struct tv_alloc *alloc)
{
    *lanes = (struct tv_lanes){.alloc = alloc};
}

void tv_lanes_release(struct tv_lanes *lanes)
{
    for (size_t i = 0; i < TV_LANE_COUNT; i++)
        tv_alloc_release(lanes->alloc, &lanes->lanes[i].of, lanes->lanes[i].cap,
                         sizeof(*lanes->lanes[i].of));
    tv_lanes_init(lanes, lanes->alloc);
}

uint64_t tv_frame_rest_ns(const struct tv_lane_item *frame)
{
    uint64_t rest = frame->len_ns;
    for (size_t i = 0; i < TV_FRAME_PARTS; i++)
        rest -= frame->part_ns[i] < rest ? frame->part_ns[i] : rest;
    return rest;
}

uint64_t tv_lanes_startup_ns(const struct tv_lanes *lanes)
{
    const struct tv_lane_items *phases = &lanes->lanes[TV_LANE_PHASE];
    const struct tv_lane_item *first = NULL;
    for (size_t i = 0; i < phases->count; i++) {
        const struct tv_lane_item *phase = &phases->of[i];
        if (!first || first->call.thread_ix != phase->call.thread_ix)
            first = phase;
        if (tv_str_equal(tv_str_from(phase->label), TV_STR(TV_FIRST_FRAME_LABEL)))
            return phase->start_ns + phase->len_ns - first->start_ns;
    }
    return 0;
}

/* Gives each method its rule; false: no method has one. */
static bool mark_methods(struct lane_search *search)
{
    const struct tv_index *index = search->index;
    bool is_any = false;
    for (uint32_t i = 0; i < index->method_count; i++) {
        size_t rule = tv_lane_rule_find(tv_method_class(index, i), tv_method_name(index, i));
        search->method_rule[i] = rule < tv_lane_rule_count ? (uint8_t)rule : NO_RULE;
        is_any = is_any || rule < tv_lane_rule_count;
    }
    return is_any;
}

/* Whether a thread has the lanes of an app: it is called "main", or has its process's number. */
static bool is_main(const struct tv_index *index, const struct tv_index_thread *thread)
{
    struct tv_str name = tv_index_text(index, thread->name_off, thread->name_len);
    return tv_str_equal(name, TV_STR("main")) ||
           (index->info->has_pid && thread->id == index->info->pid);
}

/* Finds the nodes of a thread whose calls are items: parents have lower ordinals, so one pass knows
 * of each node what it is inside of. Parts count in frames alone, and phases may nest. */
static void mark_nodes(struct lane_search *search, const struct tv_index_thread *thread)
{
    const struct tv_index *index = search->index;
    for (uint32_t i = 0; i < thread->node_count; i++) {
        uint32_t node = thread->node_first + i;
        uint32_t parent = index->node_parent[node];
        uint8_t rule = search->method_rule[index->node_method[node]];
        uint8_t inside = parent == TV_NONE ? 0 : search->node_inside[parent];
        search->node_rule[node] = NO_RULE;
        if (rule != NO_RULE) {
            enum tv_lane lane = tv_lane_rules[rule].lane;
            bool is_item = lane == TV_LANE_PHASE ? !(index->node_flags[node] & TV_NODE_RECURSIVE)
                                                 : !(inside & 1u << lane);
            if (lane == TV_LANE_FRAME_PART && !(inside & 1u << TV_LANE_FRAME))
                is_item = false;
            if (is_item) {
                search->node_rule[node] = rule;
                search->has_items[thread->row_first + index->node_depth[node]] = 1;
                inside |= (uint8_t)(1u << lane);
            }
        }
        search->node_inside[node] = inside;
    }
}

/* What a message did: its longest callee, below methods that every message passes. */
static uint32_t message_method(const struct lane_search *search, struct tv_call_ref at)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[at.thread_ix];
    while (tv_lane_is_passed(tv_method_class(index, tv_call_method(index, at)))) {
        struct tv_call_ref longest = TV_NO_CALL;
        uint64_t most = 0;
        for (struct tv_call_ref callee = tv_call_first_callee(index, at); tv_call_is(callee);
             callee = tv_call_sibling(index, callee, TV_FORWARD)) {
            uint64_t len = tv_index_duration(index, thread, search->axis, callee.call);
            if (!tv_call_is(longest) || len > most) {
                most = len;
                longest = callee;
            }
        }
        if (!tv_call_is(longest))
            break;
        at = longest;
    }
    return tv_call_method(index, at);
}

static enum tv_code add_item(struct lane_search *search, enum tv_lane lane,
                             const struct tv_lane_item *item)
{
    struct tv_lane_items *items = &search->lanes->lanes[lane];
    TV_TRY(tv_alloc_grow(search->lanes->alloc, &items->of, &items->cap, items->count + 1,
                         sizeof(*items->of), search->err));
    items->of[items->count++] = *item;
    return TV_OK;
}

static enum tv_code take_call(struct lane_search *search, uint8_t rule_ix, struct tv_call_ref call)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[call.thread_ix];
    const struct tv_lane_rule *rule = &tv_lane_rules[rule_ix];
    uint64_t unit_ns = index->info->unit_ns;
    struct tv_lane_item item = {
        .call = call,
        .start_ns = tv_index_start(index, thread, search->axis, call.call) * unit_ns,
        .len_ns = tv_index_duration(index, thread, search->axis, call.call) * unit_ns,
        .method = rule->lane == TV_LANE_MESSAGE ? message_method(search, call)
                                                : tv_call_method(index, call),
        .label = rule->label};
    return add_item(search, rule->lane, &item);
}

/* How many frames begin before a time, or then; those of earlier threads count too. */
static size_t frames_until(const struct tv_lane_items *frames, uint32_t thread_ix, uint64_t time_ns)
{
    size_t low = 0;
    size_t high = frames->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tv_lane_item *frame = &frames->of[middle];
        if (frame->call.thread_ix < thread_ix ||
            (frame->call.thread_ix == thread_ix && frame->start_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a part to the frame that it is in, which is the last that began before it. */
static void take_part(struct lane_search *search, uint8_t rule_ix, struct tv_call_ref call)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[call.thread_ix];
    struct tv_lane_items *frames = &search->lanes->lanes[TV_LANE_FRAME];
    uint64_t start = tv_index_start(index, thread, search->axis, call.call);
    uint64_t len = tv_index_duration(index, thread, search->axis, call.call);
    size_t until = frames_until(frames, call.thread_ix, start * index->info->unit_ns);
    if (until && frames->of[until - 1].call.thread_ix == call.thread_ix)
        frames->of[until - 1].part_ns[tv_lane_rules[rule_ix].part] += len * index->info->unit_ns;
}

enum pass { TAKE_ITEMS, TAKE_PARTS };

/* Goes through the rows of a thread that have items. Parts need all frames, so they come after. */
static enum tv_code scan_rows(struct lane_search *search, uint32_t thread_ix, enum pass pass)
{
    const struct tv_index *index = search->index;
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    for (uint32_t depth = 0; depth < thread->max_depth; depth++) {
        const struct tv_index_row *row = &index->rows[thread->row_first + depth];
        if (!search->has_items[thread->row_first + depth])
            continue;
        for (uint64_t i = 0; i < row->call_count; i++) {
            uint64_t call = row->call_first + i;
            uint8_t rule = search->node_rule[index->call_node[call]];
            if (rule == NO_RULE)
                continue;
            bool is_part = tv_lane_rules[rule].lane == TV_LANE_FRAME_PART;
            struct tv_call_ref ref = {thread_ix, depth, call};
            if (is_part && pass == TAKE_PARTS)
                take_part(search, rule, ref);
            else if (!is_part && pass == TAKE_ITEMS)
                TV_TRY(take_call(search, rule, ref));
        }
    }
    return TV_OK;
}

static int by_start(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_lane_item *of = ctx;
    if (of[a].call.thread_ix != of[b].call.thread_ix)
        return of[a].call.thread_ix < of[b].call.thread_ix ? -1 : 1;
    if (of[a].start_ns != of[b].start_ns)
        return of[a].start_ns < of[b].start_ns ? -1 : 1;
    return of[a].call.depth < of[b].call.depth ? -1 : of[a].call.depth > of[b].call.depth;
}

static int longest_first(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_lane_item *of = ctx;
    if (of[a].len_ns != of[b].len_ns)
        return of[a].len_ns > of[b].len_ns ? -1 : 1;
    if (of[a].start_ns != of[b].start_ns)
        return of[a].start_ns < of[b].start_ns ? -1 : 1;
    return a < b ? -1 : 1;
}

static enum tv_code sort_items(struct tv_lanes *lanes, enum tv_lane lane, tv_compare compare,
                               struct tv_error *err)
{
    struct tv_lane_items *items = &lanes->lanes[lane];
    return tv_sort_rows(lanes->alloc, items->of, items->count, sizeof(*items->of), compare,
                        items->of, err);
}

enum tv_code tv_lanes_sort_longest(struct tv_lanes *lanes, enum tv_lane lane, struct tv_error *err)
{
    return sort_items(lanes, lane, longest_first, err);
}

/* Adds the frame that follows a phase which leads to it; once for each thread, after the first such
 * phase. Phases stand by thread and start. A frame that begins at the moment in which the phase
 * ends follows it, too, unless the phase has no length: it may then be inside that frame. */
static enum tv_code add_first_frames(struct lane_search *search)
{
    const struct tv_lane_items *frames = &search->lanes->lanes[TV_LANE_FRAME];
    const struct tv_lane_items *phases = &search->lanes->lanes[TV_LANE_PHASE];
    size_t phase_count = phases->count;
    uint32_t done_thread = TV_NONE;
    for (size_t i = 0; i < phase_count; i++) {
        const struct tv_lane_item *phase = &phases->of[i];
        uint32_t thread_ix = phase->call.thread_ix;
        uint8_t rule = search->node_rule[search->index->call_node[phase->call.call]];
        if (tv_lane_rules[rule].end != TV_LANE_THEN_FIRST_FRAME || thread_ix == done_thread)
            continue;
        done_thread = thread_ix;
        const uint64_t before_ns = phase->len_ns ? phase->len_ns - 1 : 0;
        size_t next = frames_until(frames, thread_ix, phase->start_ns + before_ns);
        if (next == frames->count || frames->of[next].call.thread_ix != thread_ix)
            continue;
        struct tv_lane_item frame = frames->of[next];
        frame.label = TV_FIRST_FRAME_LABEL;
        TV_TRY(add_item(search, TV_LANE_PHASE, &frame));
    }
    return TV_OK;
}

/* Keeps the longest items of a lane. */
static enum tv_code keep_longest(struct tv_lanes *lanes, enum tv_lane lane, size_t most,
                                 struct tv_error *err)
{
    struct tv_lane_items *items = &lanes->lanes[lane];
    if (items->count > most) {
        TV_TRY(tv_lanes_sort_longest(lanes, lane, err));
        items->left_out = items->count - most;
        items->count = most;
    }
    return sort_items(lanes, lane, by_start, err);
}

/* Parts come in a second scan because a frame is found by a search among all frames in the order of
 * their start. */
static enum tv_code find(struct lane_search *search, size_t most)
{
    const struct tv_index *index = search->index;
    if (!mark_methods(search))
        return TV_OK;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (!is_main(index, &index->threads[i]))
            continue;
        mark_nodes(search, &index->threads[i]);
        TV_TRY(scan_rows(search, i, TAKE_ITEMS));
    }
    for (unsigned lane = 0; lane < TV_LANE_COUNT; lane++)
        TV_TRY(sort_items(search->lanes, (enum tv_lane)lane, by_start, search->err));
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (is_main(index, &index->threads[i]))
            TV_TRY(scan_rows(search, i, TAKE_PARTS));
    }
    TV_TRY(add_first_frames(search));
    for (unsigned lane = 0; lane < TV_LANE_COUNT; lane++)
        TV_TRY(keep_longest(search->lanes, (enum tv_lane)lane, most, search->err));
    return TV_OK;
}

enum tv_code tv_lanes_find(struct tv_lanes *lanes, const struct tv_index *index, size_t most,
                           struct tv_error *err)
{
    const struct tv_alloc *alloc = lanes->alloc;
    struct lane_search search = {
        .lanes = lanes, .index = index, .axis = tv_index_axis(index), .err = err};
    enum tv_code code = tv_alloc_new(alloc, &search.method_rule, index->method_count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &search.node_rule, index->node_count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &search.node_inside, index->node_count, 1, err);
    if (code == TV_OK)
        code = tv_alloc_new(alloc, &search.has_items, index->row_count, 1, err);
    if (code == TV_OK)
        code = find(&search, most);
    tv_alloc_release(alloc, &search.has_items, index->row_count, 1);
    tv_alloc_release(alloc, &search.node_inside, index->node_count, 1);
    tv_alloc_release(alloc, &search.node_rule, index->node_count, 1);
    tv_alloc_release(alloc, &search.method_rule, index->method_count, 1);
    return code;
}
