/* Packet files and low-overhead dumps for tests, on top of support/trace_builder.h. */
#ifndef TESTS_FORMAT_PACKET_BUILDER_H
#define TESTS_FORMAT_PACKET_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "support/trace_builder.h"

#define TID 4242u
#define FOO_ADDRESS UINT64_C(0x70001000)
#define BAR_ADDRESS UINT64_C(0x70001028)

struct block_builder {
    uint8_t bytes[512];
    size_t len;
    uint32_t count;
    uint64_t word, wall, cpu; /* sums so far; set them to go on with an earlier block */
};

void build_packets(struct trace_builder *t, unsigned version, uint64_t frequency);
void packet_thread(struct trace_builder *t, uint32_t thread, const char *name);
void packet_method(struct trace_builder *t, uint64_t id, const char *line);
/* FOO_ADDRESS, BAR_ADDRESS and TID. */
void packet_tables(struct trace_builder *t);
void packet_block(struct trace_builder *t, uint32_t thread, const struct block_builder *block);
/* The options, each with its newline, between version and *end. */
void packet_summary(struct trace_builder *t, unsigned version, const char *options);

/* A record of layout C or D with two times; of one. */
void add_dual(struct block_builder *block, uint64_t word, uint64_t wall, uint64_t cpu);
void add_single(struct block_builder *block, uint64_t word, uint64_t time);
/* A record of layout E: id 0 for exits. */
void add_ticks(struct block_builder *block, uint64_t ticks, unsigned action, uint64_t id);
/* A record of a dump of long-running methods: id 0 for exits. */
void add_long(struct block_builder *block, uint64_t ns, uint64_t id);
void add_sleb(struct block_builder *block, uint64_t value);

#endif
