/*
 * The driver of writing: reads the trace once to learn which ids and clocks it has, and once to
 * write it.
 *
 * Times of 32 bits that go into 64 are unwrapped as the index does it (docs/numbers.md, "Clocks"),
 * as far as one reading can tell: a thread counts on from its last record; and where the trace
 * lasted longer than one wrap, a thread's first wall time stands at the multiple that is nearest to
 * the record before it.
 */
#include "format/write.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/wire.h"
#include "format/writer.h"

#define NANOSECONDS_PER_MICROSECOND 1000u
#define WRAP (UINT64_C(1) << 32)
/* A step of more than this, of 32-bit microseconds, is a fall: 2^32 less one minute. */
#define STEP_MOST (WRAP - UINT64_C(60000000))

static const struct tv_write_family *const families[] = {
    &tv_write_v1, &tv_write_v2, &tv_write_v3, &tv_write_stream, &tv_write_packets,
};

const char *tv_write_format_name(size_t ix)
{
    return ix < TV_COUNT_OF(families) ? families[ix]->name : NULL;
}

/* A thread's clocks while 32-bit times are unwrapped. */
struct unwrapped {
    bool has[TV_CLOCK_COUNT];
    uint64_t last[TV_CLOCK_COUNT];
};

/* The writer, and what the second reading needs. */
struct driver {
    struct tv_writer writer;
    struct tv_batch batch;
    struct tv_map unwrapped_of_thread;
    struct unwrapped *unwrapped;
    size_t unwrapped_count, unwrapped_cap;
    uint64_t last_wall; /* the last wall time of any thread */
};

bool tv_writer_thread_id(const struct tv_writer *writer, uint32_t id, uint32_t *new_id)
{
    *new_id = id;
    if (writer->has_new_threads)
        *new_id = tv_map_get(&writer->new_thread, id);
    return !writer->has_new_threads || *new_id != TV_MAP_NONE;
}

bool tv_writer_method_id(const struct tv_writer *writer, uint64_t id, uint64_t *new_id)
{
    *new_id = id;
    if (!writer->has_new_methods)
        return id <= writer->family->method_id_most;
    uint32_t key = tv_map_get(&writer->key_of_id, id);
    *new_id = key;
    return key != TV_MAP_NONE;
}

/* A record that was reserved and never written. */
static bool is_empty(const struct tv_batch *batch, size_t i)
{
    return !batch->thread_id[i] && !batch->key_action[i] && !batch->time[TV_CLOCK_WALL][i] &&
           !batch->time[TV_CLOCK_CPU][i];
}

static bool is_thread_id_fit(const struct tv_write_family *family, uint32_t id)
{
    return id >= family->thread_id_least && id <= family->thread_id_most;
}

/* First reading: what the records name. */

/* Gives a thread the next number, in case ids must be given anew. */
static enum tv_code number_thread(struct tv_writer *writer, uint32_t id, struct tv_error *err)
{
    uint32_t next = (uint32_t)writer->new_thread.count + 1;
    uint32_t *number;
    if (writer->new_thread.count >= TV_MAP_NONE - 1)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "more threads than can be named");
    TV_TRY(tv_map_slot(&writer->new_thread, id, next, &number, err));
    writer->has_new_threads = writer->has_new_threads || !is_thread_id_fit(writer->family, id);
    return TV_OK;
}

/* Runs of one thread are common, so a thread is looked up where it changes. */
static enum tv_code survey_batch(struct driver *driver, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    const struct tv_batch *batch = &driver->batch;
    for (size_t i = 0; i < batch->count; i++) {
        if (is_empty(batch, i))
            continue;
        writer->record_count++;
        if (!i || batch->thread_id[i] != batch->thread_id[i - 1] || is_empty(batch, i - 1))
            TV_TRY(number_thread(writer, batch->thread_id[i], err));
    }
    return TV_OK;
}

/* Ids of packets are addresses: new ones where the version has 32 bits and they do not fit. */
static enum tv_code survey_methods(struct tv_writer *writer, struct tv_error *err)
{
    const struct tv_trace *trace = &writer->trace;
    for (size_t i = 0; i < trace->key_count; i++) {
        uint64_t id = trace->id_of_key[i];
        TV_TRY(tv_map_put(&writer->key_of_id, id, (uint32_t)i * 4, err));
        if (id > writer->family->method_id_most || id & TV_WIRE_ACTION_MASK)
            writer->has_new_methods = writer->family->method_id_most != UINT64_MAX;
    }
    return TV_OK;
}

