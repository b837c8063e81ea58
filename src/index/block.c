/*
 * Laying out the block and finding the columns in it; see index/block.h.
 *
 * Where a section stands follows from the counts of elements alone. So the offsets that a mapped
 * block has in its head are checked by laying it out once more and comparing the two heads.
 */
#include "index/block.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Bytes. A line of the cache, so that no line holds parts of two sections. */
#define SECTION_ALIGNMENT 64u
/* Bytes that one task clears: a large page, so that two tasks do not wait for the same page. */
#define CLEAR_LEN ((size_t)2 << 20)

static const size_t elem_lens[TV_SECTION_COUNT] = {
#define LEN(name, elem_len) elem_len,
    TV_SECTIONS(LEN)
#undef LEN
};

/* The block, to be written. The only place that takes the const off. */
static void *block_of(const struct tv_index *index)
{
    void *block;
    memcpy(&block, &index->block, sizeof(block));
    return block;
}

void *tv_block_section(const struct tv_index *index, enum tv_section section)
{
    const struct tv_block_head *head = (const struct tv_block_head *)(const void *)index->block;
    return (char *)block_of(index) + head->sections[section].off;
}

/* The head is copied out, because a mapped block may be const. */
uint64_t tv_block_count(const struct tv_index *index, enum tv_section section)
{
    struct tv_block_head head;
    memcpy(&head, index->block, sizeof(head));
    return head.sections[section].count;
}

/* Points the columns at the sections of index->block. */
static void attach(struct tv_index *index)
{
    index->info = tv_block_section(index, TV_SECTION_INFO);
    index->properties = tv_block_section(index, TV_SECTION_PROPERTIES);
    index->processes = tv_block_section(index, TV_SECTION_PROCESSES);
    index->process_count = (uint32_t)tv_block_count(index, TV_SECTION_PROCESSES);
    index->threads = tv_block_section(index, TV_SECTION_THREADS);
    index->thread_count = (uint32_t)tv_block_count(index, TV_SECTION_THREADS);
    index->methods = tv_block_section(index, TV_SECTION_METHODS);
    index->method_count = (uint32_t)tv_block_count(index, TV_SECTION_METHODS);
    index->method_of_rank = tv_block_section(index, TV_SECTION_METHOD_OF_RANK);
    index->rows = tv_block_section(index, TV_SECTION_ROWS);
    index->row_count = (uint32_t)tv_block_count(index, TV_SECTION_ROWS);
    index->node_count = (uint32_t)tv_block_count(index, TV_SECTION_NODE_METHOD);
    index->node_method = tv_block_section(index, TV_SECTION_NODE_METHOD);
    index->node_parent = tv_block_section(index, TV_SECTION_NODE_PARENT);
    index->node_depth = tv_block_section(index, TV_SECTION_NODE_DEPTH);
    index->node_flags = tv_block_section(index, TV_SECTION_NODE_FLAGS);
    /* Two words a node are 64-bit sums. */
    index->has_wide_sums = tv_block_count(index, TV_SECTION_NODE_CALLS) != index->node_count;
    index->node_calls = tv_block_section(index, TV_SECTION_NODE_CALLS);
    index->node_inclusive[0] = tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_WALL);
    index->node_inclusive[1] = tv_block_section(index, TV_SECTION_NODE_INCLUSIVE_CPU);
    index->node_exclusive[0] = tv_block_section(index, TV_SECTION_NODE_EXCLUSIVE_WALL);
    index->node_exclusive[1] = tv_block_section(index, TV_SECTION_NODE_EXCLUSIVE_CPU);
    index->call_count = tv_block_count(index, TV_SECTION_CALL_NODE);
    index->call_node = tv_block_section(index, TV_SECTION_CALL_NODE);
    index->times = tv_block_section(index, TV_SECTION_TIMES);
    index->long_calls = tv_block_section(index, TV_SECTION_LONG_CALLS);
    index->long_count = tv_block_count(index, TV_SECTION_LONG_CALLS);
    index->mipmap_starts = tv_block_section(index, TV_SECTION_MIPMAP_STARTS);
    index->mipmap_lens = tv_block_section(index, TV_SECTION_MIPMAP_LENS);
    index->mipmap_words = tv_block_count(index, TV_SECTION_MIPMAP_STARTS);
    index->segment_groups = tv_block_section(index, TV_SECTION_SEGMENT_GROUPS);
    index->segment_group_count = tv_block_count(index, TV_SECTION_SEGMENT_GROUPS);
    index->text = tv_block_section(index, TV_SECTION_TEXT);
    index->text_len = tv_block_count(index, TV_SECTION_TEXT);
}

/* Sets the offsets of the first sections, and the length of the block. Fails where a length does
 * not fit; the block may be forged, so counts can be anything. */
static enum tv_code lay_out(struct tv_block_head *head, const uint64_t counts[TV_SECTION_COUNT],
                            unsigned section_count, struct tv_error *err)
{
    size_t len = sizeof(*head);
    for (unsigned i = 0; i < section_count; i++) {
        size_t section_len;
        if (!tv_size_add(len, SECTION_ALIGNMENT - 1, &len) ||
            !tv_size_mul((size_t)counts[i], elem_lens[i], &section_len))
            return tv_fail_memory(err, UINT64_MAX);
        len = len / SECTION_ALIGNMENT * SECTION_ALIGNMENT;
        head->sections[i] = (struct tv_block_section){.off = len, .count = counts[i]};
        if (!tv_size_add(len, section_len, &len))
            return tv_fail_memory(err, UINT64_MAX);
    }
    head->block_len = len;
    return TV_OK;
}

