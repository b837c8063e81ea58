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

/* The place of a job among those that wait is the time at which it was queued, and later by a
 * second for each MiB of its raw file, by ten seconds for each job of the same uploader that waited
 * or was taken then, and by a day where nobody waits for it. It stays when those before it are
 * done: otherwise whoever brings hundreds would have the next place again and again. Each addend
 * has a bound, so every job is the first one day. SQL has these as text. */
#define TV_JOB_MIB_MOST_S "600"
#define TV_JOB_TURNS_MOST "4320"
#define TV_JOB_UNAWAITED_S "86400"
#define TV_JOB_UNAWAITED 86400

/* A job that waits, of a raw file of which a later job of another version has ended: what is left
 * of an earlier program. */
#define TV_JOB_IS_REPLACED                                                                         \
    "(state<2 AND EXISTS(SELECT 1 FROM jobs AS later WHERE later.raw=jobs.raw"                     \
    " AND later.build<>jobs.build AND later.created>jobs.created AND later.state>=2))"

/* Of `failed`, jobs of other versions: a trace of which each version that tried it has failed, and
 * which the version `build` has not tried. */
#define TV_JOB_FAILED_BEFORE(build)                                                                \
    "failed.state=3 AND failed.mappings='' AND failed.build<>" build                               \
    " AND NOT EXISTS(SELECT 1 FROM jobs AS other WHERE other.raw=failed.raw"                       \
    "  AND (other.build=" build " OR other.state=2))"                                              \
    " AND EXISTS(SELECT 1 FROM traces WHERE traces.raw=failed.raw AND kind=0)"

/* Whether somebody waits now for a job that was queued for nobody. */
bool tv_job_is_to_come_forward(const struct tv_job *job, bool is_awaited);

#endif
