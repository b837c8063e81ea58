/*
 * A body of multipart/form-data, taken apart while it arrives: libmicrohttpd's post processor reads
 * it. Fields come whole, files piece by piece, in the order in which they stand in the body.
 */
#ifndef TV_HTTP_FORM_H
#define TV_HTTP_FORM_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "http/http.h"

/* The longest value of a field that is no file. */
#define TV_FORM_FIELD_MOST ((size_t)64 << 10)
/* Most fields and files of a form. */
#define TV_FORM_PARTS_MOST 100u

/* Who takes a form apart. A failure of any of these ends it. */
struct tv_form_calls {
    enum tv_code (*field)(void *ctx, struct tv_str name, struct tv_str value, struct tv_error *err);
    /* A file begins. `file_name` is as the client gave it, and may be empty or a path. */
    enum tv_code (*file)(void *ctx, struct tv_str name, struct tv_str file_name,
                         struct tv_error *err);
    /* More bytes of the file that began last. */
    enum tv_code (*bytes)(void *ctx, const void *bytes, size_t len, struct tv_error *err);
};

struct tv_form;

/* Whether the request's Content-Type says that its body is a form with files. */
bool tv_form_is(const struct tv_http_request *request);
/* TV_ERR_ARGUMENT: the request's Content-Type has no boundary, or one that is none. */
enum tv_code tv_form_new(struct tv_form **form, const struct tv_alloc *alloc,
                         const struct tv_http_request *request, const struct tv_form_calls *calls,
                         void *ctx, struct tv_error *err) TV_MUST_CHECK;
/* The next bytes of the body. TV_ERR_ARGUMENT: this is no such form; else what a call failed with.
 */
enum tv_code tv_form_add(struct tv_form *form, const void *bytes, size_t len,
                         struct tv_error *err) TV_MUST_CHECK;
/* The body is over. TV_ERR_ARGUMENT: the form is not, so the body was cut. */
enum tv_code tv_form_end(struct tv_form *form, struct tv_error *err) TV_MUST_CHECK;
void tv_form_free(struct tv_form *form); /* NULL is fine */

#endif
