/*
 * Files in a folder; see store/folder_files.h.
 *
 * A draft is a file without a name (O_TMPFILE), of which nothing is left when its process ends. To
 * keep it, its bytes are brought to the disk, then it gets its name by link(2), which fails where
 * the name is there, then the folder of the name is brought to the disk. So a name leads to whole
 * bytes or is not there, whatever ends when. A file system that cannot do this (NFS) gets a copy
 * under a passing name instead, which takes the file's name by rename(2).
 */
#include "store/folder_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/file/paths.h"
#include "os/file/unnamed_file.h"
#include "os/token.h"
#include "os/waits.h"
#include "store/concatenation.h"

/* Room for the two kinds of names: "ab/" and 62 digits; "new." and a token. */
#define PATH_CAP 80u
#define PASSING "new."
#define OWNER "owner"
/* A passing name that is older than this was left by a process that was killed: no copy takes a
 * day. */
#define PASSING_SECONDS 86400
#define PART_LEN ((size_t)256 * 1024)
#define FOLDERS 256u

struct folder_files {
    const struct tv_alloc *alloc;
    int folder;
};

static enum tv_code failed(struct tv_error *err, const char *what)
{
    if (tv_is_no_room(errno))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "the store has no room: %s",
                       strerror(errno));
    return tv_fail(err, errno == ENOENT ? TV_ERR_NOT_FOUND : TV_ERR_SYSTEM, TV_NO_OFFSET,
                   "a file of the store cannot be %s: %s", what, strerror(errno));
}

/* The path of a file: the first two digits of its name are the folder. False: the name is no hash;
 * nothing but digits may become part of a path. */
static bool path_of(const struct tv_hash *name, char path[PATH_CAP])
{
    if (strspn(name->hex, "0123456789abcdef") != 64 || name->hex[64] != '\0')
        return false;
    (void)snprintf(path, PATH_CAP, "%.2s/%s", name->hex, name->hex + 2);
    return true;
}

static enum tv_code refuse_name(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "that is no name of a file of the store");
}

/* Brings changes of names in one folder of the store to the disk. errno stays that of the failure.
 */
static bool sync_folder(int folder, const char *path)
{
    int fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_synced = fd >= 0 && fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = reason;
    return is_synced;
}

static int make_passing(int folder, char name[PATH_CAP], struct tv_error *err)
{
    char token[TV_TOKEN_LEN + 1];
    if (tv_token_make(token, err) != TV_OK)
        return -1;
    (void)snprintf(name, PATH_CAP, PASSING "%s", token);
    return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* Where the file system has no O_TMPFILE, a named file is made and its name removed at once. */
static enum tv_code draft(void *ctx, int *fd, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    char name[PATH_CAP];
    *fd = tv_unnamed_file_open_in(files->folder);
    if (*fd >= 0)
        return TV_OK;
    *fd = make_passing(files->folder, name, err);
    if (*fd >= 0 && unlinkat(files->folder, name, 0) == 0)
        return TV_OK;
    enum tv_code code = failed(err, "made");
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
    return code;
}

/* `from` is read by position, because its own position is at the end of what was written to it.
 */
static bool copy_bytes(int from, int to, uint8_t *room)
{
    off_t at = 0;
    for (;;) {
        ssize_t got = pread(from, room, PART_LEN, at);
        if (got <= 0)
            return got == 0;
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, room + done, (size_t)(got - done));
            if (put < 0)
                return false;
            done += put;
        }
        at += got;
    }
}

/* Keeps a draft by a copy under a passing name. Used where link(2) does not work, and to put whole
 * bytes in the place of a file that is damaged, which rename(2) replaces in one step. */
