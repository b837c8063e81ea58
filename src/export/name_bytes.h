/* How much of a file will be names of methods, which a trace can make long. */
#ifndef TV_EXPORT_NAME_BYTES_H
#define TV_EXPORT_NAME_BYTES_H

#include <stdint.h>

#include "export/export_context.h"

/* Of a format that names methods with each call, bytes of the names of what is shown: less than the
 * file will have. 0 of other formats. Takes a look at each node, not at each call. */
uint64_t tv_export_name_bytes(const struct tv_export_context *context,
                              const struct tv_export *format);

#endif
