/* How much comes first, and reading it. */
#include "cli/first_part.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"

/* What is read in about a fifth of a second, of what takes more than one. */
#define PART_LEN ((uint64_t)160 << 20)
#define LONG_LEN ((uint64_t)1 << 30)

size_t tv_first_part_len(const struct tv_trace *trace)
{
    const struct tv_fixed_records *fixed = &trace->fixed;
    const char *chosen = getenv(TV_FIRST_PART_VARIABLE);
    uint64_t part_len = PART_LEN;
    uint64_t long_len = LONG_LEN;
    if (chosen && tv_str_to_u64(tv_str_from(chosen), 10, &part_len))
        long_len = part_len < UINT64_MAX / 2 ? 2 * part_len : UINT64_MAX;
    /* A stream says only at its end what its times are. */
    if (trace->is_streaming || fixed->is_packed || fixed->run_count != 1 || trace->len < long_len)
        return 0;
    uint64_t first_off = fixed->runs[0].off;
    if (part_len < first_off + fixed->len)
        return 0;
    uint64_t count = (part_len - first_off) / fixed->len;
    return count < fixed->count ? (size_t)(first_off + count * fixed->len) : 0;
}

enum tv_code tv_first_part_build(struct tv_index *index, const struct tv_trace *trace, size_t len,
                                 const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_read_opts read_opts = trace->opts;
    struct tv_trace part;
    read_opts.is_part = true;
    tv_trace_init(&part, trace->alloc);
    enum tv_code code = tv_trace_open(&part, trace->bytes, len, &read_opts, err);
    if (code == TV_OK)
        code = tv_index_build(index, &part, opts, err);
    tv_trace_release(&part);
    return code;
}
