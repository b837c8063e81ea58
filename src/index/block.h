/*
 * The block of an index: a head, a table of sections, and the sections, each at a multiple of 64 bytes.
 *
 * All numbers are in the machine's own order; the head says so by its magic number, and a block of another
 * machine, version or length is refused. Offsets count from the start of the block.
 */
#ifndef TV_INDEX_BLOCK_H
#define TV_INDEX_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

#define TV_BLOCK_MAGIC 0x3158444956544156u
#define TV_BLOCK_VERSION 1u

/* X(name, element length) in the order of the file. */
#define TV_SECTIONS(X)                                                                             \
    X(INFO, sizeof(struct tv_index_info))                                                          \
    X(PROPERTIES, sizeof(struct tv_index_property))                                                \
    X(THREADS, sizeof(struct tv_index_thread))                                                     \
    X(METHODS, sizeof(struct tv_index_method))                                                     \
    X(METHOD_OF_RANK, 4)                                                                           \
    X(ROWS, sizeof(struct tv_index_row))                                                           \
    X(NODE_METHOD, 4)                                                                              \
    X(NODE_PARENT, 4)                                                                              \
    X(NODE_DEPTH, 4)                                                                               \
    X(NODE_FLAGS, 1)                                                                               \
    X(NODE_CALLS, 8)                                                                               \
    X(NODE_INCLUSIVE_WALL, 8)                                                                      \
    X(NODE_INCLUSIVE_CPU, 8)                                                                       \
    X(NODE_EXCLUSIVE_WALL, 8)                                                                      \
    X(NODE_EXCLUSIVE_CPU, 8)                                                                       \
    X(CALL_NODE, 4)                                                                                \
    X(TIMES, 1)                                                                                    \
    X(LEVELS, 4)                                                                                   \
    X(FOLDS, sizeof(struct tv_index_fold))                                                         \
    X(TEXT, 1)

#define TV_SECTION_NAME(name, elem_len) TV_SECTION_##name,
enum tv_section { TV_SECTIONS(TV_SECTION_NAME) TV_SECTION_COUNT };
#undef TV_SECTION_NAME

struct tv_block_section {
    uint64_t off;
    uint64_t count; /* elements */
};

struct tv_block_head {
    uint64_t magic;
    uint32_t version;
    uint32_t section_count;
    uint64_t block_len;
    struct tv_block_section sections[TV_SECTION_COUNT];
};

/*
 * An empty block with room for the given counts, and the index whose columns point into it. Nothing is
 * cleared but the sections below NODE_METHOD and the sums of nodes. The index owns the block.
 */
enum tv_code tv_block_new(struct tv_index *index, const struct tv_alloc *alloc,
                          const uint64_t counts[TV_SECTION_COUNT], struct tv_error *err) TV_MUST_CHECK;
/* A section of a block that is being filled. */
void *tv_block_section(const struct tv_index *index, enum tv_section section);

#endif
