/* Ids of traces, uploads, mappings and tokens of programs, as clients write them: they have the
 * form of tokens (os/token.h). Those of traces, uploads and mappings begin with the part of the
 * second in which they were made, so that by `created` and id those of one second are in order. */
#ifndef TV_STORE_TRACE_ID_H
#define TV_STORE_TRACE_ID_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/str.h"
#include "store/store_db.h"

/* A new id of what is made at `now_ns` since 1970, and has the whole seconds `created`, which may
 * be some time before: 12 bits of the second, and 116 that nobody can guess. */
enum tv_code tv_trace_id_make(struct tv_id *id, int64_t created, uint64_t now_ns,
                              struct tv_error *err) TV_MUST_CHECK;
/* Takes an id; false: the text is none, and *id is as it was. */
bool tv_trace_id_read(struct tv_str text, struct tv_id *id) TV_MUST_CHECK;
/* Takes an id, or the id at the end of a link, as the address bar of a browser has it; false: there
 * is none, and *id stays. */
bool tv_trace_id_of_link(struct tv_str link, struct tv_id *id) TV_MUST_CHECK;

#endif
