/* How a job goes on when a worker says that its try has ended, whichever database keeps the row.
 * Any thread. */
#ifndef TV_STORE_JOB_END_H
#define TV_STORE_JOB_END_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "store/store_db.h"

/* The state after a try. */
enum tv_job_state tv_job_end_state(const struct tv_job *job, enum tv_job_end end, unsigned tries);
/* How many tries it has had then: one that is given back whose trace was not the cause is none. */
unsigned tv_job_end_tries(const struct tv_job *job, enum tv_job_end end, unsigned tries);
/* Whether the worker has said the same before. */
bool tv_job_end_is_repeated(const struct tv_job *job, enum tv_job_state state,
                            const struct tv_hash *index);
/* TV_ERR_CONFLICT: another worker has the job. */
enum tv_code tv_job_end_not_yours(struct tv_error *err) TV_MUST_CHECK;

#endif
