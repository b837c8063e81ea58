/*
 * What all pages of a site have in common: the head, the bar with the site's own links, the end;
 * and the pieces that several pages show of a trace. A page is written piece by piece, and the
 * first failure is told at its end.
 */
#ifndef TV_PAGES_FRAME_H
#define TV_PAGES_FRAME_H

#include "base/text/markup.h"
#include "base/text/out.h"
#include "pages/pages.h"

/* Which of the bar's links leads to the page itself. */
enum tv_frame_place { TV_FRAME_START, TV_FRAME_LIST, TV_FRAME_STORED, TV_FRAME_ELSEWHERE };

#define TV_FRAME_LIFE_MOST 64u

struct tv_frame {
    struct tv_out out;
    const struct tv_told_site *site;
};

struct tv_frame_head {
    struct tv_str title;
    const char *kind; /* of page, for the script and the style */
    enum tv_frame_place place;
    unsigned refresh_s; /* after which a browser without scripts asks again; 0: never */
};

void tv_frame_begin(struct tv_frame *frame, const struct tv_told_site *site,
                    const struct tv_frame_head *head, struct tv_sink sink);
enum tv_code tv_frame_end(struct tv_frame *frame, struct tv_error *err) TV_MUST_CHECK;

/* Markup as it is. */
void tv_frame_add(struct tv_frame *frame, const char *markup);
/* Text as a part of an address. */
void tv_frame_parameter(struct tv_frame *frame, struct tv_str text);
/* The title that a trace was given, or else the name of its file. */
struct tv_str tv_frame_name_of(const struct tv_told_trace *trace);
/* The file's name where the title is another, its size, its day of upload, and how long it is kept.
 */
void tv_frame_facts(struct tv_frame *frame, const struct tv_told_trace *trace);
/* The labels, as a list. */
void tv_frame_labels(struct tv_frame *frame, const struct tv_told_trace *trace);
/* A moment, which the script turns into the reader's own time. */
void tv_frame_time(struct tv_frame *frame, uint64_t seconds);
/* "kept for 90 days" or "kept until it is deleted". */
struct tv_str tv_frame_life(char room[TV_FRAME_LIFE_MOST], uint64_t kept_s);

#endif
