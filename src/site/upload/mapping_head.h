/* What a mapping of names says of itself in its first lines, docs/retrace.md. This is all that a
 * server itself reads of a mapping; names are looked up in it by a worker's child alone. */
#ifndef TV_SITE_UPLOAD_MAPPING_HEAD_H
#define TV_SITE_UPLOAD_MAPPING_HEAD_H

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "store/store_db.h"

struct tv_mapping_head {
    /* Its id and its hash, "" where it says none. */
    char id[TV_STORE_MAP_ID_MOST + 1], hash[TV_STORE_MAP_ID_MOST + 1];
};

/* `first`: up to TV_SNIFFING_LEN bytes. TV_ERR_FOREIGN: no mapping begins so, and the text says
 * what is wrong. */
enum tv_code tv_mapping_head_read(struct tv_mapping_head *head, const struct tv_alloc *alloc,
                                  struct tv_str first, struct tv_error *err) TV_MUST_CHECK;

#endif
