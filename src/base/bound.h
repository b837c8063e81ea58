/* A sink that passes bytes on to another one, until there are more than may be written; then it
 * fails. It must not be moved, since its sink points to it. */
#ifndef TV_BASE_BOUND_H
#define TV_BASE_BOUND_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"

struct tv_bound {
    struct tv_sink sink;
    struct tv_sink of; /* the other one */
    uint64_t most;
    uint64_t left; /* bytes that may still be written */
};

/* The most bytes that may be made of a trace of so many bytes, unless the user trusts it. Real
 * traces become eleven times as long as text, and packets 35 times, since text names a method with
 * each of its calls; a file can be made whose text is many thousand times as long. */
uint64_t tv_bound_of(uint64_t file_len);
/* The same where the trace was packed to `packed_len` bytes: of what unpacks to more than most
 * traces do, less counts. 0: it was not packed. */
uint64_t tv_bound_of_packed(uint64_t file_len, uint64_t packed_len);
void tv_bound_init(struct tv_bound *bound, struct tv_sink of, uint64_t most);
/* TV_ERR_LIMIT, with the sentence that says so, where it is known beforehand that there will be at
 * least `least` bytes, and these are too many. */
enum tv_code tv_bound_check(uint64_t most, uint64_t least, struct tv_error *err) TV_MUST_CHECK;

#endif
