/*
 * Finds, checks and saves the index of a trace in the user's cache; see cli/file/index_cache.h. The
 * name of an entry is a checksum over the identity of everything that reading depends on: all parts
 * of the trace, the table beside a stream, the program itself, and the names of a mapping. A change
 * of one of these leads to another entry, so an entry is never out of date, only unused.
 *
 * A saved index is mapped, not read, and it may be shortened by others at any time: it is believed
 * only after tv_saved_open() and a check of the mapping. An entry that does not open is removed. An
 * index is saved only if the trace's identity is the same after reading as before.
 */
#include "cli/file/index_cache.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/checksum.h"
#include "base/error.h"
#include "cli/file/load.h"
#include "cli/file/renamed.h"
#include "index/memory.h"
#include "os/file/file.h"
#include "os/file/identity.h"

static_assert(TV_SAVED_HEAD_LEN == TV_MAPPING_HEAD_LEN, "the block begins at the second page");

/* Unpacked bytes of a trace. A shorter one is read in 30 ms of CPU time; its saved index would open
 * in a third of that, which nobody sees. */
#define WORTH_LEN ((uint64_t)8 << 20)

/* The program is part of the identity: an index that another build made may come from another
 * reading of the file, and nobody could tell. */
#define THIS_PROGRAM "/proc/self/exe"

static enum tv_code fail_without_identity(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                   "an index is saved only of files, and where a cache is used");
}

/* Takes in all files that reading depends on, the program that reads too. A table beside a stream
 * may come or go. */
static enum tv_code identify(const char *name, struct tv_identity *identity, struct tv_error *err)
{
    char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP];
    char side[TV_PATH_CAP];
    tv_identity_init(identity);
    if (strcmp(name, "-") == 0 || !tv_side_path(side, name))
        return fail_without_identity(err);
    TV_TRY(tv_identity_add(identity, THIS_PROGRAM, err));
    size_t count = tv_file_parts(name, parts);
    enum tv_code code = count ? TV_OK : TV_ERR_NOT_FOUND;
    for (size_t i = 0; i < count && code == TV_OK; i++)
        code = tv_identity_add(identity, parts[i], err);
    if (code == TV_ERR_NOT_FOUND)
        return tv_fail(err, code, TV_NO_OFFSET, "no such file: check the name");
    TV_TRY(code);
    code = tv_identity_add(identity, side, err);
    return code == TV_ERR_NOT_FOUND ? TV_OK : code;
}

/* The identity has room for whatever else decides the names: it is mixed with the sum of the
 * mapping. */
static void name_entry(const struct tv_index_cache *cached, char entry[TV_CACHE_NAME_CAP])
{
    struct tv_identity identity;
    memcpy(identity.of, cached->source.identity, sizeof(identity.of));
    /* An index with other names is kept beside the one with the file's. */
    if (cached->source.names)
        identity.of[0] = tv_checksum_mix(identity.of[0], cached->source.names);
    tv_cache_name(entry, &identity);
}

/* Opens what is mapped. On success the index owns the mapping, and releases it through its
 * allocator; on failure it is released here. */
static enum tv_code take_mapping(struct tv_index_cache *cached, struct tv_mapping *mapping,
                                 struct tv_index *index, struct tv_error *err)
{
    enum tv_code code = tv_saved_open(index, (struct tv_saved_bytes){mapping->bytes, mapping->len},
                                      &cached->source, cached->cli->alloc, cached->cli->pool, err);
    /* From here on the index is believed; what went missing before shows in the check. */
    tv_mapping_stop_readers(mapping->bytes);
    if (code == TV_OK && tv_mapping_check(mapping->bytes, err) != TV_OK)
        code = TV_ERR_FORMAT;
    if (code == TV_OK)
        index->alloc = tv_mapping_alloc();
    else
        tv_mapping_release(mapping);
    return code;
}

void tv_index_cache_set_way(struct tv_index_cache *cached, size_t way)
{
    cached->way = way;
    cached->source.names = tv_renamed_sum(cached->cli, way);
}

