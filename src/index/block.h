/*
 * The block of an index: a head, a table of sections, and the sections, each at a multiple of 64
 * bytes.
 *
 * All numbers are in the machine's own order; the head says so by its magic number, and a block of
 * another machine, version or length is refused. Offsets count from the start of the block.
 */
#ifndef TV_INDEX_BLOCK_H
#define TV_INDEX_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "index/index.h"

#define TV_BLOCK_MAGIC 0x3158444956544156u
#define TV_BLOCK_VERSION 5u

/* X(name, element length) in the order of the file. */
#define TV_SECTIONS(X)                                                                             \
    X(THREADS, sizeof(struct tv_index_thread))                                                     \
    X(ROWS, sizeof(struct tv_index_row))                                                           \
    X(SEGMENT_GROUPS, sizeof(struct tv_index_segment_group))                                       \
    X(TIMES, 1)                                                                                    \
    X(CALL_NODE, 4)                                                                                \
    X(INFO, sizeof(struct tv_index_info))                                                          \
    X(PROPERTIES, sizeof(struct tv_index_property))                                                \
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
/* The five sections of sums have one word for each node, or two. */
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

/* What says where calls go, and folds, are known first; then the columns of calls. */
#define TV_PLACE_SECTION_COUNT ((unsigned)TV_SECTION_TIMES)
#define TV_COLUMN_SECTION_COUNT ((unsigned)TV_SECTION_INFO)

/*
 * A block with room for the first `section_count` sections; a second call with more of them makes
 * it longer and keeps the first. Nothing is cleared. The index owns the block, and its columns
 * point into it.
 */
enum tv_code tv_block_make(struct tv_index *index, const struct tv_alloc *alloc,
                           const uint64_t counts[TV_SECTION_COUNT], unsigned section_count,
                           struct tv_error *err) TV_MUST_CHECK;
/* Clears the sections from `first` to `last`, on the pool: their pages are touched there first. */
void tv_block_clear(struct tv_index *index, enum tv_section first, enum tv_section last,
                    const struct tv_pool *pool);
/* Clears what is between the sections of a whole block, last of all: a page that nobody has touched
 * yet is one that everybody waits for. */
void tv_block_clear_gaps(struct tv_index *index);
/*
 * Makes the index a view of a whole block that lies in the caller's bytes, at a multiple of 8. The
 * block must be of this version and machine, and each section lie where tv_block_make puts it, else
 * TV_ERR_FORMAT; what is in the sections is not looked at.
 */
enum tv_code tv_block_view(struct tv_index *index, const uint8_t *bytes, size_t len,
                           struct tv_error *err) TV_MUST_CHECK;
/* A section of a block that is being filled. */
void *tv_block_section(const struct tv_index *index, enum tv_section section);

#endif
