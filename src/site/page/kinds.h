/* What the templates know of a site, by the names that docs/site.md lists: the site's own structs
 * as kinds of rows (site/page/template.h). */
#ifndef TV_SITE_PAGE_KINDS_H
#define TV_SITE_PAGE_KINDS_H

#include "site/page/pages.h"
#include "site/page/template.h"
#include "site/page/templates.h"

/* What every page knows, and which page it is. */
struct tv_site_page {
    const struct tv_page_site *site;
    enum tv_page page;
};

/* What one page alone says: the token of a new trace, or what was wrong with a form. */
struct tv_page_words {
    struct tv_str owner_token, problem;
};

struct tv_page_flames {
    const struct tv_stored_thread *threads; /* the busiest first */
    size_t count;
};

struct tv_page_problem {
    unsigned status;
    struct tv_str reason;
};

extern const struct tv_template_kind tv_kind_site;    /* struct tv_site_page */
extern const struct tv_template_kind tv_kind_trace;   /* struct tv_page_trace */
extern const struct tv_template_kind tv_kind_words;   /* struct tv_page_words */
extern const struct tv_template_kind tv_kind_flames;  /* struct tv_page_flames */
extern const struct tv_template_kind tv_kind_list;    /* struct tv_page_list */
extern const struct tv_template_kind tv_kind_problem; /* struct tv_page_problem */

#endif
