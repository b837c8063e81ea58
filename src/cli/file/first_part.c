/*
 * How much comes first, and reading it.
 *
 * A trace of gigabytes takes a while to read; the viewer shows its beginning meanwhile. The
 * beginning is cut where records are whole (format/beginning.h) and built into an index of its own,
 * which is thrown away when the whole one is there. Shorter traces are read at once, since two
 * reads would only delay the whole.
 */
#include "cli/file/first_part.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "format/beginning.h"

/* What is read in about a fifth of a second, of what may take a whole one. A byte of packed records
 * takes as long as ten of others. */
#define PART_LEN ((uint64_t)160 << 20)
#define LONG_LEN ((uint64_t)512 << 20)
#define PACKED_WEIGHT 10u

/* Packed records grow when they are unpacked, so fewer bytes of them make a beginning of the same
 * weight. */
size_t tv_first_part_len(const struct tv_trace *trace)
{
    const char *chosen = getenv(TV_FIRST_PART_VARIABLE);
    const uint64_t weight = trace->fixed.is_packed ? PACKED_WEIGHT : 1;
    uint64_t part_len = PART_LEN / weight;
    uint64_t long_len = LONG_LEN / weight;
    if (chosen && tv_str_to_u64(tv_str_from(chosen), 10, &part_len))
        long_len = part_len < UINT64_MAX / 2 ? 2 * part_len : UINT64_MAX;
    return trace->len < long_len ? 0 : tv_beginning_len(trace, (size_t)part_len);
}

/* The bytes are those of the whole trace, only fewer: nothing is read twice from the disk. */
enum tv_code tv_first_part_build(struct tv_index *index, const struct tv_trace *trace, size_t len,
                                 const struct tv_build_opts *opts, struct tv_error *err)
{
    struct tv_trace part;
    enum tv_code code = tv_beginning_open(&part, trace, len, err);
    if (code == TV_OK)
        code = tv_index_build(index, &part, opts, err);
    tv_trace_release(&part);
    return code;
}
