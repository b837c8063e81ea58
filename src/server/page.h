/*
 * The page inside the binary: index.html, which has its style and the script of the first picture
 * in it, and app.js, the rest of the script; both gzip-packed, with their ETags.
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

/* False where the build had no node: there are no files then. */
bool tv_page_is_built(void);
/* What the page may do: the content policy that goes with every answer. */
const char *tv_page_policy(void);
/* The file of that name; "" is index.html. False when there is none. */
bool tv_page_find(struct tv_str name, struct tv_page_file *file);

#endif