static enum tv_code keep_copy(const struct folder_files *files, int from, const char *path,
                              struct tv_error *err)
{
    char name[PATH_CAP];
    uint8_t *room = NULL;
    TV_TRY(tv_alloc_new(files->alloc, &room, PART_LEN, 1, err));
    int fd = make_passing(files->folder, name, err);
    bool is_kept = fd >= 0 && copy_bytes(from, fd, room) && fchmod(fd, 0400) == 0 &&
                   fsync(fd) == 0 && renameat(files->folder, name, files->folder, path) == 0;
    enum tv_code code = is_kept ? TV_OK : failed(err, "kept");
    if (fd >= 0) {
        (void)close(fd);
        if (!is_kept)
            (void)unlinkat(files->folder, name, 0);
    }
    tv_alloc_release(files->alloc, &room, PART_LEN, 1);
    return code;
}

/* Whether a file of that length is under the name. Names are hashes, so the same length is taken
 * for the same bytes; store check reads the bytes. */
static bool is_there(const struct folder_files *files, const char *path, off_t len)
{
    struct stat status;
    return fstatat(files->folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && status.st_size == len;
}

/* Makes the folder of a name. It is brought to the disk before a file is in it. */
static bool make_folder(const struct folder_files *files, const char *folder)
{
    return (mkdirat(files->folder, folder, 0700) == 0 || errno == EEXIST) &&
           sync_folder(files->folder, ".");
}

/* The order matters: read-only, then the bytes to the disk, then the name. A name that another
 * process has just made is as good as ours. */
static enum tv_code keep_bytes(const struct folder_files *files, int fd, const char *path,
                               const char *folder, struct tv_error *err)
{
    struct stat status;
    if (faccessat(files->folder, folder, F_OK, 0) != 0 && !make_folder(files, folder))
        return failed(err, "kept");
    if (fstat(fd, &status) != 0)
        return failed(err, "kept");
    if (is_there(files, path, status.st_size))
        return TV_OK;
    if (fchmod(fd, 0400) != 0 || fsync(fd) != 0)
        return failed(err, "kept");
    if (tv_unnamed_file_name(fd, files->folder, path) == 0 || is_there(files, path, status.st_size))
        return TV_OK;
    return keep_copy(files, fd, path, err);
}

/* If another process gave the file its name, it may not have synced the folder yet. */
static enum tv_code bring_name_to_disk(const struct folder_files *files, const struct tv_hash *name,
                                       struct tv_error *err)
{
    const char folder[3] = {name->hex[0], name->hex[1], '\0'};
    return sync_folder(files->folder, folder) ? TV_OK : failed(err, "kept");
}

/* Two processes may keep the same bytes at once: each has a draft of its own, and whoever comes
 * second finds the name taken, which is a success. */
static enum tv_code keep(void *ctx, int fd, const struct tv_hash *name, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    char path[PATH_CAP];
    char folder[3] = {name->hex[0], name->hex[1], '\0'};
    if (!path_of(name, path))
        return refuse_name(err);
    TV_TRY(keep_bytes(files, fd, path, folder, err));
    return bring_name_to_disk(files, name, err);
}

/* O_NOFOLLOW and the check of the kind: whoever can write into the folder must not make the site
 * hand out a file from elsewhere. */
static enum tv_code open_file(void *ctx, const struct tv_hash *name, int *fd, uint64_t *len,
                              struct tv_error *err)
{
    const struct folder_files *files = ctx;
    char path[PATH_CAP];
    struct stat status;
    tv_wait_expect();
    if (!path_of(name, path))
        return refuse_name(err);
    *fd = openat(files->folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0)
        return failed(err, "opened");
    if (fstat(*fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)close(*fd);
        *fd = -1;
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "a file of the store is no file");
    }
    *len = (uint64_t)status.st_size;
    return TV_OK;
}

/* Where the file is there, nothing is copied: a whole of one part has the name of that part. */
static enum tv_code join(void *ctx, const struct tv_file_part *parts, size_t count,
                         const struct tv_hash *name, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    char path[PATH_CAP];
    int fd;
    if (!path_of(name, path))
        return refuse_name(err);
    if (is_there(files, path, (off_t)tv_concatenation_len(parts, count)))
        return bring_name_to_disk(files, name, err);
    TV_TRY(draft(ctx, &fd, err));
    enum tv_code code = tv_concatenation_write(fd, parts, count, open_file, ctx, err);
    if (code == TV_OK)
        code = keep(ctx, fd, name, err);
    (void)close(fd);
    return code;
}

