/*
 * A second reader of XML 1.0, against which pictures are held: elements that nest, attributes in
 * quotes, the five references that every reader knows, numbers, CDATA. No more than pictures use:
 * no comments, no document types.
 */
#ifndef TV_FUZZ_PLAIN_XML_H
#define TV_FUZZ_PLAIN_XML_H

#include <stdbool.h>

#include "base/str.h"

/* Whether the bytes are a declaration and one element, of not more than 16 levels, in UTF-8 and in
 * characters that XML can hold. */
bool fuzz_is_xml(struct tv_str text);

#endif
