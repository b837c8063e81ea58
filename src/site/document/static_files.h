/*
 * The style and the script of the pages. Their names hold the sum of their bytes, so a browser may
 * keep them for ever. The style is made of the viewer's colours (web/src/views/css) and
 * those of web/src/site/css, and needs no node; the script is bundled as the viewer's page is.
 */
#ifndef TV_SITE_DOCUMENT_STATIC_FILES_H
#define TV_SITE_DOCUMENT_STATIC_FILES_H

#include "base/str.h"

struct tv_document_file {
    char name[32];       /* "site-0123456789abcdef.css"; empty: there is no such file */
    const char *type;    /* for Content-Type */
    struct tv_str bytes; /* as they are, not packed */
};

struct tv_document_files {
    struct tv_document_file style;
    struct tv_document_file script; /* none where the build had no node */
};

void tv_document_files_init(struct tv_document_files *files);
/* The file of that name, or NULL. */
const struct tv_document_file *tv_document_files_find(const struct tv_document_files *files,
                                                      struct tv_str name);

#endif
