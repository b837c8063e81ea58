/* Which file a recorded function is of: base/code_file.h. */
#ifndef TV_RECORD_INSTRUMENTED_CODE_FILE_H
#define TV_RECORD_INSTRUMENTED_CODE_FILE_H

#include <stdint.h>

#include "base/code_file.h"

/* Of a file that is loaded from `begin` on; `base` is what its addresses are moved by. `path` is
 * asked about only where it has no build id. An empty text: nothing is known. From any thread, and
 * from signal handlers. */
void tv_code_file_name(char text[TV_CODE_FILE_CAP], const void *begin, uintptr_t base,
                       const char *path);

#endif