static enum tv_code len_of(void *ctx, const struct tv_hash *name, uint64_t *len,
                           struct tv_error *err)
{
    int fd;
    TV_TRY(open_file(ctx, name, &fd, len, err));
    (void)close(fd);
    return TV_OK;
}

/* Reads up to `cap` bytes; fewer only at the end of the file. */
static enum tv_code read_file(void *ctx, const struct tv_hash *name, uint64_t offset, void *into,
                              size_t cap, size_t *len, struct tv_error *err)
{
    int fd;
    uint64_t file_len;
    ssize_t got = 1;
    *len = 0;
    TV_TRY(open_file(ctx, name, &fd, &file_len, err));
    while (*len < cap && got > 0 && offset < file_len) {
        got = pread(fd, (uint8_t *)into + *len, cap - *len, (off_t)(offset + *len));
        *len += got > 0 ? (size_t)got : 0;
        if (offset + *len >= file_len)
            break;
    }
    enum tv_code code = got < 0 ? failed(err, "read") : TV_OK;
    (void)close(fd);
    return code;
}

/* A file that is gone already counts as removed, so that gc can be repeated. */
static enum tv_code remove_file(void *ctx, const struct tv_hash *name, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    char path[PATH_CAP];
    char folder[3] = {name->hex[0], name->hex[1], '\0'};
    if (!path_of(name, path))
        return refuse_name(err);
    if (unlinkat(files->folder, path, 0) != 0)
        return errno == ENOENT ? TV_OK : failed(err, "removed");
    return sync_folder(files->folder, folder) ? TV_OK : failed(err, "removed");
}

static int compare_names(const void *a, const void *b)
{
    const struct tv_hash *left = a;
    const struct tv_hash *right = b;
    return strcmp(left->hex, right->hex);
}

/* The names in one folder, in order; a store has as many as memory holds. */
struct names {
    struct tv_hash *of;
    size_t count, cap;
};

/* Other names than those of files are passed over: the folder may hold passing names. */
static enum tv_code add_name(const struct folder_files *files, struct names *names,
                             const char *folder, const char *rest, struct tv_error *err)
{
    struct tv_hash name = {""};
    char path[PATH_CAP];
    (void)snprintf(name.hex, sizeof(name.hex), "%s%.62s", folder, rest);
    if (strlen(rest) != 62 || !path_of(&name, path))
        return TV_OK; /* nothing of ours */
    TV_TRY(tv_alloc_grow(files->alloc, &names->of, &names->cap, names->count + 1,
                         sizeof(*names->of), err));
    names->of[names->count++] = name;
    return TV_OK;
}

/* The names of one of the 256 folders, sorted, because the walk over the store goes by name. A
 * folder that is not there has no files yet. */
static enum tv_code read_folder(const struct folder_files *files, struct names *names,
                                const char *folder, struct tv_error *err)
{
    enum tv_code code = TV_OK;
    names->count = 0;
    DIR *entries = tv_path_list(files->folder, folder);
    if (!entries)
        return errno == ENOENT ? TV_OK : failed(err, "listed");
    errno = 0;
    for (struct dirent *entry = readdir(entries); entry && code == TV_OK; entry = readdir(entries))
        code = add_name(files, names, folder, entry->d_name, err);
    if (code == TV_OK && errno != 0)
        code = failed(err, "listed");
    (void)closedir(entries);
    if (names->count > 1)
        qsort(names->of, names->count, sizeof(*names->of), compare_names);
    return code;
}

/* Names in order, from behind `after`. A folder's names are sorted in memory, and 256 folders keep
 * that part small. */
