/* What a person is told when a program's recording is over. */
#ifndef TV_CLI_RECORD_RECORD_RESULT_H
#define TV_CLI_RECORD_RECORD_RESULT_H

#include "cli/record/record_run.h"
#include "cli/record/record_samples.h"

/* Says how the program ended, where that was not well. */
void tv_record_tell_end(const struct tv_record_run *recording);
/* The status of `traceview record` after a recording that came to `code`: by --status. */
int tv_record_status(const struct tv_record_run *recording, enum tv_code code);
/* What the trace has, and what it lacks. */
void tv_record_tell_result(const struct tv_record_run *recording);
void tv_record_tell_samples(const struct tv_record_run *recording,
                            const struct tv_record_samples_result *result);
/* What samples lack, and where they are less exact. */
void tv_record_tell_samples_lack(const struct tv_record_run *recording,
                                 const struct tv_record_samples_result *result);

#endif
