/*
 * Files in a bucket; see store/s3_files.h.
 *
 * The cache is a folder of files as a store on the disk has it (store/folder_files.h): drafts are
 * made there, and a file that is kept or opened lies there under its name as well. Everything that
 * writes into the folder runs on threads of the bucket, since threads that answer are in a Landlock
 * domain that may not write there. A folder that somebody removed is made anew.
 *
 * A file is brought once at a time: a thread that wants a file which another thread of the process
 * is bringing waits for that thread.
 */
#include "store/s3_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/file/digest.h"
#include "os/file/paths.h"
#include "os/file/unnamed_file.h"
#include "os/waits.h"
#include "s3/bucket.h"
#include "store/cached_files.h"
#include "store/concatenation.h"
#include "store/folder_files.h"

#define READ_LEN ((size_t)4 << 20)
#define SWEPT_SECONDS 86400
#define OWNER "owner" /* the key of whose files they are */
#define BRINGS 2u     /* of a file whose bytes are not those that its name says */

/* A file that is being brought. */
struct bringing {
    const struct tv_hash *name;
    struct bringing *next;
};

struct s3_files {
    const struct tv_alloc *alloc;
    struct tv_s3_bucket *bucket;
    char folder[TV_PATH_CAP]; /* of the cache */
    char below[TV_PATH_CAP];  /* the same with a slash behind it */
    uint64_t cache_most;
    pthread_mutex_t lock; /* guards the next two */
    pthread_cond_t brought;
    struct bringing *first;
};

/* How often the folder of the cache is made anew if it is removed before it is opened. */
#define CACHE_TRIES 100u

/* What is done on a thread of the bucket: a call of the folder, which is opened for it. */
struct local {
    const struct s3_files *files;
    enum tv_code (*call)(const struct tv_store_files *folder, struct local *local);
    const struct tv_hash *name;
    int fd;
    uint64_t len;
    enum tv_code code;
    struct tv_error err;
};

/* --- the cache --- */

/* Whoever tidies this machine may remove the cache between its making and its opening. */
static enum tv_code open_cache(const struct s3_files *files, struct tv_store_files *folder,
                               struct tv_error *err)
{
    enum tv_code code = TV_ERR_NOT_FOUND;
    for (unsigned tries = 0; code == TV_ERR_NOT_FOUND && tries < CACHE_TRIES; tries++) {
        err->code = TV_OK;
        TV_TRY(tv_path_make_folders(files->below, err));
        code = tv_folder_files_open(folder, files->folder, files->alloc, err);
    }
    return code;
}

static void run_local(void *ctx, const struct tv_s3_line *line)
{
    struct local *local = ctx;
    struct tv_store_files folder;
    (void)line;
    local->code = open_cache(local->files, &folder, &local->err);
    if (local->code != TV_OK)
        return;
    local->code = local->call(&folder, local);
    folder.close(folder.ctx);
}

static enum tv_code do_local(struct local *local, struct tv_error *err)
{
    struct tv_errand errand = {.run = run_local, .ctx = local, .is_local = true};
    tv_errands_run(tv_s3_bucket_errands(local->files->bucket), &errand);
    if (local->code != TV_OK && err)
        *err = local->err;
    return local->code;
}

static enum tv_code make_draft(const struct tv_store_files *folder, struct local *local)
{
    return folder->draft(folder->ctx, &local->fd, &local->err);
}

static enum tv_code draft(void *ctx, int *fd, struct tv_error *err)
{
    struct local local = {.files = ctx, .call = make_draft, .fd = -1};
    enum tv_code code = do_local(&local, err);
    *fd = local.fd;
    return code;
}

/* Opening a copy sets its time of change, so that the copies that were not used for longest are
 * removed first. */
static enum tv_code open_copy(const struct tv_store_files *folder, struct local *local)
{
    TV_TRY(folder->open(folder->ctx, local->name, &local->fd, &local->len, &local->err));
    tv_cached_files_use(local->fd);
    return TV_OK;
}

