/*
 * The first reading of a trace that is written; see format/write/write_driver.h.
 *
 * It lists the threads in the order of their first record, finds calls that only end (their enters
 * must be written first where exits name no method), and follows the wall clocks, so that each
 * thread's multiple of 2^32 is known before its first record is written. docs/numbers.md, "Calls"
 * and "Clocks".
 */
#include "base/alloc.h"
#include "base/error.h"
#include "format/write/write_driver.h"

static enum tv_code add_adopter(struct tv_write_driver *driver, struct tv_write_thread *thread,
                                uint32_t key, struct tv_error *err)
{
    size_t count = driver->adopter_count;
    if (count >= UINT32_MAX - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more than %u calls that only end",
                       UINT32_MAX - 1);
    TV_TRY(tv_alloc_grow(driver->writer.trace.alloc, &driver->adopters, &driver->adopter_cap,
                         count + 1, sizeof(*driver->adopters), err));
    driver->adopters[count] = (struct tv_write_adopter){.key = key, .inside = thread->adopters};
    thread->adopters = (uint32_t)count + 1;
    driver->adopter_count++;
    return TV_OK;
}

/* Follows a thread's clocks as far as it is needed: placing its first time needs the wall clock,
 * and where 32 bits are written, the text before the records says which clocks fell. */
static void survey_times(struct tv_write_driver *driver, size_t i, uint32_t thread_ix,
                         uint32_t last_ix)
{
    struct tv_write_thread *threads = driver->writer.threads;
    struct tv_write_thread *thread = &threads[thread_ix];
    struct tv_write_clock *wall = &thread->times.clock[TV_CLOCK_WALL];
    if (!wall->has_begun && last_ix != TV_MAP_NONE) {
        thread->before = last_ix + 1;
        thread->before_wall = threads[last_ix].times.clock[TV_CLOCK_WALL].high;
    }
    const bool is_told_first = tv_write_times_narrow(&driver->times);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (clock != TV_CLOCK_WALL && !is_told_first)
            continue;
        struct tv_write_clock *of = &thread->times.clock[clock];
        tv_write_clock_take(of, &driver->times, (enum tv_clock)clock, driver->batch.time[clock][i]);
        if (driver->writer.has_clock[clock] && of->now < of->high)
            thread->falls[clock] = true;
    }
}

/* Threads stand in the order of their first record, so the one before is placed already. */
static void place_threads(struct tv_write_driver *driver)
{
    struct tv_writer *writer = &driver->writer;
    for (size_t i = 0; i < writer->thread_count; i++) {
        struct tv_write_thread *thread = &writer->threads[i];
        int64_t before = -1;
        if (thread->before)
            before =
                thread->before_wall + (int64_t)writer->threads[thread->before - 1].times.multiple;
        tv_write_times_place(&driver->times, &thread->times, before);
    }
    for (size_t i = 0; i < writer->thread_count; i++) {
        struct tv_write_thread *thread = &writer->threads[i];
        thread->stack = (struct tv_open_stack){.top = 0};
        thread->times = (struct tv_write_thread_times){.multiple = thread->times.multiple};
    }
}

static enum tv_code survey_call(struct tv_write_driver *driver, uint32_t thread_ix,
                                uint32_t key_action, struct tv_error *err)
{
    struct tv_write_thread *thread = &driver->writer.threads[thread_ix];
    uint32_t key = key_action & ~TV_WIRE_ACTION_MASK;
    enum tv_action action = tv_write_action(key_action);
    if (action == TV_ACTION_RESERVED)
        return TV_OK;
    if (action == TV_ACTION_ENTER)
        return tv_open_calls_enter(&driver->calls, thread_ix, &thread->stack, key, err);
    if (!thread->stack.top)
        return driver->writer.family->has_bare_exits ? add_adopter(driver, thread, key, err)
                                                     : TV_OK;
    (void)tv_open_calls_leave(&driver->calls, thread_ix, &thread->stack, key);
    return TV_OK;
}

/* Runs of one thread are common, so a thread is looked up where it changes. */
static enum tv_code survey_batch(struct tv_write_driver *driver, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    const struct tv_batch *batch = &driver->batch;
    uint32_t thread_ix = driver->last_ix;
    for (size_t i = 0; i < batch->count; i++) {
        if (tv_write_is_empty(batch, i)) {
            writer->result.changes[TV_WRITE_EMPTY_LEFT_OUT]++;
            continue;
        }
        bool is_left_out = tv_call_filter_has(writer->left_out, driver->record + i);
        uint32_t last_ix = thread_ix;
        bool is_reserved = tv_write_action(batch->key_action[i]) == TV_ACTION_RESERVED;
        writer->result.changes[TV_WRITE_RESERVED_LEFT_OUT] += is_reserved;
        writer->result.records += !is_reserved && !is_left_out;
        if (thread_ix == TV_MAP_NONE || batch->thread_id[i] != writer->threads[thread_ix].id)
            TV_TRY(tv_writer_find_thread(writer, batch->thread_id[i], &thread_ix, err));
        survey_times(driver, i, thread_ix, last_ix);
        if (tv_write_follows_calls(driver) && !is_left_out)
            TV_TRY(survey_call(driver, thread_ix, batch->key_action[i], err));
    }
    driver->last_ix = thread_ix;
    driver->record += batch->count;
    return TV_OK;
}

static enum tv_code survey_threads(struct tv_writer *writer, struct tv_error *err)
{
    const struct tv_trace *trace = &writer->trace;
    size_t with_records = writer->thread_count;
    writer->result.changes[TV_WRITE_PROCESSES_LEFT_OUT] = trace->process_count;
    for (size_t i = 0; i < with_records; i++) {
        bool is_listed = tv_map_get(&trace->thread_of_id, writer->threads[i].id) != TV_MAP_NONE;
        writer->result.changes[TV_WRITE_THREADS_LISTED] += !is_listed;
    }
    for (size_t i = 0; i < trace->thread_count; i++) {
        uint32_t ignored;
        TV_TRY(tv_writer_find_thread(writer, tv_trace_id_in_records(trace, i), &ignored, err));
    }
    return tv_writer_number_threads(writer, with_records, err);
}

/* The exits that the second reading will add: num-method-calls stands before the records. */
static void count_closed(struct tv_write_driver *driver)
{
    struct tv_writer *writer = &driver->writer;
    uint64_t count = 0;
    for (size_t i = 0; driver->closes_calls && i < writer->thread_count; i++)
        count += writer->threads[i].stack.depth;
    writer->result.changes[TV_WRITE_CALLS_CLOSED] = count;
    writer->result.records += count;
}

enum tv_code tv_write_survey(struct tv_write_driver *driver, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    do {
        TV_TRY(tv_trace_next(&writer->trace, &driver->batch, err));
        TV_TRY(survey_batch(driver, err));
    } while (driver->batch.count);
    TV_TRY(tv_writer_number_methods(writer, err));
    TV_TRY(survey_threads(writer, err));
    count_closed(driver);
    place_threads(driver);
    tv_open_calls_release(&driver->calls);
    return TV_OK;
}
