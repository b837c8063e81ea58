/*
 * The text about a recording: its version, options, threads and methods. A plain file begins with
 * it; packets and streams end with it. Called under the lock of cold.h.
 */
#ifndef TV_RECORD_SUMMARY_H
#define TV_RECORD_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "format/wire.h"
#include "record/recording.h"

/* The version of the file's format. */
unsigned tv_summary_version(const struct tv_recording *recording);

/* The text section that a plain file begins with. */
void tv_summary_put_text(struct tv_recording *recording);
/* The text at the end of packets and of streams. */
void tv_summary_put(struct tv_recording *recording);

/* Method ids are numbers times 4, as in ART: the two low bits of a word are its action. */
static inline uint32_t tv_summary_id(uint32_t number)
{
    return number * (TV_WIRE_ACTION_MASK + 1);
}

#define TV_SUMMARY_ID_MOST 11u /* 8 hexadecimal digits, 0x and TAB */
/* Writes "0x4 TAB", at most TV_SUMMARY_ID_MOST bytes, to `to` and returns its length. */
size_t tv_summary_encode_id(char *to, uint32_t number);

#endif
