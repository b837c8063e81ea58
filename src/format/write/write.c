/*
 * The driver of writing: reads the trace once to learn which ids it has and which calls begin or
 * end outside of it, and once to write it.
 *
 * A version may say less of a call than the trace: an exit of layout E names no method, and version
 * 1 does not say when the others stopped. There the driver writes the records that make the calls
 * what every view of the trace shows, by the rules of docs/numbers.md ("Calls"), and counts them.
 */
#include "format/write/write.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/cut_threads.h"
#include "format/last_seen.h"
#include "format/write/write_driver.h"

#define TV_WRITE_CHANGE(kind, severity, text) [TV_WRITE_##kind] = text,
static const char *const texts[] = {TV_WRITE_CHANGES(TV_WRITE_CHANGE)};
#undef TV_WRITE_CHANGE
#define TV_WRITE_CHANGE(kind, severity, text) [TV_WRITE_##kind] = TV_SEVERITY_##severity,
static const enum tv_severity severities[] = {TV_WRITE_CHANGES(TV_WRITE_CHANGE)};
#undef TV_WRITE_CHANGE

const char *tv_write_change_text(enum tv_write_change change)
{
    return texts[change];
}

enum tv_severity tv_write_change_severity(enum tv_write_change change)
{
    return severities[change];
}

/* Chooses the clocks of the output: those wanted that the trace has and the version can hold. */
static enum tv_code choose_clocks(struct tv_writer *writer, enum tv_write_clocks wanted,
                                  struct tv_error *err)
{
    bool has[TV_CLOCK_COUNT] = {
        [TV_CLOCK_WALL] = writer->trace.has_clock[TV_CLOCK_WALL] && wanted != TV_WRITE_CLOCKS_CPU,
        [TV_CLOCK_CPU] = writer->trace.has_clock[TV_CLOCK_CPU] && wanted != TV_WRITE_CLOCKS_WALL,
    };
    if (!has[TV_CLOCK_WALL] && !has[TV_CLOCK_CPU]) {
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "the trace has no %s",
                       wanted == TV_WRITE_CLOCKS_ALL   ? "times"
                       : wanted == TV_WRITE_CLOCKS_CPU ? "CPU times"
                                                       : "wall times");
    }
    if (has[TV_CLOCK_WALL] && has[TV_CLOCK_CPU] && !writer->family->has_two_clocks)
        has[writer->family->first_choice == TV_CLOCK_WALL ? TV_CLOCK_CPU : TV_CLOCK_WALL] = false;
    writer->has_clock[TV_CLOCK_WALL] = has[TV_CLOCK_WALL];
    writer->has_clock[TV_CLOCK_CPU] = has[TV_CLOCK_CPU];
    return TV_OK;
}

/* A call that never ends lasts until its thread was last seen, where the trace tells that, or to
 * the latest wall time of all threads, both where their times compare, and else to its thread's
 * last: where the output has it otherwise, it must be closed. */
static void choose_times(struct tv_write_driver *driver)
{
    const struct tv_writer *writer = &driver->writer;
    const struct tv_trace *trace = &writer->trace;
    bool has_wall = writer->has_clock[TV_CLOCK_WALL];
    const bool has_last_seen = tv_last_seen_of(trace).len != 0;
    const bool has_cut_threads = tv_cut_threads_of(trace).len != 0;
    driver->closes_calls =
        ((has_last_seen || has_cut_threads) && !writer->family->has_common_axis) ||
        (has_wall && trace->has_common_axis != writer->family->has_common_axis);
    driver->times = (struct tv_write_times){.from_unit_ns = trace->unit_ns,
                                            .to_unit_ns = writer->family->unit_ns,
                                            .from_bits = trace->clock_bits,
                                            .has_common_axis = trace->has_common_axis,
                                            .elapsed = tv_trace_elapsed(trace),
                                            .most = writer->family->time_most};
}

/* Second reading: records in the output's ids and unit. */