/* A block that is there already is made longer: sections are laid out in their order, so those that
 * have been written stay where they are. */
enum tv_code tv_block_make(struct tv_index *index, const struct tv_alloc *alloc,
                           const uint64_t counts[TV_SECTION_COUNT], unsigned section_count,
                           struct tv_error *err)
{
    struct tv_block_head head = {
        .magic = TV_BLOCK_MAGIC, .version = TV_BLOCK_VERSION, .section_count = TV_SECTION_COUNT};
    TV_TRY(lay_out(&head, counts, section_count, err));
    /* The block is the largest allocation of all: the program's allocator moves its pages and does
     * not copy it (os/memory/mapping_cache.h). */
    char *block =
        alloc->resize(alloc->ctx, block_of(index), index->block_len, (size_t)head.block_len);
    if (!block)
        return tv_fail_memory(err, head.block_len);
    memcpy(block, &head, sizeof(head));
    index->alloc = alloc;
    index->block = (const uint8_t *)block;
    index->block_len = (size_t)head.block_len;
    attach(index);
    return TV_OK;
}

void tv_block_clear_gaps(struct tv_index *index)
{
    struct tv_block_head head;
    char *block = block_of(index);
    memcpy(&head, block, sizeof(head));
    uint64_t end = sizeof(head); /* of the section before */
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        memset(block + end, 0, (size_t)(head.sections[i].off - end));
        end = head.sections[i].off + head.sections[i].count * elem_lens[i];
    }
}

/* A stretch of the block that tasks clear piece by piece. */
struct clearing {
    char *at;
    size_t len;
};

/* Clears one piece of the stretch. */
static void clear_piece(void *arg, size_t piece)
{
    const struct clearing *clearing = arg;
    size_t left = clearing->len - piece * CLEAR_LEN;
    memset(clearing->at + piece * CLEAR_LEN, 0, left < CLEAR_LEN ? left : CLEAR_LEN);
}

void tv_block_clear(struct tv_index *index, enum tv_section first, enum tv_section last,
                    const struct tv_pool *pool)
{
    struct clearing clearing = {.at = tv_block_section(index, first)};
    char *end =
        (char *)tv_block_section(index, last) + tv_block_count(index, last) * elem_lens[last];
    clearing.len = (size_t)(end - clearing.at);
    pool->run(pool->ctx, clear_piece, &clearing, (clearing.len + CLEAR_LEN - 1) / CLEAR_LEN);
}

/* Whether the counts of what 32-bit ordinals name leave TV_NONE free. */
static bool counts_fit(const struct tv_block_head *head)
{
    static const enum tv_section sections[] = {TV_SECTION_THREADS, TV_SECTION_METHODS,
                                               TV_SECTION_ROWS, TV_SECTION_NODE_METHOD};
    for (size_t i = 0; i < TV_COUNT_OF(sections); i++) {
        if (head->sections[sections[i]].count >= TV_NONE)
            return false;
    }
    return true;
}

/* The bytes may be forged. After this check every section lies within the bytes; what the sections
 * say is checked by index/saved/saved_check.h. */
enum tv_code tv_block_view(struct tv_index *index, const uint8_t *bytes, size_t len,
                           struct tv_error *err)
{
    struct tv_block_head head;
    uint64_t counts[TV_SECTION_COUNT];
    if (len < sizeof(head) || (uintptr_t)bytes % sizeof(uint64_t))
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "no block of an index");
    memcpy(&head, bytes, sizeof(head));
    if (head.magic != TV_BLOCK_MAGIC || head.version != TV_BLOCK_VERSION ||
        head.section_count != TV_SECTION_COUNT)
        return tv_fail(err, TV_ERR_FORMAT, 0, "a block of another version or machine");
    /* A head that equals the one a builder makes has only offsets within the block. */
    struct tv_block_head expected = {
        .magic = TV_BLOCK_MAGIC, .version = TV_BLOCK_VERSION, .section_count = TV_SECTION_COUNT};
    /* The counts are taken from the head, which may be forged; all else is computed from them. */
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++)
        counts[i] = head.sections[i].count;
    if (lay_out(&expected, counts, TV_SECTION_COUNT, NULL) != TV_OK || expected.block_len != len ||
        memcmp(&head, &expected, sizeof(head)) != 0 || !counts_fit(&head))
        return tv_fail(err, TV_ERR_FORMAT, 0, "a block whose sections do not lie as they should");
    tv_index_init(index);
    index->block = bytes;
    index->block_len = len;
    attach(index);
    return TV_OK;
}

void tv_index_init(struct tv_index *index)
{
    *index = (struct tv_index){.alloc = NULL};
}

void tv_index_release(struct tv_index *index)
{
    uint8_t *block = block_of(index);
    if (index->alloc)
        tv_alloc_release(index->alloc, &block, index->block_len, 1);
    tv_index_init(index);
}