/* Gives the bytes their name in the cache, where there is room for them. */
static enum tv_code keep_copy(const struct tv_store_files *folder, struct local *local)
{
    const struct s3_files *files = local->files;
    struct stat status;
    if (fstat(local->fd, &status) != 0 || (uint64_t)status.st_size > files->cache_most)
        return TV_OK;
    tv_cached_files_cut(files->folder, files->cache_most - (uint64_t)status.st_size, time(NULL),
                        files->alloc);
    TV_TRY(folder->keep(folder->ctx, local->fd, local->name, &local->err));
    tv_cached_files_use(local->fd);
    return TV_OK;
}

static enum tv_code remove_copy(const struct tv_store_files *folder, struct local *local)
{
    return folder->remove(folder->ctx, local->name, &local->err);
}

/* Where the cache cannot be written, files are fetched again, which is slower and no failure. */
static void try_local(const struct s3_files *files, int fd, const struct tv_hash *name,
                      enum tv_code (*call)(const struct tv_store_files *, struct local *))
{
    struct local local = {.files = files, .call = call, .name = name, .fd = fd};
    enum tv_code code = do_local(&local, NULL);
    (void)code;
}

/* --- names --- */

static enum tv_code check_name(const struct tv_hash *name, struct tv_error *err)
{
    if (tv_s3_is_file_name(name->hex))
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "that is no name of a file of the store");
}

/* --- keeping --- */

/* A file of that length under the name has the same bytes: names are hashes, and S3 compares them
 * when they arrive. */
static enum tv_code keep(void *ctx, int fd, const struct tv_hash *name, struct tv_error *err)
{
    struct s3_files *files = ctx;
    struct stat status;
    uint64_t len;
    TV_TRY(check_name(name, err));
    if (fstat(fd, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a file of the store cannot be kept: %s",
                       strerror(errno));
    enum tv_code code = tv_s3_bucket_len(files->bucket, name->hex, &len, err);
    if (code != TV_OK && code != TV_ERR_NOT_FOUND)
        return code;
    if (code != TV_OK || len != (uint64_t)status.st_size)
        TV_TRY(tv_s3_bucket_send(files->bucket, name->hex, fd, (uint64_t)status.st_size, name->hex,
                                 err));
    try_local(files, fd, name, keep_copy);
    return TV_OK;
}

/* --- opening --- */

/* The SHA-256 of what was brought. */
static bool is_whole(int fd, const struct tv_hash *name)
{
    struct tv_hash found;
    uint64_t bytes;
    return tv_digest_sha256_of(fd, found.hex, &bytes) && strcmp(found.hex, name->hex) == 0;
}

/* Brings a file into a draft. The bytes are compared with the name once, here. */
static enum tv_code bring(struct s3_files *files, const struct tv_hash *name, int *fd,
                          uint64_t *len, struct tv_error *err)
{
    for (unsigned i = 0; i < BRINGS; i++) {
        TV_TRY(draft(files, fd, err));
        enum tv_code code = tv_s3_bucket_fetch(files->bucket, name->hex, *fd, len, err);
        if (code == TV_OK && is_whole(*fd, name))
            return TV_OK;
        (void)close(*fd);
        *fd = -1;
        TV_TRY(code);
    }
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "the bytes of a file in S3 are not those that it was kept with");
}

/* A descriptor of the copy through which nobody can write. */
static enum tv_code open_again(const struct tv_store_files *folder, struct local *local)
{
    char path[64];
    (void)folder;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", local->fd);
    local->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (local->fd >= 0)
        return TV_OK;
    return tv_fail(&local->err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "a file of the store cannot be opened: %s", strerror(errno));
}

