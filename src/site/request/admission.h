/* The list of what a request must be before any route looks at what it wants. */
#ifndef TV_SITE_REQUEST_ADMISSION_H
#define TV_SITE_REQUEST_ADMISSION_H

#include <stdbool.h>

#include "site/request/fields.h"
#include "site/request/request_context.h"

/* Each of these returns true, or fills the response with the refusal. */

/* The host is one that the site answers to: that of public-url, or where there is none, the name or
 * an address of the machine. A page of another site may let its own name resolve to the address of
 * this one; such a request bears that page's name. `hosts`: which others the route answers to. */
enum tv_site_hosts { TV_HOSTS_OWN, TV_HOSTS_ADDRESSES, TV_HOSTS_ANY };
bool tv_admission_host(const struct tv_request_context *context, enum tv_site_hosts hosts,
                       struct tv_http_response *response);
/* No more requests of this user, or from this address where it has no name yet, than the
 * configuration allows. */
bool tv_admission_rate(const struct tv_request_context *context, struct tv_http_response *response);
/* Something that changes the store is not begun by a page of another site. */
bool tv_admission_origin(const struct tv_request_context *context,
                         struct tv_http_response *response);
/* The client may upload. `fields` has what a form brought; NULL: that is not known yet, and a
 * secret that is missing so far is no refusal. */
bool tv_admission_upload(const struct tv_request_context *context, const struct tv_fields *fields,
                         struct tv_http_response *response);
/* Uploads of this user, or from this address, do not come too fast. */
bool tv_admission_upload_rate(const struct tv_request_context *context,
                              struct tv_http_response *response);

/* The token of "Authorization: Bearer TOKEN"; empty: there is none. */
struct tv_str tv_admission_bearer(const struct tv_http_request *request);
/* By which right the request may change the trace: it bears the owner token, the proxy names the
 * user who uploaded it, or an administrator. */
enum tv_site_right tv_admission_right(const struct tv_request_context *context,
                                      const struct tv_trace_row *row);
bool tv_admission_is_owner(const struct tv_request_context *context,
                           const struct tv_trace_row *row);

#endif
