/* What an upload is by its first bytes, so that a file that is no trace is refused before all of it
 * has come. Whether it can be read is found out by a worker (site/jobs/workers.h). */
#ifndef TV_SITE_UPLOAD_UPLOAD_SNIFF_H
#define TV_SITE_UPLOAD_UPLOAD_SNIFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"

/* How many of the first bytes are looked at. */
#define TV_SNIFFING_LEN ((size_t)64 << 10)
/* Fewer bytes than that tell nothing where more will come. */
#define TV_SNIFFING_LEAST ((size_t)4 << 10)

/* TV_OK: the bytes may begin a trace, or be a packed one. TV_ERR_FOREIGN: they are none, and the
 * text says what they are. */
enum tv_upload_sniff { TV_SNIFFING_START, TV_SNIFFING_WHOLE };
enum tv_code tv_upload_sniff_judge(const uint8_t *bytes, size_t len, enum tv_upload_sniff part,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
