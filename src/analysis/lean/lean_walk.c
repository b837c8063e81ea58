/*
 * A walk over a thread's calls, into a lean index; see analysis/lean/lean_walk.h.
 *
 * The walk knows for each open call which shown call is innermost. A shown call is copied to the
 * next place of its level; a hidden one is not, and marks the shown call around it as having
 * omitted calls. Segments are made anew, since the time of a hidden call belongs to the shown call
 * around it.
 */
#include "analysis/lean/lean_walk.h"

#include "base/error.h"
#include "base/memory/pool.h"
#include "index/segment_groups.h"

/* A walk under way. */
struct walking {
    const struct tv_lean_walk *walk;
    const struct tv_index *whole;
    const struct tv_index_thread *thread; /* of the whole */
    const struct tv_index_thread *lean_thread;
    enum tv_clock axis;
    uint32_t depth; /* number of open calls */
    /* The innermost shown call, from `since` on: units, axis clock. */
    uint64_t shown; /* UINT64_MAX: none */
    uint32_t level;
    uint64_t since;
    /* The group that is filled. */
    struct tv_index_segment_group *group;
    struct tv_index_segment_group *group_end;
    unsigned held; /* segments in it */
};

static uint64_t start_of(const struct walking *w, uint64_t call)
{
    return tv_index_start(w->whole, w->thread, w->axis, call);
}

/* --- segment groups --- */

static void begin_group(struct walking *w)
{
    *w->group = (struct tv_index_segment_group){.start = w->since,
                                                .first_call = w->shown,
                                                .first_depth = w->level,
                                                .longest_call = UINT64_MAX,
                                                .longest_depth = TV_NONE};
}

/* Ends the segment of the innermost shown call: another one is innermost from `time` on. */
static void end_segment(struct walking *w, uint64_t time, uint64_t shown, uint32_t level)
{
    if (w->group < w->group_end) {
        uint64_t len = time - w->since;
        if (!w->held)
            begin_group(w);
        if (w->shown != UINT64_MAX &&
            (w->group->longest_depth == TV_NONE || len > w->group->longest_len)) {
            w->group->longest_start = w->since;
            w->group->longest_len = len;
            w->group->longest_call = w->shown;
            w->group->longest_depth = w->level;
        }
        if (++w->held == TV_SEGMENT_GROUP_LEN) {
            w->group++;
            w->held = 0;
        }
    }
    w->shown = shown;
    w->level = level;
    w->since = time;
}

/* --- columns --- */

static void store_time(const struct walking *w, unsigned column, uint64_t call, uint64_t value)
{
    uint8_t *at = w->walk->columns->times + w->lean_thread->time_off[column];
    uint64_t i = call - w->lean_thread->call_first;
    if (w->lean_thread->is_wide)
        ((uint64_t *)(void *)at)[i] = value;
    else
        ((uint32_t *)(void *)at)[i] = (uint32_t)value;
}

static void store_call(const struct walking *w, uint64_t call, uint64_t lean_call, uint32_t row_ix)
{
    const struct tv_index *whole = w->whole;
    const struct tv_lean *lean = w->walk->lean;
    w->walk->columns->call_node[lean_call] = whole->call_node[call];
    lean->origins[lean_call] = (uint32_t)(call - whole->rows[row_ix].call_first);
    lean->has_omitted[lean_call] = 0;
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (!whole->info->has_clock[clock])
            continue;
        store_time(w, 2 * clock, lean_call, tv_index_time(whole, w->thread, 2 * clock, call));
        store_time(w, 2 * clock + 1, lean_call,
                   tv_index_duration(whole, w->thread, (enum tv_clock)clock, call));
    }
}

/* --- the walk --- */

static void enter(struct walking *w)
{
    struct tv_lean_open *open = &w->walk->open[w->depth];
    uint64_t call = open->next++;
    uint32_t node = w->whole->call_node[call];
    uint32_t level = w->walk->nodes->levels[node];
    uint64_t start = start_of(w, call);
    open->end = start + tv_index_duration(w->whole, w->thread, w->axis, call);
    open->shown = w->shown;
    open->level = w->level;
    if (level == TV_NONE) {
        if (w->shown != UINT64_MAX)
            w->walk->lean->has_omitted[w->shown] = 1;
    } else {
        /* The level has as many calls as its nodes have together. */
        open->shown = w->walk->nexts[level]++;
        open->level = level;
        store_call(w, call, open->shown, w->thread->row_first + w->depth);
        end_segment(w, start, open->shown, level);
    }
    w->depth++;
}

static void leave(struct walking *w)
{
    const struct tv_lean_open *open = &w->walk->open[--w->depth];
    uint64_t outer = w->depth ? open[-1].shown : UINT64_MAX;
    uint32_t outer_level = w->depth ? open[-1].level : TV_NONE;
    if (outer != open->shown)
        end_segment(w, open->end, outer, outer_level);
}

/* Whether the next call of the row below the innermost call is made by it: one that starts at the
 * moment at which the innermost ends may be of length zero, and told by its node alone. */
static bool is_next_inside(const struct walking *w, uint64_t next)
{
    const struct tv_lean_open *open = &w->walk->open[w->depth - 1];
    uint64_t start = start_of(w, next);
    if (start != open->end)
        return start < open->end;
    const uint32_t *call_node = w->whole->call_node;
    return !tv_index_duration(w->whole, w->thread, w->axis, next) &&
           w->whole->node_parent[call_node[next]] == call_node[open->next - 1];
}

/* Whether the walk can enter a call next. */
static bool has_next(const struct walking *w, const struct tv_index_row *rows)
{
    if (w->depth >= w->thread->max_depth)
        return false;
    const struct tv_index_row *row = &rows[w->depth];
    uint64_t next = w->walk->open[w->depth].next;
    return next < row->call_first + row->call_count && (!w->depth || is_next_inside(w, next));
}

/* Levels above the segment groups come last, because they are made of all groups of the thread. */
void tv_lean_walk_run(const struct tv_lean_walk *walk)
{
    const struct tv_index *whole = walk->lean->whole;
    const struct tv_index_row *rows = whole->rows + whole->threads[walk->thread_ix].row_first;
    struct walking w = {.walk = walk,
                        .whole = whole,
                        .thread = &whole->threads[walk->thread_ix],
                        .lean_thread = &walk->columns->threads[walk->thread_ix],
                        .axis = tv_index_axis(whole),
                        .shown = UINT64_MAX,
                        .level = TV_NONE};
    struct tv_index_segment_group *groups = walk->columns->groups + w.lean_thread->group_first;
    w.since = w.thread->first[w.axis];
    w.group = groups;
    w.group_end = groups + w.lean_thread->group_count;
    for (uint32_t depth = 0; depth < w.thread->max_depth; depth++)
        walk->open[depth].next = rows[depth].call_first;
    for (uint64_t step = 0;; step++) {
        if (step % TV_WANTED_STEPS == 0 && tv_is_unwanted(walk->is_unwanted))
            return;
        if (has_next(&w, rows))
            enter(&w);
        else if (w.depth)
            leave(&w);
        else
            break;
    }
    tv_segment_groups_add_levels(groups, w.lean_thread->group_count);
}
