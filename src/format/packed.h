/*
 * The records of event blocks as fixed records (struct tv_fixed_records), which are unpacked as
 * they are taken. So packets are indexed in chunks, like files whose records have one length, and
 * no copy of the records is kept.
 *
 * Each block is a run. This is for blocks that begin their own sums and have nothing odd; a block
 * in which something odd is met while it is unpacked ends early there, and the caller must read the
 * trace with tv_trace_next instead. Keys are 4 x the ordinal in the trace's methods; threads have
 * numbers from 1 in the order of their first blocks. docs/formats/packets.md.
 */
#ifndef TV_FORMAT_PACKED_H
#define TV_FORMAT_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "format/event_block.h"
#include "format/trace.h"

struct tv_packed;

#define TV_PACKED_THREAD_LEN 2u /* of an unpacked record: the number of its thread */

/*
 * Makes the blocks among the packets in [pos, end) fixed records of the trace, if each block is
 * used up by whole records, and begins with a described method where exits name theirs; otherwise
 * the trace gets none. The methods, and what times there are, must be known before.
 */
enum tv_code tv_packed_tell_fixed(struct tv_trace *trace, enum tv_block_layout layout, size_t pos,
                                  size_t end, struct tv_error *err) TV_MUST_CHECK;

/* What the functions of format/trace.h on parts need. */
enum tv_code tv_packed_new(struct tv_packed **packed, const struct tv_trace *trace,
                           struct tv_error *err) TV_MUST_CHECK;
void tv_packed_free(struct tv_packed *packed);
/* For who counts calls and does not name them: records that are taken have no key, but their action
 * alone. tv_packed_word ends it. */
void tv_packed_omit_keys(struct tv_packed *packed);
/* Unpacks some of the next *count records of the run, from part->first on; sets *count to how
 * many these are. */
const uint8_t *tv_packed_take(struct tv_fixed_part *part, const struct tv_fixed_run *run,
                              uint64_t *count);
uint32_t tv_packed_word(struct tv_packed *packed, const struct tv_fixed_run *run, uint64_t record);
/* Where the record stands that comes `skipped` records after the one at `off`, in the same run. */
uint64_t tv_packed_skip(const struct tv_trace *trace, const struct tv_fixed_run *run, uint64_t off,
                        uint64_t skipped);

#endif
