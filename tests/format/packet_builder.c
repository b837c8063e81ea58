/* See packet_builder.h. */
#include "packet_builder.h"

#include <string.h>

#include "base/bytes.h"
#include "format/encode.h"

void build_packets(struct trace_builder *t, unsigned version, uint64_t frequency)
{
    uint8_t header[TV_WIRE_HEADER];
    *t = (struct trace_builder){.header_off = 0};
    tv_buffer_init(&t->bytes, tv_alloc_libc());
    (void)tv_encode_packets_header(header, version, 5000000000, 0);
    tv_store_le64(header + TV_WIRE_PACKETS_FREQUENCY_AT, frequency);
    build_bytes(t, header, sizeof(header));
}

static void build_headed(struct trace_builder *t, const uint8_t *head, size_t head_len,
                         const void *rest, size_t rest_len)
{
    size_t from = t->bytes.len;
    build_bytes(t, head, head_len);
    build_bytes(t, rest, rest_len);
    t->last_off = from;
}

void packet_thread(struct trace_builder *t, uint32_t thread, const char *name)
{
    uint8_t head[TV_PACKET_THREAD_HEAD];
    size_t len = strlen(name);
    build_headed(t, head, tv_encode_packet_thread(head, thread, (uint16_t)len), name, len);
}

void packet_method(struct trace_builder *t, uint64_t id, const char *line)
{
    uint8_t head[TV_PACKET_METHOD_HEAD];
    size_t len = strlen(line);
    build_headed(t, head, tv_encode_packet_method(head, id, (uint16_t)len), line, len);
}

void packet_tables(struct trace_builder *t)
{
    packet_method(t, FOO_ADDRESS, "a.B\tfoo\t()V\tB.java\n");
    packet_method(t, BAR_ADDRESS, "a.B\tbar\t()V\tB.java\n");
    packet_thread(t, TID, "main");
}

void packet_block(struct trace_builder *t, uint32_t thread, const struct block_builder *block)
{
    uint8_t head[TV_PACKET_BLOCK_HEAD];
    (void)tv_encode_packet_block(head, thread, (uint16_t)block->count, (uint32_t)block->len);
    build_headed(t, head, sizeof(head), block->bytes, block->len);
}

void packet_summary(struct trace_builder *t, unsigned version, const char *options)
{
    char text[256] = "*version\n?\n";
    uint8_t head[TV_PACKET_SUMMARY_HEAD];
    text[strlen("*version\n")] = (char)('0' + version);
    strncat(text, options, 200);
    strncat(text, "*end\n", 6);
    build_headed(t, head, tv_encode_packet_summary(head, (uint16_t)strlen(text)), text,
                 strlen(text));
}

static void add_uleb(struct block_builder *block, uint64_t value)
{
    block->len += tv_store_uleb(block->bytes + block->len, value);
}

void add_sleb(struct block_builder *block, uint64_t value)
{
    block->len += tv_encode_sleb(block->bytes + block->len, value);
}

static void add_word(struct block_builder *block, uint64_t word)
{
    add_sleb(block, word - block->word);
    block->word = word;
    block->count++;
}

void add_dual(struct block_builder *block, uint64_t word, uint64_t wall, uint64_t cpu)
{
    add_word(block, word);
    add_uleb(block, wall - block->wall);
    add_uleb(block, cpu - block->cpu);
    block->wall = wall;
    block->cpu = cpu;
}

void add_single(struct block_builder *block, uint64_t word, uint64_t time)
{
    add_word(block, word);
    add_uleb(block, time - block->wall);
    block->wall = time;
}

void add_ticks(struct block_builder *block, uint64_t ticks, unsigned action, uint64_t id)
{
    uint64_t wall = ticks << 2 | action;
    add_sleb(block, wall - block->wall);
    block->wall = wall;
    if (id)
        add_word(block, id);
    else
        block->count++;
}

void add_long(struct block_builder *block, uint64_t ns, uint64_t id)
{
    uint64_t wall = ns << 1 | (id ? 0 : 1);
    add_sleb(block, wall - block->wall);
    block->wall = wall;
    if (id)
        add_word(block, id);
    else
        block->count++;
}
