/*
 * The bytes of files that we write, one header or record at a time. These functions allocate
 * nothing, keep no state and need base/bytes.h only, since the recorder, which runs in other
 * people's programs, shares them. Each fills `to`, which must have room for what its name says, and
 * returns how many bytes it wrote. Meanings: docs/formats/.
 */
#ifndef TV_FORMAT_ENCODE_H
#define TV_FORMAT_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/compiler.h"
#include "format/wire.h"

#define TV_STREAM_METHOD_HEAD 5u
#define TV_STREAM_THREAD_HEAD 7u
#define TV_STREAM_SUMMARY_HEAD 7u
#define TV_PACKET_THREAD_HEAD 7u
#define TV_PACKET_METHOD_HEAD 11u
#define TV_PACKET_BLOCK_HEAD 12u
#define TV_PACKET_SUMMARY_HEAD 3u

/* The 32 bytes before the records of v1-v3 and streams. record_len is 0 for v1 and v2, which do
 * not store it. */
TV_INLINE size_t tv_encode_data_header(uint8_t *to, unsigned version, uint64_t start_usec,
                                       unsigned record_len)
{
    for (size_t i = 0; i < TV_WIRE_HEADER; i++)
        to[i] = 0;
    tv_store_le32(to, TV_WIRE_MAGIC);
    tv_store_le16(to + TV_WIRE_VERSION_AT, (uint16_t)version);
    tv_store_le16(to + TV_WIRE_DATA_OFFSET_AT, TV_WIRE_HEADER);
    tv_store_le64(to + TV_WIRE_START_AT, start_usec);
    tv_store_le16(to + TV_WIRE_RECORD_LEN_AT, (uint16_t)record_len);
    return TV_WIRE_HEADER;
}

TV_INLINE size_t tv_encode_v1_record(uint8_t *to, uint8_t thread, uint32_t word, uint32_t usec)
{
    to[0] = thread;
    tv_store_le32(to + 1, word);
    tv_store_le32(to + 5, usec);
    return TV_WIRE_V1_RECORD;
}

TV_INLINE size_t tv_encode_one_time_record(uint8_t *to, uint16_t thread, uint32_t word,
                                           uint32_t usec)
{
    tv_store_le16(to, thread);
    tv_store_le32(to + 2, word);
    tv_store_le32(to + 6, usec);
    return TV_WIRE_ONE_TIME_RECORD;
}

TV_INLINE size_t tv_encode_two_times_record(uint8_t *to, uint16_t thread, uint32_t word,
                                            uint32_t cpu_usec, uint32_t wall_usec)
{
    tv_store_le16(to, thread);
    tv_store_le32(to + 2, word);
    tv_store_le32(to + 6, cpu_usec);
    tv_store_le32(to + 10, wall_usec);
    return TV_WIRE_TWO_TIMES_RECORD;
}

/* Heads of stream packets; the text follows. */

TV_INLINE size_t tv_encode_stream_method(uint8_t *to, uint16_t line_len)
{
    tv_store_le16(to, 0);
    to[2] = TV_WIRE_STREAM_METHOD;
    tv_store_le16(to + 3, line_len);
    return TV_STREAM_METHOD_HEAD;
}

TV_INLINE size_t tv_encode_stream_thread(uint8_t *to, uint16_t thread, uint16_t name_len)
{
    tv_store_le16(to, 0);
    to[2] = TV_WIRE_STREAM_THREAD;
    tv_store_le16(to + 3, thread);
    tv_store_le16(to + 5, name_len);
    return TV_STREAM_THREAD_HEAD;
}

TV_INLINE size_t tv_encode_stream_summary(uint8_t *to, uint32_t text_len)
{
    tv_store_le16(to, 0);
    to[2] = TV_WIRE_STREAM_SUMMARY;
    tv_store_le32(to + 3, text_len);
    return TV_STREAM_SUMMARY_HEAD;
}

/* The packet family. The counter is 0 in layout D. */

TV_INLINE size_t tv_encode_packets_header(uint8_t *to, unsigned version, uint64_t start_ns,
                                          uint64_t counter)
{
    for (size_t i = 0; i < TV_WIRE_HEADER; i++)
        to[i] = 0;
    tv_store_le32(to, TV_WIRE_MAGIC);
    tv_store_le16(to + TV_WIRE_VERSION_AT, (uint16_t)version);
    tv_store_le64(to + TV_WIRE_PACKETS_START_AT, start_ns);
    tv_store_le64(to + TV_WIRE_PACKETS_COUNTER_AT, counter);
    return TV_WIRE_HEADER;
}

TV_INLINE size_t tv_encode_packet_thread(uint8_t *to, uint32_t thread, uint16_t name_len)
{
    to[0] = TV_WIRE_PACKET_THREAD;
    tv_store_le32(to + 1, thread);
    tv_store_le16(to + 5, name_len);
    return TV_PACKET_THREAD_HEAD;
}

TV_INLINE size_t tv_encode_packet_method(uint8_t *to, uint64_t id, uint16_t line_len)
{
    to[0] = TV_WIRE_PACKET_METHOD;
    tv_store_le64(to + 1, id);
    tv_store_le16(to + 9, line_len);
    return TV_PACKET_METHOD_HEAD;
}

TV_INLINE size_t tv_encode_packet_block(uint8_t *to, uint32_t thread, uint16_t count,
                                        uint32_t payload_len)
{
    to[0] = TV_WIRE_PACKET_BLOCK;
    tv_store_le32(to + 1, thread);
    tv_store_le16(to + 5, count);
    to[7] = 0;
    tv_store_le32(to + 8, payload_len);
    return TV_PACKET_BLOCK_HEAD;
}

TV_INLINE size_t tv_encode_packet_summary(uint8_t *to, uint16_t text_len)
{
    to[0] = TV_WIRE_PACKET_SUMMARY;
    tv_store_le16(to + 1, text_len);
    return TV_PACKET_SUMMARY_HEAD;
}

/* A signed LEB128 of a two's complement value, such as the difference of two unsigned numbers. */
TV_INLINE size_t tv_encode_sleb(uint8_t *to, uint64_t value)
{
    size_t len = 0;
    uint64_t fill = value >> 63 ? ~(UINT64_MAX >> 7) : 0;
    uint64_t last = value >> 63 ? UINT64_MAX : 0;
    for (;;) {
        uint8_t byte = value & 0x7f;
        value = value >> 7 | fill;
        if (value == last && !!(byte & 0x40) == (last != 0)) {
            to[len++] = byte;
            return len;
        }
        to[len++] = byte | 0x80;
    }
}

#endif