static enum tv_code bring_copy(struct s3_files *files, const struct tv_hash *name, int *fd,
                               uint64_t *len, struct tv_error *err)
{
    int brought;
    TV_TRY(bring(files, name, &brought, len, err));
    try_local(files, brought, name, keep_copy);
    struct local local = {.files = files, .call = open_again, .fd = brought};
    enum tv_code code = do_local(&local, err);
    *fd = code == TV_OK ? local.fd : -1;
    (void)close(brought);
    return code;
}

/* Whether another thread is bringing the file. The caller holds the lock. */
static bool is_brought(const struct s3_files *files, const struct tv_hash *name)
{
    const struct bringing *of = files->first;
    while (of && strcmp(of->name->hex, name->hex) != 0)
        of = of->next;
    return of != NULL;
}

/* Waits for other threads that bring the file; then it is this thread's turn. */
static void begin_bringing(struct s3_files *files, struct bringing *bringing)
{
    (void)pthread_mutex_lock(&files->lock);
    while (is_brought(files, bringing->name))
        (void)pthread_cond_wait(&files->brought, &files->lock);
    bringing->next = files->first;
    files->first = bringing;
    (void)pthread_mutex_unlock(&files->lock);
}

static void end_bringing(struct s3_files *files, const struct bringing *bringing)
{
    (void)pthread_mutex_lock(&files->lock);
    struct bringing **at = &files->first;
    while (*at != bringing)
        at = &(*at)->next;
    *at = bringing->next;
    (void)pthread_cond_broadcast(&files->brought);
    (void)pthread_mutex_unlock(&files->lock);
}

static enum tv_code open_cached(const struct s3_files *files, const struct tv_hash *name, int *fd,
                                uint64_t *len)
{
    struct local local = {.files = files, .call = open_copy, .name = name, .fd = -1};
    enum tv_code code = do_local(&local, NULL);
    *fd = local.fd;
    *len = local.len;
    return code;
}

static enum tv_code open_here(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                              struct tv_error *err)
{
    TV_TRY(check_name(name, err));
    if (open_cached(ctx, name, fd, len) == TV_OK)
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "the file is in the bucket");
}

static enum tv_code open_file(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                              struct tv_error *err)
{
    struct s3_files *files = ctx;
    struct bringing bringing = {.name = name};
    *fd = -1;
    TV_TRY(check_name(name, err));
    if (open_cached(files, name, fd, len) == TV_OK)
        return TV_OK;
    begin_bringing(files, &bringing);
    enum tv_code code = open_cached(files, name, fd, len); /* another one has brought it */
    if (code != TV_OK)
        code = bring_copy(files, name, fd, len, err);
    end_bringing(files, &bringing);
    return code;
}

/* --- joining --- */

/* Parts that are here become a copy of the whole, so that whoever makes its index next need not
 * bring it. */
static void join_copies(struct s3_files *files, const struct tv_file_part *parts, size_t count,
                        const struct tv_hash *name)
{
    int fd;
    if (tv_concatenation_len(parts, count) > files->cache_most || draft(files, &fd, NULL) != TV_OK)
        return;
    if (tv_concatenation_write(fd, parts, count, open_here, files, NULL) == TV_OK)
        try_local(files, fd, name, keep_copy);
    (void)close(fd);
}

/* What the bucket cannot join goes through this machine. */
static enum tv_code join_here(struct s3_files *files, const struct tv_file_part *parts,
                              size_t count, const struct tv_hash *name, struct tv_error *err)
{
    int fd;
    TV_TRY(draft(files, &fd, err));
    enum tv_code code = tv_concatenation_write(fd, parts, count, open_file, files, err);
    if (code == TV_OK)
        code = keep(files, fd, name, err);
    (void)close(fd);
    return code;
}

