/*
 * Look-ups in an index that are too long to be inline; see index/index.h.
 *
 * The long calls of a thread on one clock ascend by ordinal, and so do starts and ends along a row,
 * so every look-up of a time or of a call is a binary search. Searches by time use the mipmap of
 * the row, which needs fewer lines of memory.
 */
#include "index/index.h"

#include "base/alloc.h"
#include "base/memory/search.h"
#include "index/mipmap.h"

/* Place in long_calls of the thread's first long call at or behind `call`. */
static uint64_t find_long(const struct tv_index *index, const struct tv_index_thread *thread,
                          enum tv_clock clock, uint64_t call)
{
    uint64_t first = thread->long_first[clock];
    return first + tv_search_from(TV_ASCENDING_FIELD(index->long_calls + first,
                                                     (size_t)thread->long_count[clock],
                                                     struct tv_index_long_call, call),
                                  call);
}

uint64_t tv_index_long_duration(const struct tv_index *index, const struct tv_index_thread *thread,
                                enum tv_clock clock, uint64_t call)
{
    uint64_t place = find_long(index, thread, clock, call);
    bool is_listed = place < thread->long_first[clock] + thread->long_count[clock] &&
                     index->long_calls[place].call == call;
    return is_listed ? index->long_calls[place].duration : TV_LONG_DURATION;
}

struct tv_index_long_calls tv_index_long_calls_of(const struct tv_index *index,
                                                  const struct tv_index_thread *thread,
                                                  enum tv_clock clock, uint64_t first, uint64_t end)
{
    uint64_t from = find_long(index, thread, clock, first);
    uint64_t to = find_long(index, thread, clock, end);
    return (struct tv_index_long_calls){.at = index->long_calls + from, .count = to - from};
}

uint64_t tv_index_first_starting_at(const struct tv_index *index, uint32_t thread_ix,
                                    uint32_t row_ix, uint64_t time)
{
    const struct tv_mipmap mipmap = tv_mipmap_of(index, thread_ix, row_ix);
    return tv_mipmap_search(&mipmap, time);
}

uint64_t tv_index_first_ending_after(const struct tv_index *index, uint32_t thread_ix,
                                     uint32_t row_ix, uint64_t time)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    const struct tv_index_row *row = &index->rows[row_ix];
    uint64_t end = row->call_first + row->call_count;
    if (time == UINT64_MAX)
        return end;
    uint64_t call = tv_index_first_starting_at(index, thread_ix, row_ix, time + 1);
    if (call == row->call_first)
        return call;
    /* Calls of a row do not overlap, so of those that start at or before `time` only the last can
     * end after it. */
    enum tv_clock axis = tv_index_axis(index);
    uint64_t last_end = tv_index_start(index, thread, axis, call - 1) +
                        tv_index_duration(index, thread, axis, call - 1);
    return last_end > time ? call - 1 : call;
}

struct tv_str tv_index_property_of(const struct tv_index *index, struct tv_str key)
{
    for (uint32_t i = 0; i < index->info->property_count; i++) {
        const struct tv_index_property *property = &index->properties[i];
        if (tv_str_equal(tv_index_text(index, property->key_off, property->key_len), key))
            return tv_index_text(index, property->value_off, property->value_len);
    }
    return (struct tv_str){NULL, 0};
}

uint32_t tv_index_thread_of_id(const struct tv_index *index, uint32_t id)
{
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (index->threads[i].id == id)
            return i;
    }
    return TV_NONE;
}

uint32_t tv_index_method_of_id(const struct tv_index *index, uint64_t id)
{
    for (uint32_t i = 0; i < index->method_count; i++) {
        if (index->methods[i].id == id)
            return i;
    }
    return TV_NONE;
}

struct tv_str tv_index_thread_name(const struct tv_index *index, uint32_t thread_ix)
{
    const struct tv_index_thread *thread = &index->threads[thread_ix];
    return tv_index_text(index, thread->name_off, thread->name_len);
}

struct tv_str tv_index_process_name(const struct tv_index *index, uint32_t process_ix)
{
    const struct tv_index_process *process = &index->processes[process_ix];
    return tv_index_text(index, process->name_off, process->name_len);
}
