/*
 * The page inside the binary: index.html, which has its style and the script of the first picture
 * in it, and app.js, the rest of the script, gzip-packed with its ETag.
 */
#ifndef TV_SERVER_PAGE_H
#define TV_SERVER_PAGE_H

#include <stdbool.h>

#include "base/str.h"

struct tv_page_file {
    const char *content_type;
    struct tv_str packed; /* gzip */
    struct tv_str etag;   /* with its quotes, not ended by NUL */
};

/* index.html, before and behind the place for what the page is told first. */
struct tv_page_frame {
    struct tv_str before;
    struct tv_str behind;
};

/* False where the build had no node: there are no files then, and the frame is empty. */
bool tv_page_is_built(void);
struct tv_page_frame tv_page_frame(void);
/* What the page may do: the content policy that goes with every answer. */
const char *tv_page_policy(void);
/* The file of that name beside index.html. False when there is none. */
bool tv_page_find(struct tv_str name, struct tv_page_file *file);

#endif
