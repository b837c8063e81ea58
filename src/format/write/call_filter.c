/*
 * Finds the calls that are left out of a trace; see format/write/call_filter.h.
 *
 * One reading of the trace sets a bit for each record that is left out. A method is asked about
 * once, at its first record. Whether a call is short is known at its exit, so the record of the
 * enter is kept on a stack until then. Times are those of the
 * views: a clock that falls stays at its highest value.
 */
#include "format/write/call_filter.h"

#include <string.h>

#include "base/memory/map.h"
#include "format/open_calls.h"
#include "format/wire.h"
#include "format/write/write_times.h"

/* What is known of a method, by its key. */
enum { METHOD_IN, METHOD_OUT };

/* A call that is open. */
struct open_call {
    uint64_t record; /* of its enter */
    int64_t start;   /* units */
};

struct thread {
    struct tv_write_clock clock;
    struct tv_open_stack stack;
    struct open_call *calls; /* of the stack, the outermost first */
    size_t cap;
};

struct finder {
    struct tv_call_filter *out;
    const struct tv_call_filter_question *question;
    struct tv_trace trace;
    struct tv_batch batch;
    enum tv_clock clock;
    struct tv_write_times times;
    struct tv_map method_of_key;
    struct tv_map thread_of_id;
    struct thread *threads;
    size_t thread_count, thread_cap;
    struct tv_open_calls calls;
};

void tv_call_filter_init(struct tv_call_filter *out, const struct tv_alloc *alloc)
{
    *out = (struct tv_call_filter){.alloc = alloc};
}

void tv_call_filter_release(struct tv_call_filter *out)
{
    tv_alloc_release(out->alloc, &out->bits, out->cap, 1);
    tv_call_filter_init(out, out->alloc);
}

static void mark(struct tv_call_filter *out, uint64_t record)
{
    out->bits[record / 8] |= (uint8_t)(1u << (record % 8));
}

static enum tv_code make_room(struct tv_call_filter *out, size_t more, struct tv_error *err)
{
    size_t before = out->cap;
    TV_TRY(tv_alloc_grow(out->alloc, &out->bits, &out->cap, (size_t)(out->records + more) / 8 + 1,
                         1, err));
    memset(out->bits + before, 0, out->cap - before);
    return TV_OK;
}

static enum tv_code find_thread(struct finder *finder, uint32_t id, uint32_t *ix,
                                struct tv_error *err)
{
    *ix = tv_map_get(&finder->thread_of_id, id);
    if (*ix != TV_MAP_NONE)
        return TV_OK;
    TV_TRY(tv_alloc_grow(finder->out->alloc, &finder->threads, &finder->thread_cap,
                         finder->thread_count + 1, sizeof(*finder->threads), err));
    *ix = (uint32_t)finder->thread_count;
    finder->threads[*ix] = (struct thread){.cap = 0};
    TV_TRY(tv_map_put(&finder->thread_of_id, id, *ix, err));
    finder->thread_count++;
    return TV_OK;
}

/* A method is described before its records, or never. */
static enum tv_code find_method(struct finder *finder, uint32_t key, bool *is_out,
                                struct tv_error *err)
{
    uint32_t known = tv_map_get(&finder->method_of_key, key);
    *is_out = known == METHOD_OUT;
    if (known != TV_MAP_NONE || !finder->question->is_out)
        return TV_OK;
    uint64_t id = tv_trace_id_of_key(&finder->trace, key);
    uint32_t ix = tv_map_get(&finder->trace.method_of_id, id);
    if (ix != TV_MAP_NONE)
        TV_TRY(finder->question->is_out(finder->question->ctx, &finder->trace.methods[ix], is_out,
                                        err));
    return tv_map_put(&finder->method_of_key, key, *is_out ? METHOD_OUT : METHOD_IN, err);
}

static enum tv_code enter(struct finder *finder, uint32_t thread_ix, uint32_t key, uint64_t record,
                          struct tv_error *err)
{
    struct thread *thread = &finder->threads[thread_ix];
    TV_TRY(tv_alloc_grow(finder->out->alloc, &thread->calls, &thread->cap,
                         (size_t)thread->stack.depth + 1, sizeof(*thread->calls), err));
    thread->calls[thread->stack.depth] =
        (struct open_call){.record = record, .start = thread->clock.high};
    return tv_open_calls_enter(&finder->calls, thread_ix, &thread->stack, key, err);
}

