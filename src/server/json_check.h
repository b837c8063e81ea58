/*
 * Whether bytes are one JSON object, as the settings must be before they are written to their file.
 * Nothing is decoded: the grammar of RFC 8259 is checked, and the bytes stay as they are.
 */
#ifndef TV_SERVER_JSON_CHECK_H
#define TV_SERVER_JSON_CHECK_H

#include <stdbool.h>

#include "base/str.h"

/* False for an object that is nested deeper than 32 levels. Texts are not checked for UTF-8. */
bool tv_json_is_object(struct tv_str text);

#endif
