/*
 * Names as lines of folded stacks can hold them; see export/folded_frame.h.
 *
 * A name is copied character by character. Characters that would end a frame or a line, or act upon
 * a terminal, are replaced, bytes that are no UTF-8 become U+FFFD, and a name that is too long is
 * cut and marked as cut.
 *
 * A frame of folded stacks ends at a semicolon and a line at its end, so neither may be part of a
 * name. Whoever writes such lines (folded.c, aflame.c, the flame graphs) takes frames from here, so
 * that one trace has the same frames in all of them.
 */
#include "export/folded_frame.h"

#include <string.h>

#include "base/text/utf8.h"

/* A line has up to TV_EXPORT_STACK_LEVELS frames, and each calling context has a line: long names
 * would make a small trace a file of gigabytes. */
#define FRAME_MOST 1000u
#define CHARACTER_MOST 4u /* bytes of UTF-8 */

static const struct tv_str cut_mark = {"...", 3};

static uint32_t as_frame(uint32_t character)
{
    if (character == ';')
        return ':';
    if (character == '\n' || character == '\r' || character == '\t' || !character)
        return ' ';
    return tv_utf8_needs_escape(character) ? TV_UTF8_REPLACEMENT : character;
}

/* *is_changed lets the caller say once that names differ from those of the trace, instead of for
 * each of them. */
enum tv_code tv_folded_frame(struct tv_arena *texts, struct tv_str name, struct tv_str *frame,
                             bool *is_changed, struct tv_error *err)
{
    char *kept;
    size_t len = 0;
    size_t at = 0;
    *is_changed = false;
    /* A byte that is not UTF-8 becomes a character of three bytes. */
    const size_t most = name.len < FRAME_MOST ? name.len * 3 : FRAME_MOST;
    TV_TRY(tv_arena_take(texts, most + CHARACTER_MOST + cut_mark.len + 1, &kept, err));
    while (at < name.len && len < FRAME_MOST) {
        const size_t start = at;
        const size_t room = len;
        len += tv_utf8_put(kept + len, as_frame(tv_utf8_next(name, &at)));
        *is_changed = *is_changed || len - room != at - start ||
                      memcmp(kept + room, name.at + start, at - start) != 0;
    }
    if (at < name.len) {
        memcpy(kept + len, cut_mark.at, cut_mark.len);
        len += cut_mark.len;
        *is_changed = true;
    }
    *frame = (struct tv_str){kept, len};
    return TV_OK;
}
