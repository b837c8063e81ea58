/*
 * How a job goes on after a try; see store/job_end.h. Both databases ask the same functions, so a
 * job goes through the same states in either.
 */
#include "store/job_end.h"

#include <string.h>

/* The state after a try: a try that failed may be repeated until the job has had its tries. */
enum tv_job_state tv_job_end_state(const struct tv_job *job, enum tv_job_end end, unsigned tries)
{
    if (end == TV_JOB_END_DONE)
        return TV_JOB_DONE;
    if (end == TV_JOB_END_UNKEPT)
        return TV_JOB_QUEUED;
    if (end == TV_JOB_END_PAUSED && job->tries < tries)
        return TV_JOB_TAKEN;
    return end == TV_JOB_END_RETRY && job->tries < tries ? TV_JOB_QUEUED : TV_JOB_BAD;
}

unsigned tv_job_end_tries(const struct tv_job *job, enum tv_job_end end, unsigned tries)
{
    const enum tv_job_state state = tv_job_end_state(job, end, tries);
    const bool goes_on = state == TV_JOB_QUEUED || state == TV_JOB_TAKEN;
    const bool counts = !goes_on || tries != TV_JOB_ANY_TRIES;
    if (end == TV_JOB_END_UNKEPT)
        return 0;
    return job->tries - (!counts && job->tries);
}

/* Whether the worker has said the same before: a repeated message changes nothing. One that is
 * taken is not ended yet; after it was paused it is not the worker's any more. */
bool tv_job_end_is_repeated(const struct tv_job *job, enum tv_job_state state,
                            const struct tv_hash *index)
{
    return job->state == state && state != TV_JOB_TAKEN &&
           (state != TV_JOB_DONE || strcmp(job->index.hex, index->hex) == 0);
}

enum tv_code tv_job_end_not_yours(struct tv_error *err)
{
    return tv_fail(err, TV_ERR_CONFLICT, TV_NO_OFFSET, "the job is not this worker's any more");
}

bool tv_job_is_to_come_forward(const struct tv_job *job, bool is_awaited)
{
    return is_awaited && job->state == TV_JOB_QUEUED &&
           job->deadline - job->created >= TV_JOB_UNAWAITED;
}
