/* A secret that a request bears as a header, from a file: words of a command line are for all to
 * see. */
#ifndef TV_CLI_SITE_HEADER_FILE_H
#define TV_CLI_SITE_HEADER_FILE_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

/* The beginning of the header of a token of a program, and the longest one. */
#define TV_TOKEN_HEADER "Authorization: Bearer "
#define TV_TOKEN_HEADER_MOST ((size_t)80)
#define TV_TOKEN_HEADER_CAP (sizeof(TV_TOKEN_HEADER) + TV_TOKEN_HEADER_MOST)

/* Writes `name` and the one line of a file of up to `most` bytes behind it; `header` has room for
 * both and a NUL, and stays as it is where path is NULL. TV_ERR_ARGUMENT: it is no such line. */
enum tv_code tv_header_file_read(const char *path, const char *name, size_t most,
                                 const struct tv_alloc *alloc, char *header,
                                 struct tv_error *err) TV_MUST_CHECK;

#endif
