/* Changes of a trace by its owner, from fields. */
#ifndef TV_SITE_REQUEST_CHANGING_H
#define TV_SITE_REQUEST_CHANGING_H

#include "site/request/fields.h"
#include "site/request/known.h"

/* Makes the changes that the fields say, and looks the trace up again. */
enum tv_code tv_changing_apply(struct tv_asked *asked, const struct tv_fields *fields,
                               struct tv_known *known, struct tv_error *err) TV_MUST_CHECK;

#endif
