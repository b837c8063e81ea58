/* The name of a recording of a program, which no other recording has at the same time. */
#ifndef TV_CLI_RECORD_RECORD_LOCK_H
#define TV_CLI_RECORD_RECORD_LOCK_H

#include "base/compiler.h"
#include "base/error.h"
#include "cli/record/record_run.h"

/*
 * Sets the path of the trace and of the stream beside it, and holds them until they are dropped, or
 * this process ends. Without -o the first name is taken that no other recording has, of
 * dmtrace.trace, dmtrace.2.trace and so on; TV_ERR_CONFLICT: -o names what another one has. A
 * stream that a recorder left which was killed gets another name, and is told.
 */
enum tv_code tv_record_lock_take(struct tv_record_run *recording,
                                 struct tv_error *err) TV_MUST_CHECK;
void tv_record_lock_drop(struct tv_record_run *recording);

#endif
