/*
 * An archive of two traces that Perfetto, from version 58 on, opens as one: a system trace, an
 * export of ours, and the manifest that says whose clock is the timeline. A tar file, whose members
 * have fixed names: Perfetto reads them in the order of their names, and the system trace must come
 * first, since its clock snapshots lead from the monotonic clock to its own.
 *
 * Source: perfetto.dev/docs/reference/perfetto-manifest; POSIX, pax, "ustar".
 */
#ifndef TV_CLI_FILE_MERGED_ARCHIVE_H
#define TV_CLI_FILE_MERGED_ARCHIVE_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/str.h"

/* Writes the members in front of the export, and the head of the export's member. `export_len` is
 * how many bytes the caller writes then. TV_ERR_LIMIT: a member is longer than the format can say,
 * 8 GiB. */
enum tv_code tv_merged_archive_begin(struct tv_str system_trace, uint64_t export_len,
                                     struct tv_sink to, struct tv_error *err) TV_MUST_CHECK;
/* Writes what stands behind the export. */
enum tv_code tv_merged_archive_end(uint64_t export_len, struct tv_sink to,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