/* Which mapping of a folder fits is known only to who reads the trace, so the saved index may be
 * there for any of them. */
static void name_saved(struct tv_index_cache *cached, const struct tv_cache *cache,
                       char entry[TV_CACHE_NAME_CAP])
{
    const size_t ways = tv_renamed_ways(cached->cli);
    for (size_t way = 0; way < ways; way++) {
        tv_index_cache_set_way(cached, way);
        name_entry(cached, entry);
        if (ways == 1 || tv_cache_has(cache, entry))
            return;
    }
}

/* Opens the cache, and finds out the name of the entry. */
static enum tv_code begin(struct tv_index_cache *cached, const struct tv_cli *cli, const char *name,
                          struct tv_cache *cache, char entry[TV_CACHE_NAME_CAP],
                          struct tv_error *err)
{
    struct tv_identity identity;
    *cached = (struct tv_index_cache){.cli = cli};
    tv_cache_init(cache, cli->alloc);
    if (!cli->uses_cache)
        return fail_without_identity(err);
    TV_TRY(identify(name, &identity, err));
    memcpy(cached->source.identity, identity.of, sizeof(identity.of));
    cached->has_identity = true;
    tv_index_cache_set_way(cached, 0);
    TV_TRY(tv_cache_open(cache, TV_CACHE_IF_THERE, err));
    name_saved(cached, cache, entry);
    return TV_OK;
}

/* Looks only at the names of saved indexes; whether the entry opens is found out by
 * tv_index_cache_find. */
bool tv_index_cache_is_there(struct tv_index_cache *cached, const struct tv_cli *cli,
                             const char *name)
{
    struct tv_cache cache;
    char entry[TV_CACHE_NAME_CAP];
    bool is_there =
        begin(cached, cli, name, &cache, entry, NULL) == TV_OK && tv_cache_has(&cache, entry);
    tv_cache_release(&cache);
    return is_there;
}

/* An index that was saved with --unpack-all may be larger than one that is made without. It stays
 * saved, but without --unpack-all the trace is refused as if no index were saved. */
static bool is_within_bounds(struct tv_index *index, bool is_trusted)
{
    index->made_of.is_trusted = is_trusted;
    if (index->block_len <= tv_memory_of_index(&index->made_of))
        return true;
    tv_index_release(index);
    return false;
}

/* An entry that is damaged is removed and counts as none: the trace is read again, and nobody is
 * bothered. */
bool tv_index_cache_find(struct tv_index_cache *cached, const struct tv_cli *cli, const char *name,
                         struct tv_index *index)
{
    struct tv_cache cache;
    struct tv_mapping mapping;
    char entry[TV_CACHE_NAME_CAP];
    enum tv_code code = begin(cached, cli, name, &cache, entry, NULL);
    if (code == TV_OK)
        code = tv_cache_map(&cache, entry, &mapping, NULL);
    if (code == TV_OK)
        code = take_mapping(cached, &mapping, index, NULL);
    if (code == TV_ERR_FORMAT)
        (void)tv_cache_forget(&cache, entry);
    tv_cache_release(&cache);
    return code == TV_OK && is_within_bounds(index, cli->shared.unpack_all);
}

/* Every sum of the file is computed anew, which takes as long as reading it. */
static enum tv_code map_and_check(struct tv_index_cache *cached, const struct tv_cache *cache,
                                  const char *entry, struct tv_error *err)
{
    const struct tv_cli *cli = cached->cli;
    struct tv_mapping mapping;
    struct tv_index index;
    TV_TRY(tv_cache_map(cache, entry, &mapping, err));
    TV_TRY(take_mapping(cached, &mapping, &index, err));
    enum tv_code code = tv_saved_check(&index, cli->alloc, cli->pool, err);
    tv_index_release(&index);
    return code;
}

/* Removes the damaged entry and tells of it. The offset is in the entry, and not in the trace that
 * the message is about. */
