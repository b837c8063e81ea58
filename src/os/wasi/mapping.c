/*
 * Files in memory where nothing can be mapped (WebAssembly): a file is read whole; see
 * os/memory/mapping.h. What was read stays, whatever becomes of the file, so no byte goes missing
 * and no reader has to be stopped.
 */
#include "os/memory/mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

/* A file that is shorter than it said is refused here, and then read as a pipe is. */
static enum tv_code read_all(int fd, uint8_t *bytes, size_t len, struct tv_error *err)
{
    size_t off = 0;
    while (off < len) {
        ssize_t got = pread(fd, bytes + off, len - off, (off_t)off);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return tv_fail(err, TV_ERR_SYSTEM, off, "cannot be read: %s",
                           got ? strerror(errno) : "it became shorter");
        off += (size_t)got;
    }
    return TV_OK;
}

enum tv_code tv_mapping_open(struct tv_mapping *mapping, int fd, size_t len, struct tv_error *err)
{
    uint8_t *bytes;
    *mapping = (struct tv_mapping){.bytes = NULL};
    TV_TRY(tv_alloc_new(tv_alloc_libc(), &bytes, len, 1, err));
    enum tv_code code = read_all(fd, bytes, len, err);
    if (code == TV_OK)
        *mapping = (struct tv_mapping){bytes, len};
    else
        tv_alloc_release(tv_alloc_libc(), &bytes, len, 1);
    return code;
}

void tv_mapping_release(struct tv_mapping *mapping)
{
    uint8_t *bytes;
    memcpy(&bytes, &mapping->bytes, sizeof(bytes)); /* without const */
    if (bytes)
        tv_alloc_release(tv_alloc_libc(), &bytes, mapping->len, 1);
    *mapping = (struct tv_mapping){.bytes = NULL};
}

void tv_mapping_read_ahead(const struct tv_mapping *mapping)
{
    (void)mapping;
}

enum tv_code tv_mapping_check(const void *at, struct tv_error *err)
{
    (void)at, (void)err;
    return TV_OK;
}

enum tv_code tv_mapping_run(void (*body)(void *ctx), void *ctx, struct tv_error *err)
{
    (void)err;
    body(ctx);
    return TV_OK;
}
