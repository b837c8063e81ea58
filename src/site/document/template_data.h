/* What the templates know of a site, by the names that documents have for it: the site's own
 * structs as kinds of rows (site/document/template.h). */
#ifndef TV_SITE_DOCUMENT_TEMPLATE_DATA_H
#define TV_SITE_DOCUMENT_TEMPLATE_DATA_H

#include "site/document/documents.h"
#include "site/document/template.h"
#include "site/document/templates.h"

/* What every document knows, and which document it is. */
struct tv_site_document {
    const struct tv_document_site *site;
    enum tv_document document;
};

/* What one document alone says: the token of a new trace, what was wrong with a form, or the id of
 * the trace that another one is to be compared with. */
struct tv_document_words {
    struct tv_str owner_token, problem, first;
};

struct tv_document_flames {
    const struct tv_stored_thread *threads; /* the busiest first */
    size_t count;
};

struct tv_document_problem {
    unsigned status;
    struct tv_str reason;
};

extern const struct tv_template_kind tv_kind_site;       /* struct tv_site_document */
extern const struct tv_template_kind tv_kind_trace;      /* struct tv_document_trace */
extern const struct tv_template_kind tv_kind_words;      /* struct tv_document_words */
extern const struct tv_template_kind tv_kind_flames;     /* struct tv_document_flames */
extern const struct tv_template_kind tv_kind_list;       /* struct tv_document_list */
extern const struct tv_template_kind tv_kind_deliveries; /* struct tv_document_deliveries */
extern const struct tv_template_kind tv_kind_tokens;     /* struct tv_document_tokens */
extern const struct tv_template_kind tv_kind_problem;    /* struct tv_document_problem */

#endif