/* Threads without records come after those with, as far as there is room. */
static enum tv_code survey_threads(struct tv_writer *writer, struct tv_error *err)
{
    const struct tv_trace *trace = &writer->trace;
    uint32_t most = writer->family->thread_id_most;
    if (writer->has_new_threads && writer->new_thread.count > most) {
        return tv_fail(
            err, TV_ERR_LIMIT, TV_NO_OFFSET,
            "%zu threads have records, but %s can name no more than %u: write v3 or packets",
            writer->new_thread.count, writer->family->name, most);
    }
    for (size_t i = 0; i < trace->thread_count; i++) {
        if (!is_thread_id_fit(writer->family, trace->threads[i].id))
            writer->has_new_threads = writer->new_thread.count <= most;
    }
    for (size_t i = 0; i < trace->thread_count && writer->new_thread.count < most; i++)
        TV_TRY(number_thread(writer, trace->threads[i].id, err));
    return TV_OK;
}

static enum tv_code survey(struct driver *driver, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    do {
        TV_TRY(tv_trace_next(&writer->trace, &driver->batch, err));
        TV_TRY(survey_batch(driver, err));
    } while (driver->batch.count);
    TV_TRY(survey_methods(writer, err));
    return survey_threads(writer, err);
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

/* Second reading: records in the output's ids and unit. */

/* The clocks of a thread, made when its first record comes. */
static enum tv_code find_unwrapped(struct driver *driver, uint32_t thread_id,
                                   struct unwrapped **unwrapped, struct tv_error *err)
{
    uint32_t *ix;
    size_t count = driver->unwrapped_count;
    TV_TRY(tv_map_slot(&driver->unwrapped_of_thread, thread_id, (uint32_t)count, &ix, err));
    if (*ix == count) {
        TV_TRY(tv_alloc_grow(driver->writer.trace.alloc, &driver->unwrapped, &driver->unwrapped_cap,
                             count + 1, sizeof(*driver->unwrapped), err));
        driver->unwrapped[count] = (struct unwrapped){.has = {false}};
        driver->unwrapped_count++;
    }
    *unwrapped = &driver->unwrapped[*ix];
    return TV_OK;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Moves a thread's first wall time to the multiple of 2^32 that is nearest to the
 * record before it. */
static uint64_t place_first_wall(const struct driver *driver, uint64_t usec)
{
    const struct tv_trace *trace = &driver->writer.trace;
    if (!trace->has_elapsed || trace->elapsed_ns / NANOSECONDS_PER_MICROSECOND < WRAP)
        return usec;
    uint64_t at = (driver->last_wall & ~(WRAP - 1)) + usec;
    uint64_t best = at;
    if (at >= WRAP && distance(at - WRAP, driver->last_wall) <= distance(best, driver->last_wall))
        best = at - WRAP;
    if (distance(at + WRAP, driver->last_wall) < distance(best, driver->last_wall))
        best = at + WRAP;
    return best;
}

/* The whole time of a 32-bit one. A step of nearly 2^32 is a fall: the clock stepped back. */
static uint64_t unwrap(struct driver *driver, struct unwrapped *thread, enum tv_clock clock,
                       uint64_t usec)
{
    uint64_t last = thread->last[clock];
    uint64_t step = (usec - last) & (WRAP - 1);
    uint64_t now = last + step;
    if (!thread->has[clock]) {
        now = clock == TV_CLOCK_WALL ? place_first_wall(driver, usec) : usec;
    } else if (step > STEP_MOST) {
        now = last + step >= WRAP ? last + step - WRAP : 0;
    }
    thread->has[clock] = true;
    thread->last[clock] = now;
    if (clock == TV_CLOCK_WALL)
        driver->last_wall = now;
    return now;
}

/* Times in the output's unit: unwrapped, rounded down, or as they are. */
static enum tv_code set_times(struct driver *driver, size_t i, struct tv_write_record *record,
                              struct tv_error *err)
{
    const struct tv_writer *writer = &driver->writer;
    struct unwrapped *thread = NULL;
    bool is_widened = writer->trace.clock_bits == 32 && writer->family->unit_ns == 1;
    if (is_widened)
        TV_TRY(find_unwrapped(driver, driver->batch.thread_id[i], &thread, err));
    for (size_t clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t time = driver->batch.time[clock][i];
        if (!writer->has_clock[clock]) {
            time = 0;
        } else if (is_widened) {
            time = unwrap(driver, thread, (enum tv_clock)clock, time) * NANOSECONDS_PER_MICROSECOND;
        } else if (writer->trace.unit_ns < writer->family->unit_ns) {
            /* A time before the start becomes the start, as the index has it. */
            time = time >> 63 ? 0 : time / NANOSECONDS_PER_MICROSECOND;
        }
        record->time[clock] = time;
    }
    return TV_OK;
}

/* Every thread with records was numbered by the first reading. */
static enum tv_code put_record(struct driver *driver, size_t i, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    const struct tv_trace *trace = &writer->trace;
    uint32_t key_action = driver->batch.key_action[i];
    uint32_t thread_id = driver->batch.thread_id[i];
    uint64_t id = tv_trace_id_of_key(trace, key_action);
    struct tv_write_record record = {
        .method_id = writer->has_new_methods ? key_action & ~TV_WIRE_ACTION_MASK : id,
        .action = (enum tv_action)(key_action & TV_WIRE_ACTION_MASK),
        .method_ix = tv_map_get(&trace->method_of_id, id),
        .thread_ix = tv_map_get(&trace->thread_of_id, thread_id),
    };
    bool is_named = tv_writer_thread_id(writer, thread_id, &record.thread_id);
    tv_assert(is_named);
    (void)is_named;
    TV_TRY(set_times(driver, i, &record, err));
    return writer->family->put(writer, &record, err);
}

static enum tv_code put_records(struct driver *driver, struct tv_error *err)
{
    do {
        TV_TRY(tv_trace_next(&driver->writer.trace, &driver->batch, err));
        for (size_t i = 0; i < driver->batch.count; i++) {
            if (!is_empty(&driver->batch, i))
                TV_TRY(put_record(driver, i, err));
        }
    } while (driver->batch.count && driver->writer.out.error.code == TV_OK);
    return TV_OK;
}

static const struct tv_write_family *find_family(struct tv_str name)
{
    for (size_t i = 0; i < TV_COUNT_OF(families); i++) {
        if (tv_str_equal(name, tv_str_from(families[i]->name)))
            return families[i];
    }
    return NULL;
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
static enum tv_code write_all(struct driver *driver, const struct input *input,
                              enum tv_write_clocks clocks, struct tv_error *err)
{
    struct tv_writer *writer = &driver->writer;
    TV_TRY(reopen(&writer->trace, input, err));
    TV_TRY(choose_clocks(writer, clocks, err));
    TV_TRY(survey(driver, err));
    TV_TRY(reopen(&writer->trace, input, err));
    TV_TRY(writer->family->begin(writer, err));
    TV_TRY(put_records(driver, err));
    TV_TRY(writer->family->end(writer, err));
    return tv_out_finish(&writer->out, err);
}

static void init_driver(struct driver *driver, const struct tv_alloc *alloc, struct tv_sink sink)
{
    tv_trace_init(&driver->writer.trace, alloc);
    tv_map_init(&driver->writer.new_thread, alloc);
    tv_map_init(&driver->writer.key_of_id, alloc);
    tv_buffer_init(&driver->writer.line, alloc);
    tv_map_init(&driver->unwrapped_of_thread, alloc);
    tv_out_init(&driver->writer.out, sink);
}

static void release_driver(struct driver *driver, const struct tv_alloc *alloc)
{
    tv_alloc_release(alloc, &driver->unwrapped, driver->unwrapped_cap, sizeof(*driver->unwrapped));
    tv_map_release(&driver->unwrapped_of_thread);
    tv_buffer_release(&driver->writer.line);
    tv_map_release(&driver->writer.key_of_id);
    tv_map_release(&driver->writer.new_thread);
    tv_trace_release(&driver->writer.trace);
}

enum tv_code tv_write_trace(const struct tv_alloc *alloc, const uint8_t *bytes, size_t len,
                            const struct tv_write_opts *opts, struct tv_sink sink,
                            struct tv_error *err)
{
    const struct tv_write_family *family = find_family(opts->as);
    if (!family) {
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "no such version to write; there are v1, v2, v3, stream and packets");
    }
    struct driver *driver;
    TV_TRY(tv_alloc_new(alloc, &driver, 1, sizeof(*driver), err));
    init_driver(driver, alloc, sink);
    driver->writer.family = family;
    struct input input = {.bytes = bytes, .len = len, .opts = &opts->read};
    enum tv_code code = write_all(driver, &input, opts->clocks, err);
    if (code == TV_OK && opts->findings)
        *opts->findings = driver->writer.trace.findings;
    release_driver(driver, alloc);
    tv_alloc_release(alloc, &driver, 1, sizeof(*driver));
    return code;
}
