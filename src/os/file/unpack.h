/*
 * Unpacks a file: the whole of it where it is gzip or zstd (os/file/inflate.h), and the packets of
 * a Perfetto trace that are packed inside it. Such a packet holds others, by zlib or as a zstd
 * frame; they take its place, so that what comes out is a trace of plain packets. Packets may be
 * packed in a file that is packed itself.
 *
 * The bounds are those of tv_inflate, for all packets together.
 */
#ifndef TV_OS_FILE_UNPACK_H
#define TV_OS_FILE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "os/file/inflate.h"

/* Whether tv_unpack has anything to do. */
bool tv_is_packed(const uint8_t *bytes, size_t len);
/* Appends what the bytes unpack to, or nothing where they are not packed; otherwise as
 * tv_inflate. Offsets of damage in packed packets of a packed file are those in the unpacked one.
 */
enum tv_code tv_unpack(const uint8_t *bytes, size_t len, const struct tv_inflate_opts *opts,
                       struct tv_buffer *out, bool *is_cut, struct tv_error *err) TV_MUST_CHECK;

#endif
