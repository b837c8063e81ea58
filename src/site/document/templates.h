/*
 * The templates of all documents (html/), and the names that each may use. docs/site.md says how a
 * document is changed.
 */
#ifndef TV_SITE_DOCUMENT_TEMPLATES_H
#define TV_SITE_DOCUMENT_TEMPLATES_H

#include "site/document/template.h"

enum tv_document {
    TV_DOCUMENT_START,
    TV_DOCUMENT_UPLOADED,
    TV_DOCUMENT_WAITING,
    TV_DOCUMENT_BAD,
    TV_DOCUMENT_OWNER,
    TV_DOCUMENT_FLAMES,
    TV_DOCUMENT_LIST,
    TV_DOCUMENT_STORED,
    TV_DOCUMENT_TOKENS,
    TV_DOCUMENT_COMPARE,
    TV_DOCUMENT_APPS,
    TV_DOCUMENT_BUILDS,
    TV_DOCUMENT_BUILD_DIFF,
    TV_DOCUMENT_METHOD,
    TV_DOCUMENT_WEBHOOK,
    TV_DOCUMENT_PROBLEM,
};
#define TV_DOCUMENTS 16u

/* A document: its template, and the kinds of the rows that it is written from, the outermost first.
 */
struct tv_document_form {
    const char *name;
    const struct tv_template_kind *kinds[TV_TEMPLATE_SCOPES_MOST];
    size_t kind_count;
};

const struct tv_document_form *tv_document_form(enum tv_document document);
struct tv_templates tv_document_templates(void);

#endif
