/* The stream that a recorded program left becomes a plain trace, with names. */
#ifndef TV_CLI_RECORD_RECORD_STREAM_H
#define TV_CLI_RECORD_RECORD_STREAM_H

#include <stdbool.h>

#include "cli/record/record_run.h"

/* Writes the trace. */
enum tv_code tv_record_stream_finish(struct tv_record_run *recording, struct tv_error *err);

/* Whether the options ask to leave calls out of the recording. */
bool tv_record_leaves_out(const struct tv_record_program_options *options);

#endif