static void count_time_changes(struct tv_writer *writer, unsigned changes)
{
    uint64_t *count = writer->result.changes;
    count[TV_WRITE_TIMES_ROUNDED] += !!(changes & TV_WRITE_TIME_ROUNDED);
    count[TV_WRITE_TIMES_RAISED] += !!(changes & TV_WRITE_TIME_RAISED);
    count[TV_WRITE_TIMES_AMBIGUOUS] += !!(changes & TV_WRITE_TIME_AMBIGUOUS);
    count[TV_WRITE_TIMES_CUT] += !!(changes & TV_WRITE_TIME_CUT);
}

static void set_times(struct tv_write_driver *driver, size_t i, struct tv_write_record *record)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_write_thread *thread = &writer->threads[record->thread_ix];
    unsigned changes = 0;
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        unsigned changes_of_clock = 0;
        if (!writer->has_clock[clock])
            continue;
        record->time[clock] =
            tv_write_time_next(&driver->times, &thread->times, (enum tv_clock)clock,
                               driver->batch.time[clock][i], &changes_of_clock);
        thread->falls[clock] =
            thread->falls[clock] || (changes_of_clock & TV_WRITE_TIME_RAISED) != 0;
        changes |= changes_of_clock;
    }
    count_time_changes(writer, changes);
}

static enum tv_code put_as(struct tv_write_driver *driver, struct tv_write_record *record,
                           uint32_t key, enum tv_action action, struct tv_error *err)
{
    const struct tv_writer *writer = &driver->writer;
    uint64_t id = tv_trace_id_of_key(&writer->trace, key);
    record->method_id = writer->has_new_methods ? key : id;
    record->method_ix = tv_map_get(&writer->trace.method_of_id, id);
    record->action = action;
    return writer->family->put(&driver->writer, record, err);
}

/* Enters the calls that began before tracing, at their thread's first record. */
static enum tv_code put_adopters(struct tv_write_driver *driver, struct tv_write_record *record,
                                 struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    uint32_t next = writer->threads[record->thread_ix].adopters;
    while (next) {
        struct tv_write_adopter adopter = driver->adopters[next - 1];
        writer->result.changes[TV_WRITE_CALLS_OPENED]++;
        writer->result.records++;
        TV_TRY(put_as(driver, record, adopter.key, TV_ACTION_ENTER, err));
        next = adopter.inside;
    }
    return TV_OK;
}

/* Writes an exit for each call that an exit closes, since none of them names its method. An exit
 * with an empty stack closes a call that put_adopters entered. */
static enum tv_code put_bare_exit(struct tv_write_driver *driver, struct tv_write_record *record,
                                  uint32_t key, enum tv_action action, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_write_thread *thread = &writer->threads[record->thread_ix];
    uint32_t closed = 1;
    if (thread->stack.top)
        closed = tv_open_calls_leave(&driver->calls, record->thread_ix, &thread->stack, key);
    if (!closed) {
        tv_findings_add(&writer->found, TV_FINDING_EXIT_NOT_ON_STACK, 1, TV_NO_OFFSET);
        writer->result.changes[TV_WRITE_EXITS_LEFT_OUT]++;
        writer->result.records--;
        return TV_OK;
    }
    tv_findings_add(&writer->found, TV_FINDING_EXIT_CLOSED_OTHERS, closed > 1, TV_NO_OFFSET);
    writer->result.changes[TV_WRITE_EXITS_ADDED] += closed - 1;
    writer->result.records += closed - 1;
    for (uint32_t i = 0; i < closed; i++)
        TV_TRY(put_as(driver, record, key, action, err));
    return TV_OK;
}

/* Writes a record where exits are bare. */
static enum tv_code put_bare(struct tv_write_driver *driver, struct tv_write_record *record,
                             uint32_t key_action, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_write_thread *thread = &writer->threads[record->thread_ix];
    uint32_t key = key_action & ~TV_WIRE_ACTION_MASK;
    enum tv_action action = tv_write_action(key_action);
    if (action != TV_ACTION_ENTER)
        return put_bare_exit(driver, record, key, action, err);
    TV_TRY(tv_open_calls_enter(&driver->calls, record->thread_ix, &thread->stack, key, err));
    return put_as(driver, record, key, action, err);
}

