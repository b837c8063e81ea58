/* A sink that passes bytes on to another one, until there are more than may be written; then it
 * fails. It must not be moved, since its sink points to it. */
#ifndef TV_BASE_BOUNDED_SINK_H
#define TV_BASE_BOUNDED_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"

struct tv_bounded_sink {
    struct tv_sink sink;
    struct tv_sink of; /* the other one */
    uint64_t most;
    uint64_t left; /* bytes that may still be written */
};

/* The file that something is made of, as far as it bounds what is made: output here, memory in
 * index/memory.h. */
struct tv_made_of {
    uint64_t len;        /* unpacked bytes */
    uint64_t packed_len; /* bytes before they were unpacked; 0: the file was not packed */
    bool is_trusted;     /* by the user (--unpack-all) */
};

/* The most bytes of output that may be made of a file, unless the user trusts it. Real traces
 * become eleven times as long as text, and packets 35 times, since text names a method with each of
 * its calls; a file can be made whose text is many thousand times as long. Of a packed file that
 * unpacks to more than traces do, fewer of the unpacked bytes count. */
uint64_t tv_bounded_sink_of(const struct tv_made_of *of);
void tv_bounded_sink_init(struct tv_bounded_sink *bound, struct tv_sink of, uint64_t most);
/* TV_ERR_LIMIT, with the sentence that says so, where it is known beforehand that there will be at
 * least `least` bytes, and these are too many. */
enum tv_code tv_bounded_sink_check(uint64_t most, uint64_t least,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
