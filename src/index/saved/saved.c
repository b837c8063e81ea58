/*
 * Sealing and opening a saved index; see index/saved/saved.h.
 *
 * A saved index is a head and the bytes of the block. The head has a checksum of each section, made
 * of the checksums of pieces, so that all cores sum at once and the result does not depend on their
 * number. Checksums find damage, not forgery: tv_saved_check does that for files that others may
 * have written.
 */
#include "index/saved/saved.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes/checksum.h"
#include "base/error.h"
#include "index/saved/saved_check.h"

/* Sections are summed in pieces, so that several threads can. */
#define PIECE_LEN ((uint64_t)1 << 20)

static const uint64_t elem_lens[TV_SECTION_COUNT] = {
#define LEN(name, elem_len) elem_len,
    TV_SECTIONS(LEN)
#undef LEN
};

struct summing {
    const uint8_t *block;
    struct tv_block_head head;
    uint64_t first_piece[TV_SECTION_COUNT + 1];
    uint64_t *sums; /* of pieces */
};

/* tv_saved_check refuses larger times, because they could overflow when they are added up; so an
 * index that has such times is not saved at all. */
bool tv_saved_can_hold(const struct tv_index *index)
{
    const struct tv_index_info *info = index->info;
    uint64_t most = tv_saved_largest_time(index);
    bool fits =
        info->axis_len <= most && (info->has_clock[TV_CLOCK_WALL] || info->has_clock[TV_CLOCK_CPU]);
    for (unsigned clock = 0; clock < TV_CLOCK_COUNT; clock++) {
        uint64_t total = 0;
        for (uint32_t i = 0; fits && i < index->thread_count; i++) {
            const struct tv_index_thread *thread = &index->threads[i];
            fits = thread->last[clock] <= most && thread->root_total[clock] <= most - total;
            total += thread->root_total[clock];
        }
    }
    return fits;
}

/* Bytes from this section to the next. The gap between them counts, so that the checksums leave out
 * no byte of the block. */
static uint64_t section_len(const struct tv_block_head *head, unsigned section)
{
    uint64_t end =
        section + 1 < TV_SECTION_COUNT ? head->sections[section + 1].off : head->block_len;
    return end - head->sections[section].off;
}

static void sum_piece(void *arg, size_t piece)
{
    const struct summing *summing = arg;
    unsigned section = 0;
    while (piece >= summing->first_piece[section + 1])
        section++;
    uint64_t from = (piece - summing->first_piece[section]) * PIECE_LEN;
    uint64_t len = section_len(&summing->head, section) - from;
    summing->sums[piece] = tv_checksum(summing->block + summing->head.sections[section].off + from,
                                       (size_t)(len < PIECE_LEN ? len : PIECE_LEN));
}

static enum tv_code sum_sections(const struct tv_index *index, const struct tv_alloc *alloc,
                                 const struct tv_pool *pool, uint64_t sums[TV_SECTION_COUNT],
                                 struct tv_error *err)
{
    struct summing summing = {.block = index->block};
    uint64_t count = 0;
    memcpy(&summing.head, index->block, sizeof(summing.head));
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        summing.first_piece[i] = count;
        count += (section_len(&summing.head, i) + PIECE_LEN - 1) / PIECE_LEN;
    }
    summing.first_piece[TV_SECTION_COUNT] = count;
    TV_TRY(tv_alloc_new(alloc, &summing.sums, (size_t)count, sizeof(*summing.sums), err));
    pool->run(pool->ctx, sum_piece, &summing, (size_t)count);
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        sums[i] = i;
        for (uint64_t piece = summing.first_piece[i]; piece < summing.first_piece[i + 1]; piece++)
            sums[i] = tv_checksum_mix(sums[i], summing.sums[piece]);
    }
    tv_alloc_release(alloc, &summing.sums, (size_t)count, sizeof(*summing.sums));
    return TV_OK;
}

/* All before the first section, but for the sum itself. */
static uint64_t sum_head(const uint8_t page[TV_SAVED_HEAD_LEN], const uint8_t *block)
{
    const size_t sum_off = offsetof(struct tv_saved_head, head_sum);
    uint64_t sum = tv_checksum(page, sum_off);
    sum = tv_checksum_mix(sum, tv_checksum(page + sum_off + sizeof(uint64_t),
                                           TV_SAVED_HEAD_LEN - sum_off - sizeof(uint64_t)));
    struct tv_block_head head;
    memcpy(&head, block, sizeof(head));
    return tv_checksum_mix(sum, tv_checksum(block, (size_t)head.sections[0].off));
}

void tv_saved_name(char name[TV_SAVED_NAME_CAP])
{
    static const uint32_t order = 0x01020304;
    uint8_t first;
    memcpy(&first, &order, 1);
    uint64_t sum =
        tv_checksum_mix(tv_checksum((const uint8_t *)elem_lens, sizeof(elem_lens)), first);
    (void)snprintf(name, TV_SAVED_NAME_CAP, "%d.%u-%08x", TV_INDEX_VERSION, TV_SAVED_VERSION,
                   (unsigned)(sum & UINT32_MAX));
}

