/*
 * One call as JSON; see api/routes/write_call.h. Times in the index count the trace's own units,
 * times in answers are nanoseconds: unit_ns turns one into the other.
 */
#include "api/routes/write_call.h"

/* Writes when the call began and ended on the time axis, and how long it lasted on each clock. Wait
 * is wall time less CPU time, and may be negative where the clocks disagree. */
static void write_spans(struct tv_answer_writer *writer, struct tv_call_ref ref)
{
    const struct tv_index *index = writer->index;
    const struct tv_index_thread *thread = &index->threads[ref.thread_ix];
    uint64_t unit_ns = index->info->unit_ns;
    enum tv_clock axis = tv_index_axis(index);
    uint64_t start_ns = tv_index_start(index, thread, axis, ref.call) * unit_ns;
    uint64_t times[TV_CLOCK_COUNT];
    tv_call_durations(index, ref, times);
    tv_json_key_u64(&writer->json, "start_ns", start_ns);
    tv_json_key_u64(&writer->json, "end_ns", start_ns + times[axis]);
    tv_write_time_members(writer, times);
    tv_write_unrecorded(writer, tv_call_unrecorded(index, ref) * unit_ns);
    if (tv_index_has_wait(index))
        tv_json_key_i64(&writer->json, "wait_ns",
                        (int64_t)(times[TV_CLOCK_WALL] - times[TV_CLOCK_CPU]));
}

/* Where packages are hidden, exclusive time and waiting are those of the shown call, which has the
 * time of hidden calls inside it; a call that is itself hidden is told as in the whole trace. */
void tv_write_call(struct tv_answer_writer *writer, struct tv_call_ref ref,
                   const struct tv_lean *lean)
{
    const struct tv_index *index = writer->index;
    struct tv_json *json = &writer->json;
    uint64_t exclusive[TV_CLOCK_COUNT];
    struct tv_call_ref place = lean ? tv_lean_find(lean, ref) : TV_NO_CALL;
    bool is_placed = tv_call_is(place);
    const struct tv_index *own = is_placed ? &lean->index : index;
    if (!is_placed)
        place = ref;
    tv_call_exclusive(own, place, exclusive);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++)
        exclusive[clock] *= index->info->unit_ns;
    tv_json_key_u64(json, "thread", index->threads[ref.thread_ix].id);
    tv_json_key_u64(json, "depth", ref.depth);
    tv_json_key_u64(json, "call", tv_call_ordinal_in_row(index, ref));
    write_spans(writer, ref);
    tv_write_times(writer, "exclusive", exclusive);
    tv_json_key_truth(json, "open_at_end", tv_call_is_open_at_end(index, ref));
    tv_json_key_truth(json, "adopted", tv_call_is_adopted(index, ref));
    tv_json_key_truth(json, "waiting", tv_call_is_waiting(own, place));
    tv_json_key_truth(json, "recursive",
                      index->node_flags[index->call_node[ref.call]] & TV_NODE_RECURSIVE);
}
