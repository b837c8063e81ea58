/* See os/cache_room.h. */
#include "os/cache_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

#define DEFAULT_WISH ((uint64_t)4 << 30)
/* Of the disk's free space, with what the cache holds of it. */
#define SHARE_OF_DISK 4u

/* The digits of a name. What stands behind them tells which of an entry's files it is. */
#define STEM_LEN 32u

static const char *const endings[] = {".index", ".first"};

/* The files of one trace, which come and go together. */
struct entry {
    char stem[STEM_LEN + 1];
    uint64_t len;
    struct timespec used; /* the last of them */
};

/* What is in the folder, and ours. */
struct inventory {
    struct entry *entries;
    size_t count;
    size_t cap;
    uint64_t len;
    uint64_t own_len; /* of what else the entry has that is to be written */
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
    /* 1.5G is not one byte: what cannot be understood is as if it were not there. */
    if (!tv_str_to_u64((struct tv_str){text, digits}, 10, &wish) || (text[digits] && !unit) ||
        (unit && text[digits + 1]))
        return DEFAULT_WISH;
    for (const char *at = units; unit && at <= unit; at += 2) {
        if (__builtin_mul_overflow(wish, 1024, &wish))
            return UINT64_MAX;
    }
    return wish;
}

static bool is_file_of_entry(const char *name)
{
    if (strspn(name, "0123456789abcdef") != STEM_LEN)
        return false;
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        if (strcmp(name + STEM_LEN, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_used_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Files come in any order; sorting brings those of one entry together. */
static int compare_stems(const void *a, const void *b)
{
    return memcmp(((const struct entry *)a)->stem, ((const struct entry *)b)->stem, STEM_LEN);
}

static void join_entries(struct inventory *inventory)
{
    size_t count = 0;
    qsort(inventory->entries, inventory->count, sizeof(*inventory->entries), compare_stems);
    for (size_t i = 0; i < inventory->count; i++) {
        const struct entry *found = &inventory->entries[i];
        struct entry *last = count ? &inventory->entries[count - 1] : NULL;
        if (!last || compare_stems(last, found) != 0) {
            inventory->entries[count++] = *found;
            continue;
        }
        last->len += found->len;
        if (is_used_before(&last->used, &found->used))
            last->used = found->used;
    }
    inventory->count = count;
}

static void remove_stale_draft(int folder, const char *name, const struct stat *status)
{
    if (strncmp(name, TV_CACHE_DRAFT_PREFIX, strlen(TV_CACHE_DRAFT_PREFIX)) == 0 &&
        time(NULL) - status->st_mtim.tv_sec > TV_CACHE_DRAFT_LIFE_S)
        (void)unlinkat(folder, name, 0);
}

/* Takes stock of all but `except`, which is to be replaced; what else its entry has stays apart. */
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
        if (!is_file_of_entry(found->d_name) || strcmp(found->d_name, except) == 0)
            continue;
        if (strncmp(found->d_name, except, STEM_LEN) == 0) {
            inventory->own_len += (uint64_t)status.st_size;
            continue;
        }
        TV_TRY(tv_alloc_grow(cache->alloc, &inventory->entries, &inventory->cap,
                             inventory->count + 1, sizeof(*inventory->entries), err));
        struct entry *entry = &inventory->entries[inventory->count++];
        *entry = (struct entry){.len = (uint64_t)status.st_size, .used = status.st_mtim};
        memcpy(entry->stem, found->d_name, STEM_LEN);
        inventory->len += entry->len;
    }
    if (inventory->count)
        join_entries(inventory);
    return TV_OK;
}

static void remove_files(const struct tv_cache *cache, const char *stem, const char *except)
{
    char name[TV_CACHE_NAME_CAP];
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        (void)snprintf(name, sizeof(name), "%.*s%s", (int)STEM_LEN, stem, endings[i]);
        if (strcmp(name, except) != 0)
            (void)unlinkat(cache->folder, name, 0);
    }
}

static void evict_oldest(const struct tv_cache *cache, struct inventory *inventory)
{
    size_t oldest = 0;
    for (size_t i = 1; i < inventory->count; i++) {
        if (is_used_before(&inventory->entries[i].used, &inventory->entries[oldest].used))
            oldest = i;
    }
    remove_files(cache, inventory->entries[oldest].stem, "");
    inventory->len -= inventory->entries[oldest].len;
    inventory->entries[oldest] = inventory->entries[--inventory->count];
}

/* What the cache may hold now. */
static uint64_t limit_of(const struct tv_cache *cache, const struct inventory *inventory)
{
    struct statvfs disk;
    uint64_t wish = tv_cache_wish();
    if (fstatvfs(cache->folder, &disk) != 0)
        return wish;
    uint64_t free_blocks = disk.f_bavail;
    uint64_t held = inventory->len + inventory->own_len;
    uint64_t share = (free_blocks * disk.f_frsize + held) / SHARE_OF_DISK;
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
    /* An index is worth more than the answers beside it. */
    bool is_index = strcmp(name + strcspn(name, "."), endings[0]) == 0;
    if (inventory->own_len > limit - len) {
        if (!is_index)
            return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the index leaves no room for them");
        remove_files(cache, name, name);
        inventory->own_len = 0;
    }
    while (inventory->count && inventory->len > limit - len - inventory->own_len)
        evict_oldest(cache, inventory);
    return TV_OK;
}

enum tv_code tv_cache_make_room(const struct tv_cache *cache, const char *name, uint64_t len,
                                struct tv_error *err)
{
    struct inventory inventory = {.entries = NULL};
    /* A stream of its own, so that each begins at the first entry. */
    int fd = openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "the cache cannot be listed: %s",
                       strerror(errno));
    }
    enum tv_code code = make_room(cache, folder, name, len, &inventory, err);
    (void)closedir(folder);
    tv_alloc_free(cache->alloc, inventory.entries, inventory.cap, sizeof(*inventory.entries));
    return code;
}
