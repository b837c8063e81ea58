/* Sources of bytes; see os/file/source.h. A read may give less than was asked for, and may be
 * interrupted by a signal. */
#include "os/file/source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define PIECE_LEN ((size_t)1024 * 1024)

static enum tv_code read_fd(void *ctx, uint8_t *into, size_t cap, size_t *len, struct tv_error *err)
{
    const int *fd = ctx;
    ssize_t got;
    do
        got = read(*fd, into, cap);
    while (got < 0 && errno == EINTR);
    *len = got < 0 ? 0 : (size_t)got;
    if (got < 0)
        return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "cannot be read: %s", strerror(errno));
    return TV_OK;
}

struct tv_source tv_source_of_fd(const int *fd)
{
    struct tv_source source = {.read = read_fd};
    memcpy(&source.ctx, &fd,
           sizeof(fd)); /* the context of a source is not const, but read_fd only reads it */
    return source;
}

/* Reads into the room that the buffer still has if that is not too small, and otherwise makes it
 * larger. */
enum tv_code tv_source_read_all(struct tv_source source, struct tv_buffer *out,
                                struct tv_error *err)
{
    for (;;) {
        uint8_t *at;
        size_t before = out->len;
        size_t room = out->cap - out->len;
        size_t want = room >= PIECE_LEN / 16 ? room : PIECE_LEN;
        size_t len;
        TV_TRY(tv_buffer_extend(out, want, &at, err));
        enum tv_code code = source.read(source.ctx, at, want, &len, err);
        out->len = before + len;
        if (code != TV_OK || !len)
            return code;
    }
}
