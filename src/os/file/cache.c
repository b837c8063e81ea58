/*
 * The cache; see os/file/cache.h.
 *
 * A file is written as a draft and renamed when it is complete, so no process ever sees half a
 * file. Where the file system can do that, the draft has no name until then, and is gone when the
 * program is killed; a named draft that was left behind goes when room is made (cache_limit.c). A
 * saved index is believed once its checksums are right, so files that others may have written are
 * not mapped at all, nor is a folder used that others may write into.
 */
#include "os/file/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/file/cache_limit.h"
#include "os/file/paths.h"
#include "os/file/unnamed_file.h"

/* Bytes written at a time; between two pieces, writing can be cancelled. */
#define PIECE_LEN ((size_t)4 << 20)
#define DRAFT_TRIES 100u

static enum tv_code refused(struct tv_error *err, const char *what)
{
    return tv_fail(err, errno == ENOENT ? TV_ERR_NOT_FOUND : TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "the cache %s: %s", what, strerror(errno));
}

void tv_cache_name(char name[TV_CACHE_NAME_CAP], const struct tv_identity *identity)
{
    (void)snprintf(name, TV_CACHE_NAME_CAP, "%016llx%016llx.index",
                   (unsigned long long)identity->of[0], (unsigned long long)identity->of[1]);
}

void tv_cache_init(struct tv_cache *cache, const struct tv_alloc *alloc)
{
    *cache = (struct tv_cache){.alloc = alloc, .folder = -1};
}

void tv_cache_release(struct tv_cache *cache)
{
    if (cache->folder >= 0)
        (void)close(cache->folder);
    tv_cache_init(cache, cache->alloc);
}

/* Whether nobody but this user can have written the file, or put files into the folder. */
static bool is_private(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Looks at the open folder, not at its path, which may lead elsewhere a moment later. */
static bool is_private_folder(int folder)
{
    struct stat status;
    return fstat(folder, &status) == 0 && is_private(&status);
}

/* The folder is opened once and everything happens below the descriptor, so that it cannot be
 * exchanged meanwhile. */
enum tv_code tv_cache_open(struct tv_cache *cache, enum tv_cache_need need, struct tv_error *err)
{
    char path[TV_PATH_CAP];
    tv_cache_release(cache);
    if (!tv_cache_wish())
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "TRACEVIEW_CACHE_SIZE is 0");
    TV_TRY(tv_path_cache(path, "", err));
    if (need == TV_CACHE_MAKE)
        TV_TRY(tv_path_make_folders(path, err));
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return refused(err, "cannot be opened");
    if (!is_private_folder(folder)) {
        (void)close(folder);
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "the cache is not used: others may write into %s", path);
    }
    cache->folder = folder;
    return TV_OK;
}

bool tv_cache_has(const struct tv_cache *cache, const char *name)
{
    return faccessat(cache->folder, name, R_OK, 0) == 0;
}

/* Marks the file as used now, by its time of change: that is the order in which files give way. */
enum tv_code tv_cache_map(const struct tv_cache *cache, const char *name,
                          struct tv_mapping *mapping, struct tv_error *err)
{
    struct stat status;
    *mapping = (struct tv_mapping){.bytes = NULL};
    int fd = openat(cache->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return refused(err, "has no such file");
    enum tv_code code;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || !is_private(&status))
        code = tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "others may have written it");
    else if (status.st_size <= 0)
        code = tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "it is empty");
    else
        code = tv_mapping_open(mapping, fd, (size_t)status.st_size, err);
    if (code == TV_OK)
        (void)futimens(fd,
                       NULL); /* the time of use; on a disk that cannot be written it stays old */
    (void)close(fd);
    return code;
}

/* A file while it is written. */
struct draft {
    int fd;
    char name[TV_CACHE_NAME_CAP]; /* "": the file has no name yet */
};

