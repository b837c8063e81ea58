/*
 * The user's cache of saved indexes: a folder of files that can be lost without harm. Each file is
 * written once, under a name of its own, and never changed. A file that is replaced or evicted is
 * unlinked, so whoever has it mapped keeps it. Any number of processes may use the folder at once.
 *
 * The folder is $XDG_CACHE_HOME/traceview, or ~/.cache/traceview. A saved index is used without a
 * look at every number in it (index/saved.h), so only this user may have written what is mapped:
 * the folder and the file belong to the user, neither may be written by the group or by others, and
 * the file is a plain one, no link to a file elsewhere. A folder or file that is not so is not
 * used.
 *
 * All files together stay below a limit: that of $TRACEVIEW_CACHE_SIZE (bytes, or with K, M, G, T;
 * 0 for no cache), else 4 GiB; but at most a quarter of the disk's free space, with the cache's own
 * files counted as free. The least recently used file goes first; a file's time of change says when
 * it was used last.
 *
 * Nothing is flushed to the disk: whoever reads a file must compare its checksums anyway, and a
 * torn file is written again.
 */
#ifndef TV_OS_FILE_CACHE_H
#define TV_OS_FILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "os/file/identity.h"
#include "os/memory/mapping.h"

struct tv_cache {
    const struct tv_alloc *alloc;
    int folder; /* -1: not open */
};

/* The name of a file: 32 hexadecimal digits and ".index". */
#define TV_CACHE_NAME_CAP 40
void tv_cache_name(char name[TV_CACHE_NAME_CAP], const struct tv_identity *identity);

void tv_cache_init(struct tv_cache *cache, const struct tv_alloc *alloc);
void tv_cache_release(struct tv_cache *cache);
/* Opens the folder. TV_ERR_NOT_FOUND: there is none and it is not to be made, or the user
 * wants no cache. */
enum tv_cache_need { TV_CACHE_IF_THERE, TV_CACHE_MAKE };
enum tv_code tv_cache_open(struct tv_cache *cache, enum tv_cache_need need,
                           struct tv_error *err) TV_MUST_CHECK;

/* Whether there is a file of that name. */
bool tv_cache_has(const struct tv_cache *cache, const char *name);
/* Maps a file and notes that it was used. TV_ERR_NOT_FOUND: there is none. TV_ERR_FORMAT,
 * TV_ERR_SYSTEM: there is one, but it must not be used. */
enum tv_code tv_cache_map(const struct tv_cache *cache, const char *name,
                          struct tv_mapping *mapping, struct tv_error *err) TV_MUST_CHECK;

/* Asked now and then while a file is written, whether it is still wanted. */
struct tv_cache_watch {
    bool (*is_wanted)(void *ctx);
    void *ctx;
};

/*
 * Writes the parts, one after the other, as a file of that name, which replaces another one at
 * once; other files are evicted to make room. TV_ERR_CANCELLED when watch, which may be NULL, says
 * that the file is not wanted any more. TV_ERR_LIMIT: the file is larger than the whole cache. On
 * failure nothing is left behind.
 */
enum tv_code tv_cache_write(const struct tv_cache *cache, const char *name,
                            const struct tv_str *parts, size_t part_count,
                            const struct tv_cache_watch *watch, struct tv_error *err) TV_MUST_CHECK;
/* Removes a file, if it is there. False, with errno set, where it stays. */
bool tv_cache_forget(const struct tv_cache *cache, const char *name);

#endif
