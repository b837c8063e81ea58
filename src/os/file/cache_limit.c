/*
 * The limit of the cache; see os/file/cache_limit.h.
 *
 * The folder itself is the list of files, their lengths and times of use: nothing is kept beside it
 * that could be wrong. The limit is what the user allows, and at most a quarter of the disk's free
 * space. Files that were used longest ago go first; two programs that make room at once may remove
 * more than was needed, which costs only time.
 */
#include "os/file/cache_limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "os/clock.h"
#include "os/file/paths.h"

#define DEFAULT_WISH ((uint64_t)4 << 30)
/* The cache may hold one part in this many of the disk's free space, with its own files
 * counted as free. */
#define SHARE_OF_DISK 4u

#define NAME_DIGITS 32u

/* One saved index of the cache. */
struct entry {
    char name[TV_CACHE_NAME_CAP];
    uint64_t len;
    int64_t used_ns; /* time of change: whoever uses an index sets it to now */
};

/* The saved indexes in the folder. */
struct inventory {
    struct entry *entries;
    size_t count;
    size_t cap;
    uint64_t len;
};

uint64_t tv_cache_wish(void)
{
    static const char units[] = "KkMmGgTt";
    const char *text = getenv("TRACEVIEW_CACHE_SIZE");
    uint64_t wish;
    if (!text || !text[0])
        return DEFAULT_WISH;
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    /* A text that is not understood, such as 1.5G, is ignored: taken for a number it might
     * mean one byte. */
    if (!tv_str_to_u64((struct tv_str){text, digits}, 10, &wish) || (text[digits] && !unit) ||
        (unit && text[digits + 1]))
        return DEFAULT_WISH;
    for (const char *at = units; unit && at <= unit; at += 2) {
        if (__builtin_mul_overflow(wish, 1024, &wish))
            return UINT64_MAX;
    }
    return wish;
}

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strcmp(name + NAME_DIGITS, ".index") == 0;
}

static void remove_stale_draft(int folder, const char *name, const struct stat *status)
{
    if (strncmp(name, TV_CACHE_DRAFT_PREFIX, strlen(TV_CACHE_DRAFT_PREFIX)) == 0 &&
        time(NULL) - status->st_mtim.tv_sec > TV_CACHE_DRAFT_LIFE_S)
        (void)unlinkat(folder, name, 0);
}

/* Lists all saved indexes except `except`, which is about to be replaced, and removes drafts that
 * are too old to be still written. */
static enum tv_code take_stock(const struct tv_cache *cache, DIR *folder, const char *except,
                               struct inventory *inventory, struct tv_error *err)
{
    const struct dirent *found;
    while ((found = readdir(folder)) != NULL) {
        struct stat status;
        if (fstatat(cache->folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        remove_stale_draft(cache->folder, found->d_name, &status);
        if (!is_entry(found->d_name) || strcmp(found->d_name, except) == 0)
            continue;
        TV_TRY(tv_alloc_grow(cache->alloc, &inventory->entries, &inventory->cap,
                             inventory->count + 1, sizeof(*inventory->entries), err));
        struct entry *entry = &inventory->entries[inventory->count++];
        *entry =
            (struct entry){.len = (uint64_t)status.st_size, .used_ns = tv_file_changed_ns(&status)};
        memcpy(entry->name, found->d_name, strlen(found->d_name) + 1);
        inventory->len += entry->len;
    }
    return TV_OK;
}

/* Whether `a` was used before `b`; names decide between equals. */
static bool is_older(const struct entry *a, const struct entry *b)
{
    return a->used_ns != b->used_ns ? a->used_ns < b->used_ns : strcmp(a->name, b->name) < 0;
}

static void evict_oldest(const struct tv_cache *cache, struct inventory *inventory)
{
    size_t oldest = 0;
    for (size_t i = 1; i < inventory->count; i++) {
        if (is_older(&inventory->entries[i], &inventory->entries[oldest]))
            oldest = i;
    }
    (void)unlinkat(cache->folder, inventory->entries[oldest].name, 0);
    inventory->len -= inventory->entries[oldest].len;
    inventory->entries[oldest] = inventory->entries[--inventory->count];
}

/* How many bytes the cache may hold now. */
static uint64_t limit_of(const struct tv_cache *cache, const struct inventory *inventory)
{
    struct statvfs disk;
    uint64_t wish = tv_cache_wish();
    if (fstatvfs(cache->folder, &disk) != 0)
        return wish;
    uint64_t free_blocks = disk.f_bavail;
    uint64_t share = (free_blocks * disk.f_frsize + inventory->len) / SHARE_OF_DISK;
    return wish < share ? wish : share;
}

static enum tv_code make_room(const struct tv_cache *cache, DIR *folder, const char *name,
                              uint64_t len, struct inventory *inventory, struct tv_error *err)
{
    TV_TRY(take_stock(cache, folder, name, inventory, err));
    uint64_t limit = limit_of(cache, inventory);
    uint64_t len_mib = (len >> 20) + 1;
    uint64_t limit_mib = limit >> 20;
    if (len > limit) {
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET,
                       "the index has up to %llu MiB and the cache holds at most %llu: %s",
                       (unsigned long long)len_mib, (unsigned long long)limit_mib,
                       len > tv_cache_wish() ? "set TRACEVIEW_CACHE_SIZE"
                                             : "a quarter of what its disk has free");
    }
    while (inventory->count && inventory->len > limit - len)
        evict_oldest(cache, inventory);
    return TV_OK;
}

enum tv_code tv_cache_make_room(const struct tv_cache *cache, const char *name, uint64_t len,
                                struct tv_error *err)
{
    struct inventory inventory = {.entries = NULL};
    DIR *folder = tv_path_list(cache->folder, ".");
    if (!folder)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the cache cannot be listed: %s",
                       strerror(errno));
    enum tv_code code = make_room(cache, folder, name, len, &inventory, err);
    (void)closedir(folder);
    tv_alloc_release(cache->alloc, &inventory.entries, inventory.cap, sizeof(*inventory.entries));
    return code;
}
