/* What every page says of its site (site/document/documents.h). */
#ifndef TV_SITE_REQUEST_DOCUMENT_SITE_H
#define TV_SITE_REQUEST_DOCUMENT_SITE_H

#include "site/document/documents.h"
#include "site/request/request_context.h"

/* A view of the request's memory. */
struct tv_document_site tv_document_site_of(const struct tv_request_context *context);

#endif
