/*
 * The longest call of each row; see analysis/question/detail_question.h.
 *
 * Each node of the sums has a mark that says to which part, to which step of the path, and to which
 * wait its calls belong. One scan of the calls of the methods that have a row looks up the mark of
 * each call's node and keeps the longest call of each row.
 */
#include "analysis/calls/method_scan.h"
#include "analysis/question/detail_making.h"
#include "analysis/selection/call_set.h"
#include "base/error.h"

/* The wait of one call's own code. */
static uint64_t call_wait(const struct tv_index *index, struct tv_call_ref ref)
{
    uint64_t exclusive[TV_CLOCK_COUNT];
    struct tv_numbers numbers = {.calls = 1};
    tv_call_exclusive(index, ref, exclusive);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        numbers.inclusive_ns[clock] = numbers.exclusive_ns[clock] =
            exclusive[clock] * index->info->unit_ns;
    return tv_wait_of(&numbers).exclusive_ns;
}

static void keep_longest(struct tv_detail_row *row, struct tv_call_ref ref, uint64_t ns)
{
    if (ns <= row->longest_ns)
        return;
    row->longest = ref;
    row->longest_ns = ns;
}

/* Whether a run comes later, in the order of runs, than a call that an outermost call at root_depth
 * made. */
static bool is_behind(const struct tv_call_run *run, struct tv_call_ref ref, uint32_t root_depth)
{
    if (run->thread_ix != ref.thread_ix)
        return run->thread_ix > ref.thread_ix;
    if (run->root_depth != root_depth)
        return run->root_depth > root_depth;
    if (run->depth != ref.depth)
        return run->depth > ref.depth;
    return run->first > ref.call;
}

/* Whether an outermost call of the set at that depth made the call, or is it. */
static bool is_made_at(const struct tv_call_set *set, struct tv_call_ref ref, uint32_t root_depth)
{
    size_t first = 0;
    size_t end = set->run_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (is_behind(&set->runs[middle], ref, root_depth))
            end = middle;
        else
            first = middle + 1;
    }
    if (!end)
        return false;
    const struct tv_call_run *run = &set->runs[end - 1];
    return run->thread_ix == ref.thread_ix && run->root_depth == root_depth &&
           run->depth == ref.depth && ref.call - run->first < run->len;
}

/* The node of the sums that a call is of, or TV_NONE. A node of the index may be several, which
 * stand side by side: one for each depth of the outermost calls (selection/sums_runs.c). */
static uint32_t node_of(const struct tv_detail_making *making, struct tv_call_ref ref)
{
    const struct tv_sums *sums = &making->sums;
    const uint32_t of_index = making->index->call_node[ref.call];
    if (!sums->index_node)
        return of_index;
    uint32_t node = making->first_of[of_index];
    while (node != TV_NONE && node + 1 < sums->node_count &&
           sums->index_node[node + 1] == of_index &&
           !is_made_at(sums->selection.set, ref, making->root_depth[node]))
        node++;
    return node;
}

struct seeing {
    struct tv_detail_making *making;
    const uint8_t *wait_of_slot; /* per slot of the scan: 1 + the row of the waits, or 0 */
};

/* Waits are compared by their inclusive wait first, because the wait of the call alone must be
 * computed from its callees. */
static void see_call(void *ctx, const struct tv_method_scan_row *row, uint32_t slot, uint64_t call)
{
    const struct seeing *seeing = ctx;
    const struct tv_index *index = seeing->making->index;
    struct tv_detail *detail = seeing->making->detail;
    const uint32_t depth = row->row_ix - row->thread->row_first;
    const struct tv_call_ref ref = {row->thread_ix, depth, call};
    if (!tv_call_set_has(seeing->making->sums.selection.set, index->call_node[call], call))
        return;
    const uint32_t node = node_of(seeing->making, ref);
    if (node == TV_NONE)
        return;
    const struct tv_detail_mark *mark = &seeing->making->marks[node];
    const uint8_t wait = mark->is_below ? seeing->wait_of_slot[slot] : 0;
    if (!mark->part && !mark->step && !wait)
        return;
    struct tv_numbers numbers = {.calls = 1};
    tv_call_durations(index, ref, numbers.inclusive_ns);
    uint64_t ns = tv_detail_time(seeing->making, &numbers);
    if (mark->part)
        keep_longest(&detail->parts.of[mark->part - 1], ref, ns);
    if (mark->step)
        keep_longest(&detail->path.of[mark->step - 1], ref, ns);
    if (wait && tv_wait_of(&numbers).inclusive_ns > detail->waits.of[wait - 1].longest_ns)
        keep_longest(&detail->waits.of[wait - 1], ref, call_wait(index, ref));
}

/* The methods of the rows, each once. */
struct wanted {
    uint32_t methods[TV_DETAIL_PARTS + TV_DETAIL_PATH + TV_DETAIL_WAITS];
    uint8_t wait_of_slot[TV_DETAIL_PARTS + TV_DETAIL_PATH + TV_DETAIL_WAITS];
    size_t count;
};

/* The slot of a method in the scan. It is made where the method is wanted first, so that a method
 * that stands in two rows is scanned once. */
static size_t want(struct wanted *wanted, uint32_t method_ix)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->methods[i] == method_ix)
            return i;
    }
    wanted->methods[wanted->count] = method_ix;
    wanted->wait_of_slot[wanted->count] = 0;
    return wanted->count++;
}

/* For a single call, only what lies inside it may be found, so the selection gets its edges. */
enum tv_code tv_detail_find_longest(struct tv_detail_making *making)
{
    const struct tv_detail *detail = making->detail;
    struct tv_selection selection = making->sums.selection;
    struct tv_thread_range edges;
    struct tv_method_scan scan;
    struct wanted wanted = {.count = 0};
    for (size_t i = 0; i < detail->parts.count; i++)
        (void)want(&wanted, detail->parts.of[i].method_ix);
    for (size_t i = 0; i < detail->path.count; i++)
        (void)want(&wanted, detail->path.of[i].method_ix);
    for (size_t i = 0; i < detail->waits.count; i++)
        wanted.wait_of_slot[want(&wanted, detail->waits.of[i].method_ix)] = (uint8_t)(i + 1);
    if (making->question->subject == TV_DETAIL_CALL) {
        edges = tv_call_range(making->index, making->question->call.thread_ix,
                              making->question->call.call);
        selection.edges = &edges;
    }
    struct seeing seeing = {making, wanted.wait_of_slot};
    tv_method_scan_init(&scan, making->alloc);
    TV_TRY(tv_method_scan_prepare(&scan, making->index, wanted.methods, wanted.count, making->err));
    tv_method_scan_run(&scan, &selection, see_call, &seeing);
    tv_method_scan_release(&scan);
    return TV_OK;
}
