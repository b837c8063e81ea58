/*
 * The saved index: what was saved opens and is the same; and when somebody forges one, with true
 * checksums, the full check refuses it or it answers every route without harm.
 *
 * The input is a trace of any family. Its last bytes are also a script: eight bytes tell what one
 * forgery writes where.
 */
#include <string.h>

#include "ask.h"
#include "base/alloc.h"
#include "check.h"
#include "index/build/build.h"
#include "index/saved/saved.h"

#define INDEX_MEMORY ((size_t)1 << 27)
#define FORGERIES 8u
#define FORGERY_LEN 8u

static const struct tv_saved_source source = {.identity = {3, 5}};

struct saved {
    const struct tv_alloc *alloc;
    uint8_t *bytes;
    size_t len;
};

static void seal(struct saved *saved, const struct tv_index *index)
{
    FUZZ_CHECK(tv_saved_seal(index, &source, saved->alloc, tv_pool_serial(), saved->bytes, NULL) ==
               TV_OK);
}

/* As whoever opens an index that another process made. */
static enum tv_code open_and_check(const struct saved *saved, struct tv_index *index)
{
    struct tv_saved_source wanted = source;
    enum tv_code code = tv_saved_open(index, (struct tv_saved_bytes){saved->bytes, saved->len},
                                      &wanted, saved->alloc, tv_pool_serial(), NULL);
    FUZZ_CHECK(code == TV_OK); /* its checksums are true */
    return tv_saved_check(index, saved->alloc, tv_pool_serial(), NULL);
}

/* Writes the script's value into a section; false when that is what stood there. */
static bool forge(const struct saved *saved, const uint8_t script[FORGERY_LEN])
{
    static const uint64_t odd[] = {0, UINT64_MAX, INT64_MAX, UINT32_MAX, 1, 2, 0x80000000u, 64};
    struct tv_block_head head;
    uint8_t *block = saved->bytes + TV_SAVED_HEAD_LEN;
    memcpy(&head, block, sizeof(head));
    const struct tv_block_section *section = &head.sections[script[0] % TV_SECTION_COUNT];
    bool is_last = script[0] % TV_SECTION_COUNT + 1 == TV_SECTION_COUNT;
    uint64_t end = is_last ? head.block_len : section[1].off;
    uint64_t words = (end - section->off) / 4;
    uint32_t at = script[1] | (uint32_t)script[2] << 8 | (uint32_t)script[3] << 16;
    if (!words)
        return false;
    uint64_t off = section->off + at % words * 4;
    size_t len = script[4] & 1 && off % 8 == 0 && off + 8 <= head.block_len ? 8 : 4;
    uint64_t old = 0;
    memcpy(&old, block + off, len);
    uint64_t value = script[5] | (uint64_t)script[6] << 8;
    switch (script[4] >> 1 & 3) {
    case 0:
        value = odd[script[5] % (sizeof(odd) / sizeof(odd[0]))];
        break;
    case 1:
        value = old + script[5];
        break;
    case 2:
        value = old - script[5];
        break;
    default:
        break;
    }
    memcpy(block + off, &value, len);
    return memcmp(&old, &value, len) != 0;
}

static void use_forged(struct saved *saved, struct tv_str query)
{
    struct tv_index index;
    FUZZ_CHECK(tv_block_view(&index, saved->bytes + TV_SAVED_HEAD_LEN,
                             saved->len - TV_SAVED_HEAD_LEN, NULL) == TV_OK);
    seal(saved, &index);
    if (open_and_check(saved, &index) == TV_OK)
        fuzz_ask_all(saved->alloc, &index, query);
}

/* One forgery at a time, and all together. */
static void forge_all(struct saved *saved, const struct tv_index *index, const uint8_t *script,
                      size_t script_len)
{
    struct tv_str query = {(const char *)script, script_len};
    uint8_t *block = saved->bytes + TV_SAVED_HEAD_LEN;
    for (size_t i = 0; i + FORGERY_LEN <= script_len; i += FORGERY_LEN) {
        if (forge(saved, script + i))
            use_forged(saved, query);
        memcpy(block, index->block, index->block_len);
    }
    bool is_forged = false;
    for (size_t i = 0; i + FORGERY_LEN <= script_len; i += FORGERY_LEN)
        is_forged = forge(saved, script + i) || is_forged;
    if (is_forged)
        use_forged(saved, query);
}

static void save_and_forge(const struct tv_alloc *alloc, const struct tv_index *index,
                           const uint8_t *script, size_t script_len)
{
    struct tv_index opened;
    struct saved saved = {.alloc = alloc, .len = TV_SAVED_HEAD_LEN + index->block_len};
    FUZZ_CHECK(tv_alloc_new(alloc, &saved.bytes, saved.len, 1, NULL) == TV_OK);
    memcpy(saved.bytes + TV_SAVED_HEAD_LEN, index->block, index->block_len);
    seal(&saved, index);
    enum tv_code code = open_and_check(&saved, &opened);
    FUZZ_CHECK(code == (tv_saved_can_hold(index) ? TV_OK : TV_ERR_FORMAT));
    if (code == TV_OK) {
        FUZZ_CHECK(opened.block_len == index->block_len &&
                   !memcmp(opened.block, index->block, index->block_len));
        forge_all(&saved, index, script, script_len);
    }
    tv_alloc_release(alloc, &saved.bytes, saved.len, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_memory memory;
    struct tv_trace trace;
    struct tv_index index;
    size_t script_len = len < FORGERIES * FORGERY_LEN ? len : FORGERIES * FORGERY_LEN;
    fuzz_memory_init(&memory, len);
    memory.most += INDEX_MEMORY;
    tv_trace_init(&trace, &memory.alloc);
    tv_index_init(&index);
    enum tv_code code = tv_trace_open(&trace, bytes, len, NULL, NULL);
    if (code == TV_OK)
        code = tv_index_build(&index, &trace, NULL, NULL);
    tv_trace_release(&trace);
    if (code == TV_OK)
        save_and_forge(&memory.alloc, &index, bytes + len - script_len, script_len);
    tv_index_release(&index);
    fuzz_memory_check_released(&memory);
    return 0;
}
