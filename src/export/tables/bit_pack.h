/* Numbers of a few bits each, packed from the lowest bit of each byte on, as Parquet and Arrow have
 * them. */
#ifndef TV_EXPORT_TABLES_BIT_PACK_H
#define TV_EXPORT_TABLES_BIT_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"

/* The bits that each number up to `most` takes, at least 1. */
unsigned tv_bit_width(uint32_t most);
/* Appends `count` numbers, which stand in little-endian words of `word_len` 1 or 4 bytes, with
 * `width` bits each; the last bytes are filled up with zeros to a multiple of `multiple` bytes. */
enum tv_code tv_bit_pack(struct tv_buffer *out, const uint8_t *words, size_t word_len, size_t count,
                         unsigned width, size_t multiple, struct tv_error *err) TV_MUST_CHECK;

#endif