static enum tv_code join_there(const struct s3_files *files, const struct tv_file_part *parts,
                               size_t count, const struct tv_hash *name, struct tv_error *err)
{
    struct tv_s3_piece *pieces = NULL;
    TV_TRY(tv_alloc_new(files->alloc, &pieces, count, sizeof(*pieces), err));
    for (size_t i = 0; i < count; i++)
        pieces[i] = (struct tv_s3_piece){parts[i].name.hex, parts[i].len};
    enum tv_code code = tv_s3_bucket_join(files->bucket, name->hex, pieces, count, err);
    tv_alloc_release(files->alloc, &pieces, count, sizeof(*pieces));
    return code;
}

/* A store that speaks S3 and copies no parts refuses that, some as if the part were not there:
 * where it really is not, reading it says so. */
static enum tv_code join(void *ctx, const struct tv_file_part *parts, size_t count,
                         const struct tv_hash *name, struct tv_error *err)
{
    struct s3_files *files = ctx;
    const uint64_t whole = tv_concatenation_len(parts, count);
    uint64_t len;
    TV_TRY(check_name(name, err));
    enum tv_code code = tv_s3_bucket_len(files->bucket, name->hex, &len, err);
    if (code == TV_OK && len == whole)
        return TV_OK;
    if (code != TV_OK && code != TV_ERR_NOT_FOUND)
        return code;
    code =
        whole < TV_S3_PARTS_FROM ? TV_ERR_UNSUPPORTED : join_there(files, parts, count, name, err);
    if (code == TV_ERR_UNSUPPORTED || code == TV_ERR_SYSTEM || code == TV_ERR_NOT_FOUND)
        return join_here(files, parts, count, name, err);
    if (code == TV_OK)
        join_copies(files, parts, count, name);
    return code;
}

/* --- the rest --- */

static enum tv_code len_of(void *ctx, const struct tv_hash *name, uint64_t *len,
                           struct tv_error *err)
{
    const struct s3_files *files = ctx;
    TV_TRY(check_name(name, err));
    return tv_s3_bucket_len(files->bucket, name->hex, len, err);
}

static enum tv_code read_file(void *ctx, const struct tv_hash *name, uint64_t offset, void *into,
                              size_t cap, size_t *len, struct tv_error *err)
{
    const struct s3_files *files = ctx;
    *len = 0;
    TV_TRY(check_name(name, err));
    return tv_s3_bucket_read(files->bucket, name->hex, offset, into, cap, len, err);
}

static enum tv_code remove_file(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    const struct s3_files *files = ctx;
    TV_TRY(check_name(name, err));
    TV_TRY(tv_s3_bucket_remove(files->bucket, name->hex, err));
    try_local(files, -1, name, remove_copy);
    return TV_OK;
}

struct listed {
    struct tv_hash *names;
    size_t cap, count;
};

static bool take_key(void *ctx, const char *key)
{
    struct listed *listed = ctx;
    memcpy(listed->names[listed->count++].hex, key, sizeof(listed->names->hex));
    return listed->count < listed->cap;
}

static enum tv_code list(void *ctx, const struct tv_hash *after, struct tv_hash *names, size_t cap,
                         size_t *count, struct tv_error *err)
{
    const struct s3_files *files = ctx;
    struct listed listed = {.names = names, .cap = cap};
    *count = 0;
    if (after)
        TV_TRY(check_name(after, err));
    if (cap)
        TV_TRY(tv_s3_bucket_list(files->bucket, after ? after->hex : "", take_key, &listed, err));
    *count = listed.count;
    return TV_OK;
}

static size_t sift_copies(void *ctx, unsigned folder, int64_t now,
                          bool (*is_kept)(void *arg, const struct tv_hash *name), void *arg)
{
    const struct s3_files *files = ctx;
    return tv_cached_files_sift(files->folder, folder, now, is_kept, arg);
}

/* --- whose they are --- */

static enum tv_code read_owner(void *ctx, char owner[TV_STORE_OWNER_CAP], struct tv_error *err)
{
    const struct s3_files *files = ctx;
    size_t len = 0;
    owner[0] = '\0';
    TV_TRY(tv_s3_bucket_read(files->bucket, OWNER, 0, owner, TV_STORE_OWNER_CAP - 1, &len, err));
    owner[len] = '\0';
    return TV_OK;
}