static void remove_damaged(const struct tv_cache *cache, const char *entry,
                           const struct tv_error *reason, struct tv_error *err)
{
    const bool is_removed = tv_cache_forget(cache, entry);
    const char *why = is_removed ? "" : strerror(errno);
    char at[48] = "";
    if (reason->offset != TV_NO_OFFSET)
        (void)snprintf(at, sizeof(at), ", at offset %llu of it",
                       (unsigned long long)reason->offset);
    if (is_removed)
        (void)tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "its saved index was removed: %s%s",
                      reason->text, at);
    else
        (void)tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET,
                      "its saved index is damaged and cannot be removed (%s): %s%s", why,
                      reason->text, at);
}

/* Checks a saved index in full, not only as far as opening does. An entry that is damaged is
 * removed, and the reason says whether it could be. */
enum tv_code tv_index_cache_check(struct tv_index_cache *cached, const struct tv_cli *cli,
                                  const char *name, struct tv_error *err)
{
    struct tv_cache cache;
    struct tv_error reason = {.code = TV_OK};
    char entry[TV_CACHE_NAME_CAP];
    enum tv_code code = begin(cached, cli, name, &cache, entry, &reason);
    if (code == TV_OK)
        code = map_and_check(cached, &cache, entry, &reason);
    if (code == TV_ERR_NOT_FOUND && cached->has_identity)
        (void)tv_fail(err, code, TV_NO_OFFSET, "no index of it is saved");
    else if (code == TV_ERR_FORMAT)
        remove_damaged(&cache, entry, &reason, err);
    else if (code != TV_OK && err)
        *err = reason;
    tv_cache_release(&cache);
    return code;
}

/* The identity is taken again after the trace was read: a file that was written to meanwhile would
 * be saved under a wrong identity. */
static enum tv_code check_whether(const struct tv_index_cache *cached, const char *name,
                                  const struct tv_index *index, struct tv_error *err)
{
    struct tv_identity now;
    if (!cached->has_identity)
        return fail_without_identity(err);
    if (!tv_saved_can_hold(index))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "no index is saved of a trace without a clock, or of centuries");
    if (identify(name, &now, NULL) != TV_OK ||
        memcmp(now.of, cached->source.identity, sizeof(now.of)) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "changed while it was read: wait until it is written, and try again");
    return TV_OK;
}

/* Writes the index as an entry of the cache: its head, then its block as it lies in memory. The
 * mode "if worth" leaves out short traces, which are read as quickly as opened. */
enum tv_code tv_index_cache_save(const struct tv_index_cache *cached, const char *name,
                                 const struct tv_index *index, enum tv_save_which which,
                                 const struct tv_cache_watch *watch, struct tv_error *err)
{
    uint8_t head[TV_SAVED_HEAD_LEN];
    struct tv_cache cache;
    char entry[TV_CACHE_NAME_CAP];
    if (which == TV_SAVE_IF_WORTH && index->info->file_len < WORTH_LEN)
        return TV_OK;
    TV_TRY(check_whether(cached, name, index, err));
    name_entry(cached, entry);
    /* One thread: others answer meanwhile. */
    TV_TRY(tv_saved_seal(index, &cached->source, cached->cli->alloc, tv_pool_serial(), head, err));
    const struct tv_str parts[] = {
        {(const char *)head, sizeof(head)},
        {(const char *)(const void *)index->block, index->block_len},
    };
    tv_cache_init(&cache, cached->cli->alloc);
    enum tv_code code = tv_cache_open(&cache, TV_CACHE_MAKE, err);
    if (code == TV_OK)
        code = tv_cache_write(&cache, entry, parts, TV_COUNT_OF(parts), watch, err);
    tv_cache_release(&cache);
    return code;
}

enum tv_code tv_index_cache_path(const struct tv_index_cache *cached, char path[TV_PATH_CAP],
                                 struct tv_error *err)
{
    char entry[TV_CACHE_NAME_CAP];
    name_entry(cached, entry);
    return tv_path_cache(path, entry, err);
}