static enum tv_code list(void *ctx, const struct tv_hash *after, struct tv_hash *out, size_t cap,
                         size_t *count, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    struct names names = {NULL, 0, 0};
    enum tv_code code = TV_OK;
    unsigned first = 0;
    *count = 0;
    if (after && sscanf(after->hex, "%2x", &first) != 1)
        return refuse_name(err);
    for (unsigned i = first; i < FOLDERS && *count < cap && code == TV_OK; i++) {
        char folder[3];
        (void)snprintf(folder, sizeof(folder), "%02x", i & 0xffu);
        code = read_folder(files, &names, folder, err);
        for (size_t n = 0; n < names.count && *count < cap && code == TV_OK; n++)
            if (!after || compare_names(&names.of[n], after) > 0)
                out[(*count)++] = names.of[n];
    }
    tv_alloc_release(files->alloc, &names.of, names.cap, sizeof(*names.of));
    return code;
}

void tv_folder_files_sweep(const struct tv_store_files *files)
{
    const struct folder_files *of = files->ctx;
    const int folder = of->folder;
    time_t now = time(NULL);
    DIR *entries = tv_path_list(folder, ".");
    if (!entries)
        return;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        struct stat status;
        if (strncmp(entry->d_name, PASSING, strlen(PASSING)) == 0 &&
            fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_mtime < now - PASSING_SECONDS)
            (void)unlinkat(folder, entry->d_name, 0);
    }
    (void)closedir(entries);
}

static enum tv_code read_owner(void *ctx, char owner[TV_STORE_OWNER_CAP], struct tv_error *err)
{
    const struct folder_files *files = ctx;
    const int fd = openat(files->folder, OWNER, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return failed(err, "opened");
    const ssize_t got = read(fd, owner, TV_STORE_OWNER_CAP - 1);
    enum tv_code code = got < 0 ? failed(err, "read") : TV_OK;
    owner[got < 0 ? 0 : got] = '\0';
    (void)close(fd);
    return code;
}

/* The name leads to the whole line, or to the one before it. */
static enum tv_code write_owner(void *ctx, const char *owner, struct tv_error *err)
{
    const struct folder_files *files = ctx;
    const size_t len = strlen(owner);
    char name[PATH_CAP];
    const int fd = make_passing(files->folder, name, err);
    const bool is_kept = fd >= 0 && write(fd, owner, len) == (ssize_t)len && fsync(fd) == 0 &&
                         renameat(files->folder, name, files->folder, OWNER) == 0 &&
                         sync_folder(files->folder, ".");
    enum tv_code code = is_kept ? TV_OK : failed(err, "kept");
    if (fd >= 0 && !is_kept)
        (void)unlinkat(files->folder, name, 0);
    if (fd >= 0)
        (void)close(fd);
    return code;
}

static void close_files(void *ctx)
{
    struct folder_files *files = ctx;
    (void)close(files->folder);
    tv_alloc_release(files->alloc, &files, 1, sizeof(*files));
}

/* The folder is held open, and every file is named relative to it: a store that is moved while it
 * is open stays the same store. */
enum tv_code tv_folder_files_open(struct tv_store_files *files, const char *dir,
                                  const struct tv_alloc *alloc, struct tv_error *err)
{
    struct folder_files *folder = NULL;
    TV_TRY(tv_alloc_new(alloc, &folder, 1, sizeof(*folder), err));
    folder->alloc = alloc;
    folder->folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->folder < 0) {
        tv_alloc_release(alloc, &folder, 1, sizeof(*folder));
        return tv_fail(err, errno == ENOENT ? TV_ERR_NOT_FOUND : TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%.150s cannot be opened: %s", dir, strerror(errno));
    }
    *files = (struct tv_store_files){.ctx = folder,
                                     .draft = draft,
                                     .keep = keep,
                                     .join = join,
                                     .open = open_file,
                                     .open_here = open_file,
                                     .len = len_of,
                                     .read_len = PART_LEN,
                                     .read = read_file,
                                     .remove = remove_file,
                                     .list = list,
                                     .read_owner = read_owner,
                                     .write_owner = write_owner,
                                     .close = close_files};
    return TV_OK;
}
