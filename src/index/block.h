/*
 * The block of an index: a head with a table of sections, and the sections, each at a multiple of
 * 64 bytes. docs/index.md, "The block" has a drawing.
 *
 * Offsets count from the start of the block, so a block works at any address. Numbers are in the
 * machine's own byte order: on a machine with another order the magic number reads differently, and
 * such a block is refused, like one of another version or length.
 */
#ifndef TV_INDEX_BLOCK_H
#define TV_INDEX_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/pool.h"
#include "index/index.h"

#define TV_BLOCK_MAGIC 0x3158444956544156u
#define TV_BLOCK_VERSION 9u

/* X(name, bytes of an element), in the order of the block. The five sections of node sums have one
 * element of 4 bytes for each node, or two where the sums have 64 bits. */
#define TV_SECTIONS(X)                                                                             \
    X(THREADS, sizeof(struct tv_index_thread))                                                     \
    X(ROWS, sizeof(struct tv_index_row))                                                           \
    X(SEGMENT_GROUPS, sizeof(struct tv_index_segment_group))                                       \
    X(TIMES, 1)                                                                                    \
    X(CALL_NODE, 4)                                                                                \
    X(INFO, sizeof(struct tv_index_info))                                                          \
    X(PROPERTIES, sizeof(struct tv_index_property))                                                \
    X(PROCESSES, sizeof(struct tv_index_process))                                                  \
    X(METHODS, sizeof(struct tv_index_method))                                                     \
    X(METHOD_OF_RANK, 4)                                                                           \
    X(NODE_METHOD, 4)                                                                              \
    X(NODE_PARENT, 4)                                                                              \
    X(NODE_DEPTH, 4)                                                                               \
    X(NODE_FLAGS, 1)                                                                               \
    X(NODE_CALLS, 4)                                                                               \
    X(NODE_INCLUSIVE_WALL, 4)                                                                      \
    X(NODE_INCLUSIVE_CPU, 4)                                                                       \
    X(NODE_EXCLUSIVE_WALL, 4)                                                                      \
    X(NODE_EXCLUSIVE_CPU, 4)                                                                       \
    X(LONG_CALLS, sizeof(struct tv_index_long_call))                                               \
    X(MIPMAP_STARTS, 4)                                                                            \
    X(MIPMAP_LENS, 4)                                                                              \
    X(TEXT, 1)

#define TV_SECTION_NAME(name, elem_len) TV_SECTION_##name,
enum tv_section { TV_SECTIONS(TV_SECTION_NAME) TV_SECTION_COUNT };
#undef TV_SECTION_NAME

struct tv_block_section {
    uint64_t off;   /* from the start of the block */
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
 * A block is made in three steps, as the sizes of its sections become known: first the sections
 * that say where calls stand, and the segment groups; then the columns of calls, too; then all.
 * These are the counts of sections after the first and after the second step.
 */
#define TV_PLACE_SECTION_COUNT ((unsigned)TV_SECTION_TIMES)
#define TV_COLUMN_SECTION_COUNT ((unsigned)TV_SECTION_INFO)

/*
 * Makes room for the first `section_count` sections, `counts` elements each. A later call with more
 * sections makes the block longer and keeps what stands in the earlier ones; the block may move.
 * Nothing is cleared. The index owns the block, and its columns point into it.
 */
enum tv_code tv_block_make(struct tv_index *index, const struct tv_alloc *alloc,
                           const uint64_t counts[TV_SECTION_COUNT], unsigned section_count,
                           struct tv_error *err) TV_MUST_CHECK;
/* Clears the sections from `first` to `last`. Done on the pool, because the first touch of a page
 * makes the kernel find and clear one. */
void tv_block_clear(struct tv_index *index, enum tv_section first, enum tv_section last,
                    const struct tv_pool *pool);
/* Clears the bytes between the sections of a whole block, so that equal indexes have equal bytes.
 * Call it when all sections are written: then most of their pages have been touched by many tasks,
 * and this one thread need not wait for the kernel to make them. */
void tv_block_clear_gaps(struct tv_index *index);
/*
 * Makes the index a view of a whole block in the caller's bytes, which must outlive the index and
 * stand at a multiple of 8. Fails with TV_ERR_FORMAT where the block is of another version or
 * machine, or where a section is not where tv_block_make would have put it. The contents of the
 * sections are not checked.
 */
enum tv_code tv_block_view(struct tv_index *index, const uint8_t *bytes, size_t len,
                           struct tv_error *err) TV_MUST_CHECK;
/* A section of a block that is being written. */
void *tv_block_section(const struct tv_index *index, enum tv_section section);
/* How many elements a section has. */
uint64_t tv_block_count(const struct tv_index *index, enum tv_section section);

#endif
