/*
 * The records of event blocks as fixed ones (struct tv_fixed_records), unpacked as they are taken:
 * so packets are indexed in chunks like files whose records have one length, and nothing is kept of
 * them in between.
 *
 * Each block is a run. This is for blocks that stand alone and in which nothing is odd; what is
 * seen to be odd only on the way ends the run early. Keys are 4 x the place in the trace's methods,
 * threads count from 1 in order of their first block. docs/formats/packets.md.
 */
#ifndef TV_FORMAT_PACKED_H
#define TV_FORMAT_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "format/block.h"
#include "format/trace.h"

struct tv_packed;

/*
 * Tells the blocks among the packets in [pos, end) as fixed records, if their layout names a method
 * with every record, and each begins with one that is described and is used up by whole records;
 * otherwise, the trace has none. Methods, and what times are, must be known.
 */
enum tv_code tv_packed_tell_fixed(struct tv_trace *trace, enum tv_block_layout layout, size_t pos,
                                  size_t end, struct tv_error *err) TV_MUST_CHECK;

/* For the functions of format/trace.h on parts. */
enum tv_code tv_packed_new(struct tv_packed **packed, const struct tv_trace *trace,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_packed_free(struct tv_packed *packed);
/* Unpacks some of the next *count records of the run, from part->first on; sets *count to how many
 * they are. */
const uint8_t *tv_packed_take(struct tv_fixed_part *part, const struct tv_fixed_run *run,
                              uint64_t *count);
uint32_t tv_packed_word(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record);
/* Where the record stands that comes so many behind the one at `off`, in the run. */
uint64_t tv_packed_skip(const struct tv_trace *trace, const struct tv_fixed_run *run, uint64_t off,
                        uint64_t skipped);

#endif
