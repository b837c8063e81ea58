/* How many names of a trace a format cannot hold, so that they stand in the file with other
 * characters. */
#ifndef TV_EXPORT_CHANGED_NAMES_H
#define TV_EXPORT_CHANGED_NAMES_H

#include "base/compiler.h"
#include "base/error.h"
#include "export/export_context.h"

/* Counts, in the result, the methods, threads and processes whose names the format cannot hold,
 * each once, however often the file has it; nothing for formats that count themselves. */
enum tv_code tv_export_count_changed_names(struct tv_export_context *context,
                                           const struct tv_export *format,
                                           struct tv_error *err) TV_MUST_CHECK;

#endif
