/* Recognises files of other tools that people mistake for method traces. */
#ifndef TV_FORMAT_SNIFF_FOREIGN_H
#define TV_FORMAT_SNIFF_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

/* TV_ERR_FOREIGN, with what the file is and what to do with it; TV_OK when it is no file that is
 * known here. */
enum tv_code tv_foreign_refuse(const uint8_t *bytes, size_t len,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