/* The sum of the head is made while its own field is still 0. */
enum tv_code tv_saved_seal(const struct tv_index *index, const struct tv_saved_source *source,
                           const struct tv_alloc *alloc, const struct tv_pool *pool,
                           uint8_t head[TV_SAVED_HEAD_LEN], struct tv_error *err)
{
    struct tv_saved_head made = {.magic = TV_SAVED_MAGIC,
                                 .version = TV_SAVED_VERSION,
                                 .section_count = TV_SECTION_COUNT,
                                 .block_len = index->block_len,
                                 .source = *source};
    memcpy(made.elem_lens, elem_lens, sizeof(elem_lens));
    TV_TRY(sum_sections(index, alloc, pool, made.section_sums, err));
    memset(head, 0, TV_SAVED_HEAD_LEN);
    memcpy(head, &made, sizeof(made));
    made.head_sum = sum_head(head, index->block);
    memcpy(head, &made, sizeof(made));
    return TV_OK;
}

/* Whether it is a saved index of this version, and whole. Another version has another length, too,
 * so it is told first. */
static enum tv_code check_kind(const struct tv_saved_head *head, size_t len, struct tv_error *err)
{
    const size_t block_len = len - TV_SAVED_HEAD_LEN;
    if (head->magic != TV_SAVED_MAGIC)
        return tv_fail(err, TV_ERR_FORMAT, 0, "it does not begin as a saved index");
    if (head->version != TV_SAVED_VERSION || head->section_count != TV_SECTION_COUNT ||
        memcmp(head->elem_lens, elem_lens, sizeof(elem_lens)) != 0)
        return tv_fail(err, TV_ERR_FORMAT, offsetof(struct tv_saved_head, version),
                       "it is damaged, or of another version or machine");
    if (head->block_len > block_len)
        return tv_fail(err, TV_ERR_FORMAT, len, "it is cut short");
    if (head->block_len < block_len)
        return tv_fail(err, TV_ERR_FORMAT, TV_SAVED_HEAD_LEN + head->block_len,
                       "it goes on behind its end");
    return TV_OK;
}

/* The rest of the head but the sums of sections. */
static enum tv_code check_head(const struct tv_saved_head *head, const struct tv_index *index,
                               const struct tv_saved_source *source, struct tv_error *err)
{
    if (sum_head(index->block - TV_SAVED_HEAD_LEN, index->block) != head->head_sum)
        return tv_fail(err, TV_ERR_FORMAT, 0, "its head is damaged");
    if (memcmp(head->source.identity, source->identity, sizeof(source->identity)) != 0 ||
        head->source.names != source->names)
        return tv_fail(err, TV_ERR_FORMAT, offsetof(struct tv_saved_head, source),
                       "it was made of another trace");
    return TV_OK;
}

static enum tv_code check_sections(const struct tv_saved_head *head, const struct tv_index *index,
                                   const struct tv_alloc *alloc, const struct tv_pool *pool,
                                   struct tv_error *err)
{
    uint64_t sums[TV_SECTION_COUNT];
    struct tv_block_head block;
    TV_TRY(sum_sections(index, alloc, pool, sums, err));
    memcpy(&block, index->block, sizeof(block));
    for (unsigned i = 0; i < TV_SECTION_COUNT; i++) {
        if (sums[i] != head->section_sums[i])
            return tv_fail(err, TV_ERR_FORMAT, TV_SAVED_HEAD_LEN + block.sections[i].off,
                           "section %u is damaged", i);
    }
    return TV_OK;
}

/* A forged index may have no info; it is opened before it is checked. */
static struct tv_made_of made_of(const struct tv_index *index)
{
    struct tv_block_head head;
    memcpy(&head, index->block, sizeof(head));
    if (!head.sections[TV_SECTION_INFO].count)
        return (struct tv_made_of){.len = 0};
    return (struct tv_made_of){.len = index->info->file_len, .packed_len = index->info->packed_len};
}

enum tv_code tv_saved_open(struct tv_index *index, struct tv_saved_bytes bytes,
                           const struct tv_saved_source *source, const struct tv_alloc *alloc,
                           const struct tv_pool *pool, struct tv_error *err)
{
    struct tv_saved_head head;
    tv_index_init(index);
    if (bytes.len < TV_SAVED_HEAD_LEN)
        return tv_fail(err, TV_ERR_FORMAT, bytes.len, "it is cut short");
    memcpy(&head, bytes.at, sizeof(head));
    enum tv_code code = check_kind(&head, bytes.len, err);
    if (code == TV_OK && tv_block_view(index, bytes.at + TV_SAVED_HEAD_LEN,
                                       bytes.len - TV_SAVED_HEAD_LEN, NULL) != TV_OK)
        code = tv_fail(err, TV_ERR_FORMAT, TV_SAVED_HEAD_LEN, "the head of its block is damaged");
    if (code == TV_OK)
        code = check_head(&head, index, source, err);
    if (code == TV_OK)
        code = check_sections(&head, index, alloc, pool, err);
    if (code == TV_OK)
        index->made_of = made_of(index);
    else
        tv_index_init(index);
    return code;
}
