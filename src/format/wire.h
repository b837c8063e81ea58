/*
 * Constants of the files: what readers, writers and the recorder agree on. No code, no
 * dependencies. Meanings and sources: docs/formats/.
 */
#ifndef TV_FORMAT_WIRE_H
#define TV_FORMAT_WIRE_H

#define TV_WIRE_MAGIC 0x574f4c53u /* "SLOW" */
#define TV_WIRE_MAGIC_LEN 4u
#define TV_WIRE_STREAMING 0xf0u /* or'ed into the version of a stream */

/* The data header of v1-v3 and of streams. */
#define TV_WIRE_VERSION_AT 4u
#define TV_WIRE_DATA_OFFSET_AT 6u
#define TV_WIRE_START_AT 8u
#define TV_WIRE_RECORD_LEN_AT 16u /* v3 and streams only */
#define TV_WIRE_SHORT_HEADER 16u  /* v1, v2 */
#define TV_WIRE_LONG_HEADER 18u   /* v3 and streams */
#define TV_WIRE_HEADER 32u        /* what every writer leaves before the first record */

/* Records. */
#define TV_WIRE_V1_RECORD 9u
#define TV_WIRE_ONE_TIME_RECORD 10u
#define TV_WIRE_TWO_TIMES_RECORD 14u
/* No writer wrote longer records than those above; a damaged header says any number. */
#define TV_WIRE_RECORD_MOST 64u
#define TV_WIRE_ACTION_MASK 3u
/* Dalvik fills its buffer with 0xee: this id was never written, and ends the records. */
#define TV_WIRE_NEVER_WRITTEN 0xeeeeeeecu

/* Streams: after a thread id of 0 comes an opcode. */
#define TV_WIRE_STREAM_METHOD 1u
#define TV_WIRE_STREAM_THREAD 2u
#define TV_WIRE_STREAM_SUMMARY 3u

/* Packets: the first byte. */
#define TV_WIRE_PACKET_THREAD 0u
#define TV_WIRE_PACKET_METHOD 1u
#define TV_WIRE_PACKET_BLOCK 2u
#define TV_WIRE_PACKET_SUMMARY 3u
#define TV_WIRE_PACKETS_START_AT 6u
#define TV_WIRE_PACKETS_COUNTER_AT 14u
#define TV_WIRE_PACKETS_FREQUENCY_AT 22u
#define TV_WIRE_PACKETS_ONE_TIME 4u
#define TV_WIRE_PACKETS_TWO_TIMES 5u

/* Low-overhead dumps with a header: the version, with the streaming bits; and the summary, which
 * has no length of its own there. */
#define TV_WIRE_LONG_RUNNING_VERSION 0xf6u
#define TV_WIRE_LONG_RUNNING_SUMMARY 17u /* bytes, the kind included */

#endif
