/*
 * A trace on a tight disk; see cli/record/record_tight.h. The trace is held in memory for a while,
 * so that the room is there when it is written: of HELD bytes half goes to the disk when all are
 * taken, and of the stream only GIVE_BACK and TV_WRITE_BEHIND bytes that were read are still there
 * then. At the end all of the stream was read.
 */
#include "cli/record/record_tight.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/write/write.h"
#include "os/file/hole.h"

#define GIVE_BACK ((uint64_t)1 << 20) /* at a time: whole pages of any kernel */
#define HELD ((size_t)8 << 20)
#define PAGE ((uint64_t)4096) /* both files take whole ones */

enum tv_code tv_record_tight_begin(struct tv_record_tight *tight, const struct tv_alloc *alloc,
                                   const char *stream, uint64_t len, struct tv_sink sink,
                                   struct tv_error *err)
{
    *tight = (struct tv_record_tight){.alloc = alloc, .len = len, .sink = sink};
    tight->fd = open(stream, O_RDWR | O_CLOEXEC);
    if (tight->fd >= 0)
        tight->room = tv_file_room(tight->fd);
    if (tight->fd >= 0 && tight->room / 5 * 4 > len) {
        (void)close(tight->fd);
        tight->fd = -1;
    }
    return tight->fd < 0 ? TV_OK : tv_alloc_new(alloc, &tight->held, HELD, 1, err);
}

static uint64_t whole_pages(uint64_t len)
{
    return (len + PAGE - 1) / PAGE * PAGE;
}

static uint64_t above(uint64_t wanted, uint64_t there)
{
    return wanted > there ? wanted - there : 0;
}

/* At the end the trace has the room of the stream; before, it may only be ahead by what is held. */
uint64_t tv_record_tight_lacks(const struct tv_record_tight *tight, uint64_t len, uint64_t head)
{
    if (tight->fd < 0)
        return 0;
    const uint64_t at_end = above(whole_pages(len) + PAGE, tight->room + whole_pages(tight->len));
    const uint64_t before = above(head + GIVE_BACK + TV_WRITE_BEHIND, tight->room + HELD / 2);
    return at_end > before ? at_end : before;
}

static enum tv_code write_held(struct tv_record_tight *tight, size_t len, struct tv_error *err)
{
    TV_TRY(tight->sink.write(tight->sink.ctx, tight->held, len, err));
    tight->held_len -= len;
    memmove(tight->held, tight->held + len, tight->held_len);
    return TV_OK;
}

static enum tv_code hold(void *ctx, const void *bytes, size_t len, struct tv_error *err)
{
    struct tv_record_tight *tight = ctx;
    const char *from = bytes;
    while (len) {
        const size_t room = HELD - tight->held_len;
        const size_t taken = len < room ? len : room;
        memcpy(tight->held + tight->held_len, from, taken);
        tight->held_len += taken;
        from += taken;
        len -= taken;
        if (tight->held_len == HELD)
            TV_TRY(write_held(tight, HELD / 2, err));
    }
    return TV_OK;
}

struct tv_sink tv_record_tight_sink(struct tv_record_tight *tight)
{
    return tight->fd < 0 ? tight->sink : (struct tv_sink){.write = hold, .ctx = tight};
}

static void give_back(struct tv_record_tight *tight, uint64_t until)
{
    if (tv_file_give_back(tight->fd, tight->given_back, until - tight->given_back))
        tight->given_back = until;
}

void tv_record_tight_has_read(void *ctx, uint64_t offset)
{
    struct tv_record_tight *tight = ctx;
    if (tight->fd >= 0 && offset >= tight->given_back + GIVE_BACK + TV_WRITE_BEHIND)
        give_back(tight, (offset - TV_WRITE_BEHIND) / GIVE_BACK * GIVE_BACK);
}

enum tv_code tv_record_tight_end(struct tv_record_tight *tight, enum tv_code code,
                                 struct tv_error *err)
{
    if (tight->fd < 0)
        return code;
    if (code == TV_OK) {
        give_back(tight, tight->len);
        code = write_held(tight, tight->held_len, err);
    }
    tv_alloc_release(tight->alloc, &tight->held, HELD, 1);
    (void)close(tight->fd);
    return code;
}