/* Writes a record as it is, and follows the calls if they are to be closed at the end. */
static enum tv_code put_named(struct tv_write_driver *driver, struct tv_write_record *record,
                              uint32_t key_action, struct tv_error *err)
{
    struct tv_write_thread *thread = &driver->writer.threads[record->thread_ix];
    uint32_t key = key_action & ~TV_WIRE_ACTION_MASK;
    enum tv_action action = tv_write_action(key_action);
    if (driver->closes_calls && action == TV_ACTION_ENTER)
        TV_TRY(tv_open_calls_enter(&driver->calls, record->thread_ix, &thread->stack, key, err));
    else if (driver->closes_calls)
        (void)tv_open_calls_leave(&driver->calls, record->thread_ix, &thread->stack, key);
    return put_as(driver, record, key, action, err);
}

/* Every thread with records was found by the first reading. */
static enum tv_code put_record(struct tv_write_driver *driver, size_t i, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_write_record record = {
        .thread_ix = tv_map_get(&writer->thread_of_id, driver->batch.thread_id[i])};
    tv_assert(record.thread_ix != TV_MAP_NONE);
    struct tv_write_thread *thread = &writer->threads[record.thread_ix];
    record.thread_id = thread->new_id;
    set_times(driver, i, &record);
    if (!thread->has_begun) {
        thread->has_begun = true;
        TV_TRY(put_adopters(driver, &record, err));
    }
    /* A record with action 3 makes no call, and every other reader refuses the file for it. */
    if (tv_write_action(driver->batch.key_action[i]) == TV_ACTION_RESERVED ||
        tv_call_filter_has(writer->left_out, driver->record + i))
        return TV_OK;
    return writer->family->has_bare_exits
               ? put_bare(driver, &record, driver->batch.key_action[i], err)
               : put_named(driver, &record, driver->batch.key_action[i], err);
}

static enum tv_code put_records(struct tv_write_driver *driver, struct tv_error *err)
{
    do {
        TV_TRY(tv_trace_next(&driver->writer.trace, &driver->batch, err));
        for (size_t i = 0; i < driver->batch.count; i++) {
            if (!tv_write_is_empty(&driver->batch, i))
                TV_TRY(put_record(driver, i, err));
        }
        driver->record += driver->batch.count;
        if (driver->has_read && driver->batch.count)
            driver->has_read(driver->has_read_ctx, tv_batch_offset(&driver->batch, 0));
    } while (driver->batch.count && driver->writer.out.error.code == TV_OK);
    return TV_OK;
}

/* Ends the calls of a thread that no record ends. */
static enum tv_code close_calls(struct tv_write_driver *driver, uint32_t thread_ix,
                                struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_write_thread *thread = &writer->threads[thread_ix];
    struct tv_write_record record = {.thread_ix = thread_ix, .thread_id = thread->new_id};
    unsigned changes = 0;
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        if (writer->has_clock[clock])
            record.time[clock] =
                tv_write_time_end(&driver->times, &thread->times, (enum tv_clock)clock, &changes);
    }
    if (thread->stack.top)
        count_time_changes(writer, changes);
    while (thread->stack.top) {
        uint32_t key = tv_open_calls_pop(&driver->calls, thread_ix, &thread->stack);
        TV_TRY(put_as(driver, &record, key, TV_ACTION_EXIT, err));
    }
    return TV_OK;
}

/* When threads were last seen that are in a call then. */
static void take_last_seen(struct tv_write_driver *driver)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_str value = tv_last_seen_of(&writer->trace);
    struct tv_last_seen seen;
    while (tv_last_seen_next(&value, &seen)) {
        const uint32_t thread_ix = tv_map_get(&writer->thread_of_id, seen.thread);
        if (thread_ix != TV_MAP_NONE && writer->threads[thread_ix].stack.top)
            tv_write_time_see(&driver->times, &writer->threads[thread_ix].times, &writer->trace,
                              writer->thread_count, &seen);
    }
}

