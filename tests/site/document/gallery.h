/* Every page of a site once, or more often where it looks different: for the tests, and for
 * pictures of the pages. */
#ifndef TV_TESTS_SITE_PAGE_GALLERY_H
#define TV_TESTS_SITE_PAGE_GALLERY_H

#include <stddef.h>

#include "http/http.h"
#include "site/document/documents.h"

struct gallery_page {
    const char *name; /* of the file that it is written into */
    /* The config is that of the site, and may be changed first. */
    void (*send)(const struct tv_document_site *site, struct tv_site_config *config,
                 struct tv_http_response *response);
};

extern const struct gallery_page gallery[];
extern const size_t gallery_len;

/* What every page needs, in the caller's memory. */
struct gallery_site {
    struct tv_site_config config;
    struct tv_document_site site;
};
void gallery_site_init(struct gallery_site *site, const struct tv_document_files *files,
                       const char *base_path);

/* Text that would be markup, and acts, where it is not escaped. */
#define GALLERY_HOSTILE "\"'><script>alert(1)</script>{}\xe2\x80\xae\x1b[31m\xff"

#endif
