/*
 * The templates of all pages (html/), and the names that each may use. docs/site.md says how a page
 * is changed.
 */
#ifndef TV_SITE_DOCUMENT_TEMPLATES_H
#define TV_SITE_DOCUMENT_TEMPLATES_H

#include "site/document/template.h"

enum tv_document {
    TV_PAGE_START,
    TV_PAGE_UPLOADED,
    TV_PAGE_WAITING,
    TV_PAGE_BAD,
    TV_PAGE_OWNER,
    TV_PAGE_FLAMES,
    TV_PAGE_LIST,
    TV_PAGE_STORED,
    TV_PAGE_TOKENS,
    TV_PAGE_COMPARE,
    TV_PAGE_APPS,
    TV_PAGE_BUILDS,
    TV_PAGE_BUILD_DIFF,
    TV_PAGE_METHOD,
    TV_PAGE_WEBHOOK,
    TV_PAGE_PROBLEM,
};
#define TV_PAGES 16u

/* A page: its template, and the kinds of the rows that it is written from, the outermost first. */
struct tv_document_form {
    const char *name;
    const struct tv_template_kind *kinds[TV_TEMPLATE_SCOPES_MOST];
    size_t kind_count;
};

const struct tv_document_form *tv_document_form(enum tv_document page);
struct tv_templates tv_document_templates(void);

#endif
