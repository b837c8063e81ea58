/* One call as JSON members: what the routes call and calls share. */
#ifndef TV_API_ROUTES_WRITE_CALL_H
#define TV_API_ROUTES_WRITE_CALL_H

#include "analysis/calls/call.h"
#include "analysis/lean/lean.h"
#include "api/routes/answer_parts.h"

/* thread depth call start_ns end_ns wall_ns cpu_ns wait_ns exclusive open_at_end adopted waiting
 * recursive. Where `lean` is there and shows the call, its own time, and whether it waits, have
 * what the hidden calls that it made took. */
void tv_write_call(struct tv_answer_writer *writer, struct tv_call_ref ref,
                   const struct tv_lean *lean);

#endif
