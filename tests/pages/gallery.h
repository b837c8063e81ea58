/* Every page of a site once, or more often where it looks different: for the tests, and for
 * pictures of the pages. */
#ifndef TV_TESTS_GALLERY_H
#define TV_TESTS_GALLERY_H

#include <stddef.h>

#include "base/sink.h"
#include "pages/pages.h"

struct gallery_page {
    const char *name; /* of the file that it is written into */
    enum tv_code (*write)(const struct tv_told_site *site, struct tv_sink sink,
                          struct tv_error *err);
};

extern const struct gallery_page gallery[];
extern const size_t gallery_len;

/* Text that would be markup, and acts, where it is not escaped. */
#define GALLERY_HOSTILE "\"'><script>alert(1)</script>{}\xe2\x80\xae\x1b[31m\xff"

#endif
