/*
 * Drafts; see os/file/draft.h.
 *
 * A rename replaces a file in one step, but knows nothing of the file that it replaces. So links
 * are followed here, one by one, and the file at their end is opened for writing first: the kernel
 * then says whether this user may write it. Nothing is looked up twice, so a link that changes
 * meanwhile cannot have one file looked at and another one replaced.
 */
#include "os/file/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/file/unnamed_file.h"

/* As many as the kernel follows. */
#define MOST_LINKS 40u

static enum tv_code refused(struct tv_error *err, const char *path)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                   strerror(errno));
}

static enum tv_code too_long(struct tv_error *err, const char *path)
{
    return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", path);
}

/* Replaces the path of an opened link by the path where the link leads. False: errno says why. */
static bool follow(int link, char path[TV_PATH_CAP])
{
    char target[TV_PATH_CAP];
    char joined[TV_PATH_CAP];
    ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);
    if (len < 0)
        return false;
    target[len] = '\0';
    const char *slash = strrchr(path, '/');
    size_t folder_len = slash && target[0] != '/' ? (size_t)(slash + 1 - path) : 0;
    int joined_len = snprintf(joined, sizeof(joined), "%.*s%s", (int)folder_len, path, target);
    errno = ENAMETOOLONG;
    if (joined_len <= 0 || (size_t)joined_len >= sizeof(joined))
        return false;
    memcpy(path, joined, (size_t)joined_len + 1);
    return true;
}

static int open_folder(const char *path)
{
    char folder[TV_PATH_CAP] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - path), path);
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* One step on the way of links; *is_end when the path is no link. False: errno says why. */
static bool follow_once(int folder, char path[TV_PATH_CAP], bool *is_end)
{
    struct stat folder_status;
    struct stat status;
    int link = openat(folder, tv_file_name_of(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    *is_end = link < 0 && errno == ENOENT;
    if (link < 0)
        return *is_end;
    bool is_good = fstat(link, &status) == 0 && fstat(folder, &folder_status) == 0;
    *is_end = is_good && !S_ISLNK(status.st_mode);
    if (is_good && !*is_end) {
        errno = EACCES;
        is_good = !tv_file_is_strangers(&folder_status, &status) && follow(link, path);
    }
    int reason = errno;
    (void)close(link);
    errno = reason;
    return is_good;
}

/* Finds the file where links lead, which need not exist yet. */
static enum tv_code find_place(char place[TV_PATH_CAP], const char *path, struct tv_error *err)
{
    if (snprintf(place, TV_PATH_CAP, "%s", path) >= TV_PATH_CAP)
        return too_long(err, path);
    for (unsigned i = 0; i < MOST_LINKS; i++) {
        bool is_end = false;
        int folder = open_folder(place);
        if (folder < 0)
            return refused(err, path);
        bool is_good = follow_once(folder, place, &is_end);
        int reason = errno;
        (void)close(folder);
        errno = reason;
        if (!is_good)
            return refused(err, path);
        if (is_end)
            return TV_OK;
    }
    errno = ELOOP;
    return refused(err, path);
}

/* Looks at the file that is to be replaced; *is_there is false when there is none. Opening it for
 * writing asks the kernel whether the user may write it. */
static enum tv_code look_at_former(const char *place, const char *path, struct stat *former,
                                   bool *is_there, struct tv_error *err)
{
    /* Not blocking: a pipe may have come into its place. */
    int fd = open(place, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *is_there = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? TV_OK : refused(err, path);
    bool is_file = fstat(fd, former) == 0 && S_ISREG(former->st_mode);
    (void)close(fd);
    if (!is_file)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s is not a file", path);
    return TV_OK;
}

/* Makes the draft. It gets a narrow mode first: nobody else may read it before it has the mode of
 * the file that it replaces. */
static enum tv_code make(struct tv_draft *draft, mode_t mode, struct tv_error *err)
{
    draft->fd = tv_unnamed_file_open(draft->place, mode);
    draft->is_nameless = draft->fd >= 0;
    if (draft->fd < 0)
        draft->fd = open(draft->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return draft->fd < 0 ? refused(err, draft->place) : TV_OK;
}

/* Gives the draft owner, group and mode of the former file. A change of owner clears bits of the
 * mode, so the mode comes last. */
static enum tv_code take_after(const struct tv_draft *draft, const struct stat *former,
                               const char *path, struct tv_error *err)
{
    struct stat own;
    if (fstat(draft->fd, &own) != 0)
        return refused(err, path);
    bool is_same = own.st_uid == former->st_uid && own.st_gid == former->st_gid;
    if (!is_same && fchown(draft->fd, former->st_uid, former->st_gid) != 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%s belongs to another user or group: write to another name, or remove it",
                       path);
    return fchmod(draft->fd, former->st_mode & 0777) == 0 ? TV_OK : refused(err, path);
}

enum tv_code tv_draft_open(struct tv_draft *draft, const char *path, mode_t mode,
                           struct tv_error *err)
{
    struct stat former;
    bool is_there;
    *draft = (struct tv_draft){.fd = -1};
    TV_TRY(find_place(draft->place, path, err));
    TV_TRY(look_at_former(draft->place, path, &former, &is_there, err));
    int len =
        snprintf(draft->name, sizeof(draft->name), "%s.%ld.part", draft->place, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(draft->name))
        return too_long(err, path);
    TV_TRY(make(draft, is_there ? 0600 : mode, err));
    enum tv_code code = is_there ? take_after(draft, &former, path, err) : TV_OK;
    return code == TV_OK ? TV_OK : tv_draft_end(draft, code, err);
}

/* The stream has a descriptor of its own, so that closing it leaves the draft open. */
FILE *tv_draft_stream(const struct tv_draft *draft)
{
    int fd = fcntl(draft->fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !file)
        (void)close(fd);
    return file;
}

/* Some file systems tell at close() that the bytes found no room. So a second descriptor is closed
 * to find out, while the first one still gives the draft its name. */
static bool has_all_bytes(const struct tv_draft *draft)
{
    int second = fcntl(draft->fd, F_DUPFD_CLOEXEC, 0);
    return second >= 0 && close(second) == 0;
}

static bool take_place(struct tv_draft *draft)
{
    if (!has_all_bytes(draft))
        return false;
    if (draft->is_nameless && tv_unnamed_file_name(draft->fd, AT_FDCWD, draft->name) != 0)
        return false;
    draft->is_nameless = false;
    return rename(draft->name, draft->place) == 0;
}

enum tv_code tv_draft_end(struct tv_draft *draft, enum tv_code code, struct tv_error *err)
{
    if (draft->fd < 0)
        return code;
    if (code == TV_OK && !take_place(draft))
        code = refused(err, draft->place);
    if (code != TV_OK && !draft->is_nameless)
        (void)unlink(draft->name);
    (void)close(draft->fd);
    draft->fd = -1;
    return code;
}
