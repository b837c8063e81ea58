/* Ids of traces, uploads, mappings and tokens of programs, as clients write them: they have the
 * form of tokens (os/token.h). */
#ifndef TV_STORE_TRACE_ID_H
#define TV_STORE_TRACE_ID_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/str.h"
#include "store/store_db.h"

/* Takes an id; false: the text is none, and *id is as it was. */
bool tv_trace_id_read(struct tv_str text, struct tv_id *id) TV_MUST_CHECK;
/* The same of an id alone, or of a link that ends with one, as the bar of a browser has it. */
bool tv_trace_id_of_link(struct tv_str link, struct tv_id *id) TV_MUST_CHECK;

#endif