/* Closes the call of the method, and those above it, whose enters have no exits. */
static void leave(struct finder *finder, uint32_t thread_ix, uint32_t key, uint64_t record)
{
    struct thread *thread = &finder->threads[thread_ix];
    uint64_t unit_ns = finder->trace.unit_ns;
    uint32_t closed = tv_open_calls_leave(&finder->calls, thread_ix, &thread->stack, key);
    for (uint32_t i = 0; i < closed; i++) {
        const struct open_call *call = &thread->calls[thread->stack.depth + i];
        if ((uint64_t)(thread->clock.high - call->start) * unit_ns >= finder->question->least_ns)
            continue;
        finder->out->calls++;
        finder->out->short_calls++;
        mark(finder->out, call->record);
        if (i == 0)
            mark(finder->out, record);
    }
}

/* Records of methods that are left out never reach the stack, so they cannot close calls of others.
 */
static enum tv_code take_record(struct finder *finder, size_t i, uint64_t record,
                                struct tv_error *err)
{
    const struct tv_batch *batch = &finder->batch;
    uint32_t key = batch->key_action[i] & ~TV_WIRE_ACTION_MASK;
    enum tv_action action = (enum tv_action)(batch->key_action[i] & TV_WIRE_ACTION_MASK);
    uint32_t thread_ix;
    bool is_out;
    TV_TRY(find_thread(finder, batch->thread_id[i], &thread_ix, err));
    tv_write_clock_take(&finder->threads[thread_ix].clock, &finder->times, finder->clock,
                        batch->time[finder->clock][i]);
    if (action == TV_ACTION_RESERVED)
        return TV_OK;
    TV_TRY(find_method(finder, key, &is_out, err));
    if (is_out) {
        finder->out->calls += action == TV_ACTION_ENTER;
        mark(finder->out, record);
        return TV_OK;
    }
    if (!finder->question->least_ns)
        return TV_OK;
    if (action == TV_ACTION_ENTER)
        return enter(finder, thread_ix, key, record, err);
    leave(finder, thread_ix, key, record);
    return TV_OK;
}

static enum tv_code take_all(struct finder *finder, struct tv_error *err)
{
    struct tv_call_filter *out = finder->out;
    finder->clock = finder->trace.has_clock[TV_CLOCK_WALL] ? TV_CLOCK_WALL : TV_CLOCK_CPU;
    finder->times = (struct tv_write_times){.from_bits = finder->trace.clock_bits,
                                            .elapsed = tv_trace_elapsed(&finder->trace)};
    do {
        TV_TRY(tv_trace_next(&finder->trace, &finder->batch, err));
        TV_TRY(make_room(out, finder->batch.count, err));
        for (size_t i = 0; i < finder->batch.count; i++)
            TV_TRY(take_record(finder, i, out->records++, err));
    } while (finder->batch.count);
    return TV_OK;
}

static void release(struct finder *finder, const struct tv_alloc *alloc)
{
    for (size_t i = 0; i < finder->thread_count; i++)
        tv_alloc_release(alloc, &finder->threads[i].calls, finder->threads[i].cap,
                         sizeof(*finder->threads[i].calls));
    tv_alloc_release(alloc, &finder->threads, finder->thread_cap, sizeof(*finder->threads));
    tv_open_calls_release(&finder->calls);
    tv_map_release(&finder->thread_of_id);
    tv_map_release(&finder->method_of_key);
    tv_trace_release(&finder->trace);
}

/* The finder holds a whole batch of records, which is too large for the stack. */
enum tv_code tv_call_filter_find(struct tv_call_filter *out, const uint8_t *bytes, size_t len,
                                 const struct tv_read_opts *opts,
                                 const struct tv_call_filter_question *question,
                                 struct tv_error *err)
{
    const struct tv_alloc *alloc = out->alloc;
    struct finder *finder;
    tv_call_filter_release(out);
    TV_TRY(tv_alloc_new(alloc, &finder, 1, sizeof(*finder), err));
    finder->out = out;
    finder->question = question;
    tv_trace_init(&finder->trace, alloc);
    tv_map_init(&finder->method_of_key, alloc);
    tv_map_init(&finder->thread_of_id, alloc);
    tv_open_calls_init(&finder->calls, alloc);
    enum tv_code code = tv_trace_open(&finder->trace, bytes, len, opts, err);
    if (code == TV_OK)
        code = take_all(finder, err);
    release(finder, alloc);
    tv_alloc_release(alloc, &finder, 1, sizeof(*finder));
    return code;
}
