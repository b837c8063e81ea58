/*
 * Drafts where only files and names are known (WASI); see os/file/draft.h. A draft takes its place
 * by a rename. Whoever runs the module (packaging/npm/wasi.mjs) looks after what WASI has no word
 * for: the draft's name, which tells drafts of a process that is gone, links, and modes.
 */
#include "os/file/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* The path of a draft for a place, of which a file of that mode is made next. The length of the
 * path, or an error below 0. */
__attribute__((import_module("traceview"), import_name("draft_path"))) int
tv_host_draft_path(const char *place, size_t len, mode_t mode, char *into, size_t cap);

static enum tv_code refused(struct tv_error *err, const char *path)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                   strerror(errno));
}

/* Finds out by opening the file whether this user may write it, as the program does elsewhere. */
static enum tv_code look_at_former(const char *path, struct tv_error *err)
{
    struct stat status;
    int fd = open(path, O_WRONLY);
    if (fd < 0)
        return errno == ENOENT ? TV_OK : refused(err, path);
    bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    (void)close(fd);
    if (!is_file)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s is not a file", path);
    return TV_OK;
}

enum tv_code tv_draft_open(struct tv_draft *draft, const char *path, mode_t mode,
                           struct tv_error *err)
{
    *draft = (struct tv_draft){.fd = -1};
    const size_t place_len = strlen(path);
    if (place_len >= sizeof(draft->place))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", path);
    memcpy(draft->place, path, place_len + 1);
    TV_TRY(look_at_former(path, err));
    const int len = tv_host_draft_path(path, place_len, mode, draft->name, sizeof(draft->name) - 1);
    if (len < 0) {
        errno = -len;
        return refused(err, path);
    }
    draft->name[len] = '\0';
    draft->fd = open(draft->name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return draft->fd < 0 ? refused(err, path) : TV_OK;
}

/* WASI cannot duplicate a descriptor, so the stream opens the file anew. */
FILE *tv_draft_stream(const struct tv_draft *draft)
{
    return fopen(draft->name, "r+b");
}

enum tv_code tv_draft_end(struct tv_draft *draft, enum tv_code code, struct tv_error *err)
{
    if (draft->fd < 0)
        return code;
    bool is_closed = close(draft->fd) == 0;
    draft->fd = -1;
    if (code == TV_OK && (!is_closed || rename(draft->name, draft->place) != 0))
        code = refused(err, draft->place);
    if (code != TV_OK)
        (void)unlink(draft->name);
    return code;
}
