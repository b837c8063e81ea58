/* Whether bytes are one JSON object: what settings must be before they are kept. */
#ifndef TV_SERVER_JSON_CHECK_H
#define TV_SERVER_JSON_CHECK_H

#include <stdbool.h>

#include "base/str.h"

/* At most 32 levels deep; text is not checked for UTF-8. */
bool tv_json_is_object(struct tv_str text);

#endif
