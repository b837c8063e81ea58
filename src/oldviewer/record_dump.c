/*
 * Records as lines; see oldviewer/record_dump.h.
 *
 * Names come from tables that are complete (`names`), since a stream may describe a method behind
 * its first record; records come from the trace itself. Output follows dmtracedump's to the blank,
 * so that scripts which read its output read this one.
 */
#include "oldviewer/record_dump.h"

#include <string.h>

#include "base/alloc.h"
#include "base/memory/map.h"
#include "base/memory/sort.h"
#include "base/text/out.h"

/* The most bytes of a name in each line. */
#define NAME_SHOWN 1000u

/* The old tool counts the call that started the tracing, and the one below it. */
#define FIRST_DEPTH 2

#define NO_KEY UINT32_MAX

struct dumped_thread {
    int64_t depth;
    uint32_t entered; /* key of the last record's method if that was an enter; NO_KEY */
};

struct record_dump {
    const struct tv_trace *names; /* its tables are complete */
    struct tv_trace *trace;       /* gives the records */
    enum tv_clock clock;
    struct tv_map thread_of_id;
    struct dumped_thread *threads;
    size_t thread_count, thread_cap;
    struct tv_out out;
    char points[TV_RECORD_DUMP_DEPTH];
};

static int compare_ids(const void *ctx, uint32_t a, uint32_t b)
{
    const struct tv_trace_thread *threads = ctx;
    return (threads[a].id > threads[b].id) - (threads[a].id < threads[b].id);
}

/* Prints the version, and the threads by id. */
static enum tv_code put_head(struct record_dump *dump, struct tv_error *err)
{
    const struct tv_trace *names = dump->names;
    size_t count = names->thread_count;
    uint32_t *order;
    TV_TRY(tv_alloc_new(dump->trace->alloc, &order, count, sizeof(*order), err));
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    enum tv_code code = tv_sort(dump->trace->alloc, order, count, compare_ids, names->threads, err);
    tv_out_add(&dump->out, "VERSION: %u\nThreads (%zu):\n", names->version, count);
    for (size_t i = 0; code == TV_OK && i < count; i++) {
        tv_out_add(&dump->out, "%2u ", names->threads[order[i]].id);
        tv_out_shown(&dump->out, names->threads[order[i]].name, NAME_SHOWN);
        tv_out_text(&dump->out, TV_STR("\n"));
    }
    tv_out_text(&dump->out, TV_STR("Trace (threadID action usecs class.method signature):\n"));
    tv_alloc_release(dump->trace->alloc, &order, count, sizeof(*order));
    return code;
}

/* Threads come in the order of their first records; room is made before the place is asked for, so
 * a place that was given is always there. */
static enum tv_code find_thread(struct record_dump *dump, uint32_t id,
                                struct dumped_thread **thread, struct tv_error *err)
{
    uint32_t *place;
    TV_TRY(tv_alloc_grow(dump->trace->alloc, &dump->threads, &dump->thread_cap,
                         dump->thread_count + 1, sizeof(*dump->threads), err));
    TV_TRY(tv_map_slot(&dump->thread_of_id, id, (uint32_t)dump->thread_count, &place, err));
    if (*place == dump->thread_count)
        dump->threads[dump->thread_count++] =
            (struct dumped_thread){.depth = FIRST_DEPTH, .entered = NO_KEY};
    *thread = &dump->threads[*place];
    return TV_OK;
}

/* " ", "-" or "+", and a point for each call around the method. */
static void put_depth(struct record_dump *dump, int64_t depth)
{
    int64_t shown = depth < 0 ? 0 : depth > TV_RECORD_DUMP_DEPTH ? TV_RECORD_DUMP_DEPTH : depth;
    const char mark = depth < 0 ? '-' : depth > TV_RECORD_DUMP_DEPTH ? '+' : ' ';
    tv_out_bytes(&dump->out, &mark, 1);
    tv_out_text(&dump->out, (struct tv_str){dump->points, (size_t)shown});
}

static void put_method(struct record_dump *dump, uint64_t id)
{
    struct tv_out *out = &dump->out;
    uint32_t place = tv_map_get(&dump->names->method_of_id, id);
    if (id == TV_METHOD_ID_UNKNOWN) {
        tv_out_text(out, TV_STR("(unknown)"));
    } else if (place == TV_MAP_NONE) {
        tv_out_add(out, "???.??? methodId: %#llx", (unsigned long long)id);
    } else {
        const struct tv_trace_method *method = &dump->names->methods[place];
        tv_out_shown(out, method->class_name, NAME_SHOWN);
        if (method->name.len) {
            tv_out_text(out, TV_STR("."));
            tv_out_shown(out, method->name, NAME_SHOWN);
            tv_out_text(out, TV_STR(" "));
            tv_out_shown(out, method->signature, NAME_SHOWN);
        }
    }
    tv_out_text(out, TV_STR("\n"));
}