/* Where a part ends for the calls of a thread. */
static void take_cut_threads(struct tv_write_driver *driver)
{
    struct tv_writer *writer = &driver->writer;
    struct tv_str value = tv_cut_threads_of(&writer->trace);
    struct tv_cut_thread cut;
    while (tv_cut_threads_next(&value, &cut)) {
        const uint32_t thread_ix = tv_map_get(&writer->thread_of_id, cut.thread);
        if (thread_ix == TV_MAP_NONE || !writer->threads[thread_ix].stack.top)
            continue;
        const struct tv_last_seen seen = {
            cut.thread,
            {[TV_CLOCK_WALL] = cut.open_until_ns, [TV_CLOCK_CPU] = cut.seen_ns[TV_CLOCK_CPU]}};
        tv_write_time_see(&driver->times, &writer->threads[thread_ix].times, &writer->trace,
                          writer->thread_count, &seen);
    }
}

static enum tv_code close_all_calls(struct tv_write_driver *driver, struct tv_error *err)
{
    if (driver->closes_calls) {
        take_last_seen(driver);
        take_cut_threads(driver);
    }
    for (uint32_t i = 0; driver->closes_calls && i < driver->writer.thread_count; i++)
        TV_TRY(close_calls(driver, i, err));
    return TV_OK;
}

/* Counts the times of properties about threads that the version's unit cuts, as those of records
 * are. */
static void count_cut_properties(struct tv_writer *writer)
{
    const uint32_t unit_ns = writer->family->unit_ns;
    uint64_t *count = &writer->result.changes[TV_WRITE_TIMES_ROUNDED];
    struct tv_str value = tv_last_seen_of(&writer->trace);
    struct tv_last_seen seen;
    struct tv_cut_thread cut;
    if (unit_ns <= writer->trace.unit_ns || !writer->family->has_common_axis)
        return;
    while (tv_last_seen_next(&value, &seen))
        *count += seen.ns[TV_CLOCK_WALL] % unit_ns || seen.ns[TV_CLOCK_CPU] % unit_ns;
    value = tv_cut_threads_of(&writer->trace);
    while (tv_cut_threads_next(&value, &cut))
        *count += cut.open_until_ns % unit_ns || cut.seen_ns[TV_CLOCK_WALL] % unit_ns ||
                  cut.seen_ns[TV_CLOCK_CPU] % unit_ns;
}

/* Counts what is the same for all records: clocks and axes. `wanted` are the clocks asked for. */
static void count_clock_changes(struct tv_writer *writer, enum tv_write_clocks wanted)
{
    const struct tv_trace *trace = &writer->trace;
    uint64_t *count = writer->result.changes;
    bool is_asked = wanted != TV_WRITE_CLOCKS_ALL;
    for (size_t i = 0; i < TV_CLOCK_COUNT; i++) {
        if (trace->has_clock[i] && !writer->has_clock[i] && !is_asked)
            count[i == TV_CLOCK_CPU ? TV_WRITE_CPU_LEFT_OUT : TV_WRITE_WALL_LEFT_OUT] =
                writer->result.records;
    }
    uint64_t threads = 0;
    for (size_t i = 0; i < writer->thread_count; i++)
        threads += writer->threads[i].has_begun;
    if (writer->has_clock[TV_CLOCK_WALL] && threads > 1 &&
        trace->has_common_axis != writer->family->has_common_axis)
        count[trace->has_common_axis ? TV_WRITE_AXES_PARTED : TV_WRITE_AXES_JOINED] = threads;
}

/* What the first reading found and the output does not show: what the file lacked, and records that
 * are not written. */
static void take_found(struct tv_writer *writer)
{
    const uint64_t *changes = writer->result.changes;
    struct tv_findings *found = &writer->found;
    *found = writer->trace.findings;
    tv_findings_add(found, TV_FINDING_EMPTY_RECORD, changes[TV_WRITE_EMPTY_LEFT_OUT], TV_NO_OFFSET);
    tv_findings_add(found, TV_FINDING_RESERVED_ACTION, changes[TV_WRITE_RESERVED_LEFT_OUT],
                    TV_NO_OFFSET);
    for (unsigned i = 0; writer->knows_losses && i < TV_FINDING_KIND_COUNT; i++) {
        if (tv_finding_severity((enum tv_finding_kind)i) == TV_SEVERITY_DATA_LOST)
            found->of[i].count = 0;
    }
}

