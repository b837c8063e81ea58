/*
 * Making room in a folder of copies; see store/cached_files.h. The folder itself is the list of
 * copies, their lengths and times of use (the time of change of each file): nothing is kept beside
 * it that could be wrong. Two processes that make room at once may remove more than was needed.
 */
#include "store/cached_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file/paths.h"

#define NAME_LEN 62u /* the rest of the 64 digits: store/folder_files.c */

struct copy {
    char path[NAME_LEN + 4];
    uint64_t len;
    int64_t used_ns;
};

struct copies {
    const struct tv_alloc *alloc;
    struct copy *of;
    size_t count, cap;
    uint64_t len;
};

void tv_cached_files_use(int fd)
{
    (void)futimens(fd, NULL);
}

static int compare(const void *a, const void *b)
{
    const struct copy *left = a;
    const struct copy *right = b;
    if (left->used_ns != right->used_ns)
        return left->used_ns < right->used_ns ? -1 : 1;
    return strcmp(left->path, right->path);
}

static void add(struct copies *copies, int folder, const char *path)
{
    struct stat status;
    if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        tv_alloc_grow(copies->alloc, &copies->of, &copies->cap, copies->count + 1,
                      sizeof(*copies->of), NULL) != TV_OK)
        return;
    struct copy *copy = &copies->of[copies->count++];
    *copy = (struct copy){.len = (uint64_t)status.st_size, .used_ns = tv_file_changed_ns(&status)};
    memcpy(copy->path, path, strlen(path) + 1);
    copies->len += copy->len;
}

static bool is_copy(const struct dirent *entry)
{
    return strspn(entry->d_name, "0123456789abcdef") == NAME_LEN && !entry->d_name[NAME_LEN];
}

static void read_folder(struct copies *copies, int folder, const char *name)
{
    DIR *entries = tv_path_list(folder, name);
    if (!entries)
        return;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        char path[NAME_LEN + 4];
        if (!is_copy(entry))
            continue;
        (void)snprintf(path, sizeof(path), "%.2s/%.62s", name, entry->d_name);
        add(copies, folder, path);
    }
    (void)closedir(entries);
}

void tv_cached_files_cut(const char *path, uint64_t most, int64_t now, const struct tv_alloc *alloc)
{
    struct copies copies = {.alloc = alloc};
    const int64_t oldest_ns = (now - TV_CACHED_SECONDS) * 1000000000;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    for (unsigned i = 0; i < TV_CACHED_FOLDERS; i++) {
        char name[3];
        (void)snprintf(name, sizeof(name), "%02x", i & 0xffu);
        read_folder(&copies, folder, name);
    }
    if (copies.count)
        qsort(copies.of, copies.count, sizeof(*copies.of), compare);
    for (size_t i = 0; i < copies.count; i++) {
        if (copies.len <= most && copies.of[i].used_ns >= oldest_ns)
            break;
        (void)unlinkat(folder, copies.of[i].path, 0);
        copies.len -= copies.of[i].len;
    }
    tv_alloc_release(alloc, &copies.of, copies.cap, sizeof(*copies.of));
    (void)close(folder);
}

size_t tv_cached_files_sift(const char *path, unsigned folder, int64_t now,
                            bool (*is_kept)(void *ctx, const struct tv_hash *name), void *ctx)
{
    const int64_t oldest_ns = (now - TV_CACHED_SECONDS) * 1000000000;
    char part[3];
    size_t asked = 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)snprintf(part, sizeof(part), "%02x", folder & 0xffu);
    DIR *entries = fd < 0 ? NULL : tv_path_list(fd, part);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        struct stat status;
        struct tv_hash name;
        if (!is_copy(entry) ||
            fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        (void)snprintf(name.hex, sizeof(name.hex), "%.2s%.62s", part, entry->d_name);
        bool stays = tv_file_changed_ns(&status) >= oldest_ns;
        asked += stays;
        if (!stays || !is_kept(ctx, &name))
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        (void)closedir(entries);
    if (fd >= 0)
        (void)close(fd);
    return asked;
}