/* The time as the file counts it: 32-bit times are those of the file, others may be negative. */
static int64_t time_us(const struct tv_trace *trace, uint64_t time)
{
    if (trace->clock_bits == 32)
        return (int64_t)(time & UINT32_MAX);
    return (int64_t)time / (int64_t)(trace->unit_ns == 1 ? 1000 : 1);
}

/* An exit is at the depth of its call, so the depth falls after it is printed. "!" marks an exit of
 * another method than the one that was entered right before it. */
static enum tv_code put_record(struct record_dump *dump, const struct tv_batch *batch, size_t i,
                               struct tv_error *err)
{
    static const struct tv_str actions[] = {{" ent", 4}, {" xit", 4}, {" unr", 4}, {" ???", 4}};
    uint32_t key = batch->key_action[i] & ~UINT32_C(3);
    uint32_t action = batch->key_action[i] & 3;
    bool is_enter = action == TV_ACTION_ENTER;
    struct dumped_thread *thread;
    TV_TRY(find_thread(dump, batch->thread_id[i], &thread, err));
    bool is_odd = !is_enter && thread->entered != NO_KEY && thread->entered != key;
    thread->depth += is_enter;
    tv_out_padded(&dump->out, 2, batch->thread_id[i]);
    tv_out_text(&dump->out, actions[action]);
    tv_out_text(&dump->out, is_odd ? TV_STR("! ") : TV_STR("  "));
    tv_out_padded(&dump->out, 8, time_us(dump->trace, batch->time[dump->clock][i]));
    put_depth(dump, thread->depth);
    put_method(dump, tv_trace_id_of_key(dump->trace, key));
    thread->depth -= !is_enter;
    thread->entered = is_enter ? key : NO_KEY;
    return TV_OK;
}

static enum tv_code put_batch(struct record_dump *dump, const struct tv_batch *batch,
                              struct tv_error *err)
{
    for (size_t i = 0; i < batch->count; i++)
        TV_TRY(put_record(dump, batch, i, err));
    return TV_OK;
}

/* Takes all records of a trace; dump NULL: only for what is described among them. */
static enum tv_code take_records(struct tv_trace *trace, struct record_dump *dump,
                                 struct tv_error *err)
{
    struct tv_batch *batch = NULL;
    enum tv_code code = tv_alloc_new(trace->alloc, &batch, 1, sizeof(*batch), err);
    while (code == TV_OK && (!dump || dump->out.error.code == TV_OK)) {
        code = tv_trace_next(trace, batch, err);
        if (code != TV_OK || !batch->count)
            break;
        if (dump)
            code = put_batch(dump, batch, err);
    }
    tv_alloc_release(trace->alloc, &batch, 1, sizeof(*batch));
    return code;
}

/* Prints the records of `trace` with the names of `names`. */
static enum tv_code print(const struct tv_trace *names, struct tv_trace *trace, enum tv_clock clock,
                          struct tv_sink sink, struct tv_error *err)
{
    struct record_dump dump = {.names = names, .trace = trace, .clock = clock};
    memset(dump.points, '.', sizeof(dump.points));
    tv_out_init(&dump.out, sink);
    tv_map_init(&dump.thread_of_id, trace->alloc);
    enum tv_code code = put_head(&dump, err);
    if (code == TV_OK)
        code = take_records(trace, &dump, err);
    if (code == TV_OK)
        code = tv_out_finish(&dump.out, err);
    tv_map_release(&dump.thread_of_id);
    tv_alloc_release(trace->alloc, &dump.threads, dump.thread_cap, sizeof(*dump.threads));
    return code;
}

/* A text trace has its methods before its records, and is read once; any other is read to its end
 * for the names first, and then opened a second time. */
enum tv_code tv_record_dump(struct tv_trace *trace, enum tv_clock clock, struct tv_sink sink,
                            struct tv_error *err)
{
    struct tv_trace again;
    if (strcmp(trace->format->family, "text") == 0)
        return print(trace, trace, clock, sink, err);
    TV_TRY(take_records(trace, NULL, err));
    tv_trace_init(&again, trace->alloc);
    enum tv_code code = tv_trace_open(&again, trace->bytes, trace->len, &trace->opts, err);
    if (code == TV_OK)
        code = print(trace, &again, clock, sink, err);
    tv_trace_release(&again);
    return code;
}
