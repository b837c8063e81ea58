/*
 * Drafts where only files and names are known (WASI); see os/file/draft.h. A draft has a name
 * beside its place, and takes its place by a rename. Whoever runs the module looks after what WASI
 * has no word for: a link that stands in the place, and the mode of the file that is replaced.
 */
#include "os/file/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static enum tv_code refused(struct tv_error *err, const char *path)
{
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "%s cannot be written: %s", path,
                   strerror(errno));
}

/* Whether this user may write what is there is found out by opening it, as the program does. */
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
    (void)mode;
    int place_len = snprintf(draft->place, sizeof(draft->place), "%s", path);
    int len = snprintf(draft->name, sizeof(draft->name), "%s.part", path);
    if (place_len < 0 || len < 0 || (size_t)len >= sizeof(draft->name))
        return tv_fail(err, TV_ERR_LIMIT, TV_NO_OFFSET, "%.100s...: the name is too long", path);
    TV_TRY(look_at_former(path, err));
    draft->fd = open(draft->name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (draft->fd < 0 && errno == EEXIST)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET,
                       "%s is there: another command writes it, or left it when it was killed: "
                       "remove it",
                       draft->name);
    return draft->fd < 0 ? refused(err, path) : TV_OK;
}

/* Descriptors have no twins here, so the stream has one that it opens anew. */
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