/* Gives the draft its name: the draft without a name gets it, otherwise a new file is made under
 * it. */
static int try_name(const struct tv_cache *cache, struct draft *draft)
{
    if (draft->fd >= 0)
        return tv_unnamed_file_name(draft->fd, cache->folder, draft->name);
    draft->fd = openat(cache->folder, draft->name,
                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return draft->fd < 0 ? -1 : 0;
}

/* Names the draft by the process and a number. On a disk that two machines share there may be
 * another process of the same number, so further names are tried. */
static enum tv_code name_draft(const struct tv_cache *cache, struct draft *draft,
                               struct tv_error *err)
{
    for (unsigned i = 0; i < DRAFT_TRIES; i++) {
        (void)snprintf(draft->name, sizeof(draft->name), "%s%ld-%u", TV_CACHE_DRAFT_PREFIX,
                       (long)getpid(), i);
        if (try_name(cache, draft) == 0)
            return TV_OK;
        if (errno != EEXIST)
            break;
    }
    draft->name[0] = '\0';
    return refused(err, "cannot be written");
}

static enum tv_code open_draft(const struct tv_cache *cache, struct draft *draft,
                               struct tv_error *err)
{
    *draft = (struct draft){.fd = tv_unnamed_file_open_in(cache->folder)};
    return draft->fd >= 0 ? TV_OK : name_draft(cache, draft, err);
}

static enum tv_code write_part(int fd, struct tv_str part, const struct tv_cache_watch *watch,
                               struct tv_error *err)
{
    while (part.len) {
        if (watch && !watch->is_wanted(watch->ctx))
            return tv_fail(err, TV_ERR_CANCELLED, TV_NO_OFFSET, "cancelled");
        ssize_t len = write(fd, part.at, part.len < PIECE_LEN ? part.len : PIECE_LEN);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return refused(err, "cannot be written");
        part.at += len;
        part.len -= (size_t)len;
    }
    return TV_OK;
}

static uint64_t total_len(const struct tv_str *parts, size_t part_count)
{
    uint64_t len = 0;
    for (size_t i = 0; i < part_count; i++)
        len += parts[i].len;
    return len;
}

static enum tv_code fill_draft(const struct draft *draft, const struct tv_str *parts,
                               size_t part_count, const struct tv_cache_watch *watch,
                               struct tv_error *err)
{
    uint64_t len = total_len(parts, part_count);
    /* A disk that is too full says so here, before it is filled. */
    if (fallocate(draft->fd, 0, 0, (off_t)len) != 0 && tv_is_no_room(errno))
        return refused(err, "cannot be written");
    for (size_t i = 0; i < part_count; i++)
        TV_TRY(write_part(draft->fd, parts[i], watch, err));
    return TV_OK;
}

/* Room is made before a byte is written. Whatever fails, no draft stays behind with a name. */
enum tv_code tv_cache_write(const struct tv_cache *cache, const char *name,
                            const struct tv_str *parts, size_t part_count,
                            const struct tv_cache_watch *watch, struct tv_error *err)
{
    struct draft draft;
    TV_TRY(tv_cache_make_room(cache, name, total_len(parts, part_count), err));
    TV_TRY(open_draft(cache, &draft, err));
    enum tv_code code = fill_draft(&draft, parts, part_count, watch, err);
    if (code == TV_OK && !draft.name[0])
        code = name_draft(cache, &draft, err);
    if (close(draft.fd) != 0 && code == TV_OK)
        code = refused(err, "cannot be written");
    if (code == TV_OK && renameat(cache->folder, draft.name, cache->folder, name) != 0)
        code = refused(err, "cannot be written");
    if (code != TV_OK && draft.name[0])
        (void)unlinkat(cache->folder, draft.name, 0);
    return code;
}

bool tv_cache_forget(const struct tv_cache *cache, const char *name)
{
    return unlinkat(cache->folder, name, 0) == 0 || errno == ENOENT;
}
