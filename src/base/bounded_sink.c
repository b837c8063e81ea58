/*
 * Counts the bytes that a sink is given; see base/bounded_sink.h.
 *
 * A trace may have names that are repeated millions of times, so an export could become thousands
 * of times as long as its file. The bound grows with the length of the file, and an output that
 * passes it fails with a text that says so.
 */
#include "base/bounded_sink.h"

#include <stdbool.h>

#define BYTES_A_BYTE 100u
#define BYTES_OF_ANY (UINT64_C(256) << 20)
/* Traces unpack to thirty times their length at most. */
#define UNPACKED_A_BYTE 100u

uint64_t tv_bounded_sink_of(const struct tv_made_of *of)
{
    bool is_less = of->packed_len && of->packed_len < of->len / UNPACKED_A_BYTE;
    uint64_t len = is_less ? of->packed_len * UNPACKED_A_BYTE : of->len;
    uint64_t most = len < UINT64_MAX / BYTES_A_BYTE ? len * BYTES_A_BYTE : UINT64_MAX;
    if (of->is_trusted)
        return UINT64_MAX;
    return most > BYTES_OF_ANY ? most : BYTES_OF_ANY;
}

/* Nothing of what passes the bound is written, not even what had room: half a line would look like
 * an answer. */
static enum tv_code write_bounded(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_bounded_sink *bound = ctx;
    if (len > bound->left) {
        bound->left = 0;
        return tv_fail(
            err, TV_ERR_LIMIT, TV_NO_OFFSET,
            "stopped: more than %llu MB of output, which few files of this size make: the "
            "command writes it with --unpack-all, if you trust it",
            (unsigned long long)(bound->most / 1000000));
    }
    bound->left -= len;
    return bound->of.write(bound->of.ctx, bytes, len, err);
}

void tv_bounded_sink_init(struct tv_bounded_sink *bound, struct tv_sink of, uint64_t most)
{
    *bound = (struct tv_bounded_sink){.of = of, .most = most, .left = most};
    bound->sink = (struct tv_sink){.write = of.write ? write_bounded : NULL, .ctx = bound};
}

/* For those who know before the first byte that it will be too much. */
enum tv_code tv_bounded_sink_check(uint64_t most, uint64_t least, struct tv_error *err)
{
    if (least <= most)
        return TV_OK;
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                   "would make about %llu MB of output, which few files of this size do: the "
                   "command writes it with --unpack-all, if you trust it",
                   (unsigned long long)(least / 1000000));
}
