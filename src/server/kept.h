/*
 * The answers of which the page's first picture of a trace is made, kept beside its saved index:
 * what `info` said, and the boxes of the window that the page asked for first. They are shown while
 * the saved index is still held against its checks. Nothing here looks into an answer: it is bytes
 * that this very program made of this very trace, which their identity says, and that the page does
 * not trust either.
 *
 *     0   u64 magic; u64 identity[2]; u64 checksum of all behind it
 *     32  u32 length of info, of the window's query, of the window; u32 zero
 *     48  info, query, window
 */
#ifndef TV_SERVER_KEPT_H
#define TV_SERVER_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

/* No longer answers are kept. */
#define TV_KEPT_LIMIT ((size_t)1 << 20)

struct tv_kept {
    struct tv_buffer info;
    struct tv_buffer query; /* of `window`, as it was asked */
    struct tv_buffer window;
};

void tv_kept_init(struct tv_kept *kept, const struct tv_alloc *alloc);
void tv_kept_release(struct tv_kept *kept);
/* All three are there. */
bool tv_kept_is_whole(const struct tv_kept *kept);

/* Puts one of the answers in place of what was there; it is empty where memory runs out. */
void tv_kept_set(struct tv_buffer *answer, struct tv_str bytes);
/* Appends the file to `out`. TV_ERR_LIMIT: it would be too long. */
enum tv_code tv_kept_write(const struct tv_kept *kept, const uint64_t identity[2],
                           struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;
/* Fills an initialised one. TV_ERR_FORMAT: not a whole file, or of another trace or program. */
enum tv_code tv_kept_read(struct tv_kept *kept, struct tv_str file, const uint64_t identity[2],
                          struct tv_error *err) TV_MUST_CHECK;

#endif
