/*
 * The beginning of a trace; see format/beginning.h.
 *
 * A beginning ends after a record, or after a block where records are packed, so it is opened like
 * any whole file. Streams and packets say only at their end what their times mean; the beginning
 * gets that summary of the whole file as its side text.
 */
#include "format/beginning.h"

/* Whether the file says at its end what the times of records are, as streams and packets do. */
static bool is_told_at_end(const struct tv_trace *trace)
{
    return trace->is_streaming || trace->fixed.is_packed;
}

static struct tv_str end_of(const struct tv_trace *trace)
{
    return trace->summary.len ? trace->summary : trace->opts.side_text;
}

size_t tv_beginning_len(const struct tv_trace *trace, size_t most)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    uint64_t end = 0;
    if (is_told_at_end(trace) && !end_of(trace).len)
        return 0;
    for (size_t i = 0; i < fixed->run_count && fixed->runs[i].off <= most; i++) {
        const struct tv_fixed_run *run = &fixed->runs[i];
        bool is_last = i + 1 == fixed->run_count;
        uint64_t count = (is_last ? fixed->count : run[1].first) - run->first;
        uint64_t run_len = fixed->is_packed ? run->len : count * fixed->len;
        uint64_t left = most - run->off;
        if (left >= run_len)
            end = is_last ? 0 : run->off + run_len;
        else if (!fixed->is_packed && left >= fixed->len)
            end = run->off + left / fixed->len * fixed->len;
    }
    return (size_t)end;
}

enum tv_code tv_beginning_open(struct tv_trace *beginning, const struct tv_trace *trace, size_t len,
                               struct tv_error *err)
{
    struct tv_read_opts opts = trace->opts;
    opts.is_part = true;
    if (is_told_at_end(trace))
        opts.side_text = end_of(trace);
    tv_trace_init(beginning, trace->alloc);
    return tv_trace_open(beginning, trace->bytes, len, &opts, err);
}
