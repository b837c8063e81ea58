/*
 * Event streams of traces that are processed: each tells when the state of its trace changes, and
 * ends when the trace is ready, or has failed. A thread asks the store when a worker of this
 * process has ended a job, or the store tells that another one has; where it cannot tell, every
 * second while there are streams.
 */
#ifndef TV_SITE_ANSWER_EVENTS_H
#define TV_SITE_ANSWER_EVENTS_H

#include "base/compiler.h"
#include "site/request/request_context.h"

enum tv_code tv_events_start(struct tv_site *site, struct tv_error *err) TV_MUST_CHECK;
/* All streams must have been left. A site that was never started is fine. */
void tv_events_stop(struct tv_site *site);
/* Answers with the stream of the trace of the path. */
void tv_trace_events(void *context, struct tv_http_response *response);

#endif
