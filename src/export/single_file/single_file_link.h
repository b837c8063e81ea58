/*
 * The link in a single file: the view that its page opens at, and the marks in it. It is what
 * stands behind the # of a link of the viewer (web/src/model/page/url-state.ts),
 * "view=10-20ms&...".
 *
 * The page may have a part of the trace in it, whose times begin where the part begins, and hashes
 * for names: the link is written so that it fits the part, and names nothing where names are
 * hashes.
 */
#ifndef TV_EXPORT_SINGLE_FILE_SINGLE_FILE_LINK_H
#define TV_EXPORT_SINGLE_FILE_SINGLE_FILE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text/out.h"

/* What of the trace the page has. Zeros: all of it, with its names. */
struct tv_single_file_cut {
    bool has_range;
    uint64_t from_ns; /* since the start of the trace that the link is of */
    uint64_t to_ns;
    bool is_redacted;
};

/*
 * Writes the link for a page with this part. Ranges and marks are moved with the part, and left out
 * where they lie outside of it; a call, whose ordinal is counted anew in a part, becomes its
 * method. Of a redacted trace only what cannot be a name is left. `has_old`: the page has the trace
 * in it that this one is compared with, and the link shows what changed, unless it says which tab;
 * of a part without one the link never does, since its calls have no places of before.
 */
void tv_single_file_link_put(struct tv_out *out, struct tv_str link,
                             const struct tv_single_file_cut *cut, bool has_old);

/* A range of time that a user marked. */
struct tv_single_file_mark {
    uint64_t from_ns, to_ns;
    struct tv_str text; /* as it stands in the link: tv_single_file_mark_text reads it */
};

/* The next mark in what is left of a link; false: there is none. */
bool tv_single_file_mark_next(struct tv_str *link, struct tv_single_file_mark *mark);

/* The first bytes of a mark's text, as the user wrote it, up to `cap`; returns how many. */
size_t tv_single_file_mark_text(const struct tv_single_file_mark *mark, char *out, size_t cap);

/* Writes a mark as a parameter of a link, "mark=10-20ms|text"; its text is as a user wrote it. */
void tv_single_file_mark_put(struct tv_out *out, const struct tv_single_file_mark *mark);

#endif
