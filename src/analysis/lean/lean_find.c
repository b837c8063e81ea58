/*
 * Finds a call of the whole index in a lean one; see analysis/lean/lean.h.
 *
 * The node of the call tells the level on which the lean index has the call. A search by time then
 * finds the calls of that level that start at the same moment; the one with the same node and the
 * same origin is the call that is sought.
 */
#include "analysis/lean/lean.h"

/* Where the lean index has no origins it is a view of the whole one, and the call stands where it
 * stood. */
struct tv_call_ref tv_lean_find(const struct tv_lean *lean, struct tv_call_ref ref)
{
    const struct tv_index *index = &lean->index;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    enum tv_clock axis = tv_index_axis(index);
    uint32_t node = lean->whole->call_node[ref.call];
    uint32_t level = lean->levels[node];
    if (level == TV_NONE)
        return TV_NO_CALL;
    if (!lean->origins)
        return ref;
    uint32_t ordinal = (uint32_t)tv_call_ordinal_in_row(lean->whole, ref);
    uint32_t row_ix = thread->row_first + level;
    uint64_t end = index->rows[row_ix].call_first + index->rows[row_ix].call_count;
    uint64_t start =
        tv_index_start(lean->whole, &lean->whole->threads[ref.thread_ix], axis, ref.call);
    uint64_t call = tv_index_first_starting_at(index, ref.thread_ix, row_ix, start);
    for (; call < end && tv_index_start(index, thread, axis, call) == start; call++) {
        if (index->call_node[call] == node && lean->origins[call] == ordinal)
            return (struct tv_call_ref){ref.thread_ix, level, call};
    }
    return TV_NO_CALL;
}
