/* The bundled example in the store, so that the start page has something to show. */
#ifndef TV_SITE_RUN_SAMPLE_H
#define TV_SITE_RUN_SAMPLE_H

#include "site/site.h"

/* Keeps the example in the store, unless it is there already, and tells its id. Nobody owns it.
 * TV_ERR_NOT_FOUND: it is not installed. */
enum tv_code tv_sample_keep(const struct tv_site *site, struct tv_id *id,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
