/* Printing what redaction will do to a part of a trace (export/preview.h). */
#ifndef TV_CLI_ANSWERS_PREVIEW_PRINT_H
#define TV_CLI_ANSWERS_PREVIEW_PRINT_H

#include "base/compiler.h"
#include "base/error.h"
#include "cli/answers/question.h"
#include "export/export.h"

/* opts->redact must be set. */
enum tv_code tv_preview_print(const struct tv_asking *asking, const struct tv_export_opts *opts,
                              struct tv_error *err) TV_MUST_CHECK;

#endif