/* Adds the findings of clocks that fell, which the output does not show, since times that step back
 * are raised. */
static void take_falls(struct tv_writer *writer)
{
    struct tv_findings *found = &writer->found;
    for (size_t i = 0; i < writer->thread_count; i++) {
        const bool *falls = writer->threads[i].falls;
        tv_findings_add(found, TV_FINDING_CLOCK_BACKWARDS, falls[TV_CLOCK_WALL], TV_NO_OFFSET);
        tv_findings_add(found, TV_FINDING_CPU_CLOCK_BACKWARDS, falls[TV_CLOCK_CPU], TV_NO_OFFSET);
    }
}

struct input {
    const uint8_t *bytes;
    size_t len;
    const struct tv_read_opts *opts;
};

static enum tv_code reopen(struct tv_trace *trace, const struct input *input, struct tv_error *err)
{
    tv_trace_release(trace);
    return tv_trace_open(trace, input->bytes, input->len, input->opts, err);
}

/* Records can be read once only, so the trace is opened for each reading. */
static enum tv_code write_all(struct tv_write_driver *driver, const struct input *input,
                              enum tv_write_clocks clocks, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    TV_TRY(reopen(&writer->trace, input, err));
    TV_TRY(choose_clocks(writer, clocks, err));
    choose_times(driver);
    TV_TRY(tv_write_survey(driver, err));
    take_found(writer);
    if (tv_write_times_narrow(&driver->times))
        take_falls(writer);
    driver->record = 0;
    TV_TRY(reopen(&writer->trace, input, err));
    if (writer->names && !writer->names->keeps_start_time)
        writer->trace.start_time_ns = 0;
    TV_TRY(writer->family->begin(writer, err));
    TV_TRY(put_records(driver, err));
    TV_TRY(close_all_calls(driver, err));
    if (writer->family->unit_ns == 1)
        take_falls(writer);
    TV_TRY(writer->family->end(writer, err));
    count_cut_properties(writer);
    count_clock_changes(writer, clocks);
    writer->result.findings = writer->trace.findings;
    return tv_out_finish(&writer->out, err);
}

static void init_driver(struct tv_write_driver *driver, const struct tv_alloc *alloc,
                        struct tv_sink sink)
{
    driver->last_ix = TV_MAP_NONE;
    tv_trace_writer_init(&driver->writer, alloc, sink);
    tv_open_calls_init(&driver->calls, alloc);
}

static void release_driver(struct tv_write_driver *driver, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &driver->adopters, driver->adopter_cap, sizeof(*driver->adopters));
    tv_open_calls_release(&driver->calls);
    tv_trace_writer_release(&driver->writer);
}

enum tv_code tv_write_trace(const struct tv_alloc *alloc, const uint8_t *bytes, size_t len,
                            const struct tv_write_opts *opts, struct tv_sink sink,
                            struct tv_error *err)
{
    const struct tv_write_family *family = tv_writer_family(opts->as);
    if (!family) {
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "no such version to write; there are v1, v2, v3, stream and packets");
    }
    struct tv_write_driver *driver;
    TV_TRY(tv_alloc_new(alloc, &driver, 1, sizeof(*driver), err));
    init_driver(driver, alloc, sink);
    driver->writer.family = family;
    driver->writer.names = opts->names;
    driver->writer.left_out = opts->left_out;
    driver->writer.is_cut = opts->is_cut;
    driver->writer.knows_losses = opts->knows_losses;
    driver->has_read = opts->has_read;
    driver->has_read_ctx = opts->has_read_ctx;
    struct input input = {.bytes = bytes, .len = len, .opts = &opts->read};
    enum tv_code code = write_all(driver, &input, opts->clocks, err);
    if (code == TV_OK && opts->result)
        *opts->result = driver->writer.result;
    release_driver(driver, alloc);
    tv_alloc_release(alloc, &driver, 1, sizeof(*driver));
    return code;
}
