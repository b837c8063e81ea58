/*
 * The page inside the binary: one file, which has its style and its script in it, so that a browser
 * asks once for all that it runs. web/tools/build.mjs makes the file and its content policy,
 * scripts/build_page packs the file, and page.S puts it into the binary.
 */
#ifndef TV_SERVED_PAGE_H
#define TV_SERVED_PAGE_H

#include <stdbool.h>

#include "base/str.h"
#include "http/http.h"

struct tv_page {
    struct tv_str packed; /* gzip */
    struct tv_str etag;   /* with its quotes, and ended by NUL */
};

/* False where the build had no node: there is no page then, and tv_page_view gives an empty one. */
bool tv_page_is_built(void);
struct tv_page tv_page_view(void);
/* What a report is made of (export/single_file/single_file.h), each packed by gzip: the template,
 * the engine, and libzstd's decoder. Empty where the build left them out. */
struct tv_str tv_page_of_reports(void);
struct tv_str tv_page_engine(void);
struct tv_str tv_page_zstd(void);
/* What the page may do: the content policy that goes with every answer. It names the script and the
 * style by their hashes, so nothing else runs. */
const char *tv_page_policy(void);
/* Answers with the page, which must be built. A browser that reloads it has it already, and is told
 * so by 304. */
void tv_page_send(const struct tv_http_request *request, struct tv_http_response *response);

#endif
