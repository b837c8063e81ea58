/*
 * Batches of records from either kind of low-overhead dump; see format/low_overhead/low_overhead.h.
 *
 * Dumps of long-running methods have times, which `take_timed` decodes; dumps of all methods have
 * none, and their records get time 0. Exits of both name no method, so methods of exits come from
 * the stacks of format/keys.h.
 */
#include <string.h>

#include "base/error.h"
#include "format/low_overhead/low_overhead.h"

void tv_dump_close(struct tv_trace *trace)
{
    struct tv_dump_reader *reader = trace->reader;
    if (reader)
        tv_keys_release(&reader->keys);
}

void tv_dump_set_timed(struct tv_trace *trace, struct tv_dump_reader *reader,
                       bool (*take_timed)(struct tv_dump_reader *reader, size_t raw_cap))
{
    reader->take_timed = take_timed;
    trace->has_clock[TV_CLOCK_WALL] = true;
    trace->has_common_axis = true;
}

/* The axis begins at the trace's start. */
static void append_times(const struct tv_trace *trace, const struct tv_dump_reader *reader,
                         struct tv_batch *batch)
{
    const struct tv_raw *raw = &reader->raw;
    uint64_t first = trace->start_time_ns / trace->unit_ns;
    uint64_t *wall = batch->time[TV_CLOCK_WALL] + batch->count;
    uint64_t *cpu = batch->time[TV_CLOCK_CPU] + batch->count;
    memset(cpu, 0, raw->count * sizeof(*cpu));
    memset(wall, 0, raw->count * sizeof(*wall));
    for (size_t i = 0; i < raw->count && reader->take_timed; i++)
        wall[i] = raw->time[TV_CLOCK_WALL][i] - first;
}

/* Decodes the next records of one thread, with times or without. */
static bool next_raw(struct tv_dump_reader *reader, size_t room)
{
    size_t most = room < TV_RAW_CAP ? room : TV_RAW_CAP;
    return reader->take_timed ? reader->take_timed(reader, most)
                              : tv_all_methods_next(&reader->dump, &reader->raw, most);
}

enum tv_code tv_dump_next(struct tv_trace *trace, struct tv_batch *batch, struct tv_error *err)
{
    struct tv_dump_reader *reader = trace->reader;
    batch->offset_step = 0;
    while (batch->count < trace->opts.batch_len &&
           next_raw(reader, trace->opts.batch_len - batch->count)) {
        append_times(trace, reader, batch);
        TV_TRY(tv_keys_append(&reader->keys, trace, &reader->raw, TV_EXITS_BARE, batch, err));
    }
    batch->offset = batch->count ? batch->offsets[0] : reader->end;
    return TV_OK;
}