static enum tv_code send_owner(struct s3_files *files, int fd, const char *owner,
                               struct tv_error *err)
{
    const size_t len = strlen(owner);
    struct tv_hash hash;
    uint64_t bytes;
    if (pwrite(fd, owner, len, 0) != (ssize_t)len || !tv_digest_sha256_of(fd, hash.hex, &bytes))
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a file of the store cannot be kept: %s",
                       strerror(errno));
    return tv_s3_bucket_send(files->bucket, OWNER, fd, bytes, hash.hex, err);
}

static enum tv_code write_owner(void *ctx, const char *owner, struct tv_error *err)
{
    struct s3_files *files = ctx;
    int fd;
    TV_TRY(draft(files, &fd, err));
    enum tv_code code = send_owner(files, fd, owner, err);
    (void)close(fd);
    return code;
}

static int64_t ahead_s(void *ctx)
{
    const struct s3_files *files = ctx;
    return tv_s3_bucket_ahead_s(files->bucket);
}

static void close_files(void *ctx)
{
    struct s3_files *files = ctx;
    tv_s3_bucket_close(files->bucket);
    (void)pthread_cond_destroy(&files->brought);
    (void)pthread_mutex_destroy(&files->lock);
    tv_alloc_release(files->alloc, &files, 1, sizeof(*files));
}

/* The folder of the cache belongs to the user alone: what lies in it is believed. */
static enum tv_code find_cache(struct s3_files *files, const char *folder, struct tv_error *err)
{
    struct stat status;
    if (snprintf(files->folder, sizeof(files->folder), "%s", folder) >= TV_PATH_CAP ||
        snprintf(files->below, sizeof(files->below), "%s/", folder) >= TV_PATH_CAP)
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", folder);
    TV_TRY(tv_path_make_folders(files->below, err));
    if (stat(folder, &status) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%.150s cannot be opened: %s", folder,
                       strerror(errno));
    if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%.150s: the cache is a folder that nobody but its user may write to",
                       folder);
    return TV_OK;
}

/* The folder of copies is checked before the bucket is opened: without a safe one no server starts.
 */
enum tv_code tv_s3_files_open(struct tv_store_files *files, const struct tv_s3_files_opts *opts,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_s3_place place;
    struct s3_files *made = NULL;
    TV_TRY(tv_s3_place_read(&place, opts->place, err));
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    made->alloc = alloc;
    made->cache_most = opts->cache_most;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->brought, NULL);
    enum tv_code code = find_cache(made, opts->cache, err);
    if (code == TV_OK)
        code = tv_s3_bucket_open(&made->bucket, &place, alloc, err);
    if (code != TV_OK) {
        close_files(made);
        return code;
    }
    *files = (struct tv_store_files){.ctx = made,
                                     .draft = draft,
                                     .keep = keep,
                                     .join = join,
                                     .open = open_file,
                                     .open_here = open_here,
                                     .len = len_of,
                                     .read_len = READ_LEN,
                                     .read = read_file,
                                     .remove = remove_file,
                                     .list = list,
                                     .ahead_s = ahead_s,
                                     .sift_copies = sift_copies,
                                     .read_owner = read_owner,
                                     .write_owner = write_owner,
                                     .close = close_files};
    return TV_OK;
}

void tv_s3_files_sweep(const struct tv_store_files *files, int64_t now)
{
    const struct s3_files *of = files->ctx;
    char before[32];
    struct tm utc;
    time_t moment = (time_t)now - SWEPT_SECONDS;
    if (gmtime_r(&moment, &utc) && strftime(before, sizeof(before), "%Y-%m-%dT%H:%M:%S", &utc))
        tv_s3_bucket_sweep(of->bucket, before);
    tv_cached_files_cut(of->folder, of->cache_most, now, of->alloc);
}
