/*
 * Writing a trace on a disk that has no room for it beside the stream that it is made of: the part
 * of the stream that was read is given back to the disk before the trace takes that room. Where the
 * disk has room for both, the stream stays whole until the trace is, whatever happens.
 */
#ifndef TV_CLI_RECORD_RECORD_TIGHT_H
#define TV_CLI_RECORD_RECORD_TIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sink.h"

struct tv_record_tight {
    const struct tv_alloc *alloc;
    int fd;              /* of the stream; -1: there is room */
    uint64_t len;        /* of the stream */
    uint64_t room;       /* of the disk beside it */
    uint64_t given_back; /* bytes of the stream */
    struct tv_sink sink; /* of the trace */
    char *held;          /* of the trace, in memory */
    size_t held_len;
};

/* Finds out whether the disk has room for both. Fails if memory runs out. */
enum tv_code tv_record_tight_begin(struct tv_record_tight *tight, const struct tv_alloc *alloc,
                                   const char *stream, uint64_t len, struct tv_sink sink,
                                   struct tv_error *err) TV_MUST_CHECK;
/* How much room is missing for a trace of `len` bytes, `head` of them before the first record; 0:
 * there is enough. To be asked before the trace is begun, which destroys the stream. */
uint64_t tv_record_tight_lacks(const struct tv_record_tight *tight, uint64_t len, uint64_t head);
/* What the trace is written to. */
struct tv_sink tv_record_tight_sink(struct tv_record_tight *tight);
/* `has_read` of struct tv_write_opts. */
void tv_record_tight_has_read(void *ctx, uint64_t offset);
/* Writes what is held, where `code` is TV_OK, and releases all. Returns the first failure. */
enum tv_code tv_record_tight_end(struct tv_record_tight *tight, enum tv_code code,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
