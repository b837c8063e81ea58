/* The little XML that S3 speaks: elements without attributes that matter, and five entities. The
 * text is a server's, and nobody vouches for it: what is no such element is not found. */
#ifndef TV_S3_XML_H
#define TV_S3_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Takes the next element of that name off the text: its inner text, as it stands there. False:
 * there is none any more. An element that holds another one of its own name ends with that one's
 * end. */
bool tv_s3_xml_next(struct tv_str *text, const char *name, struct tv_str *inner);
/* The first element of that name, decoded and cut to its room, without control characters; "" where
 * there is none. */
void tv_s3_xml_copy(struct tv_str text, const char *name, char *to, size_t cap);

#endif
