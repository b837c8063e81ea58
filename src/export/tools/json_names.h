/*
 * Names as JSON strings, quotes included, for formats that write JSON faster than base/text/json.h
 * does: each method's whole name is escaped once, when it is first asked for, by the rules of
 * base/text/json.h.
 */
#ifndef TV_EXPORT_TOOLS_JSON_NAMES_H
#define TV_EXPORT_TOOLS_JSON_NAMES_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "export/names.h"

struct tv_json_names {
    const struct tv_export_names *names; /* borrowed */
    const struct tv_alloc *alloc;
    struct tv_arena texts;
    struct tv_buffer name;   /* of the method that is escaped, as it stands in the trace */
    struct tv_buffer quoted; /* and as JSON */
    struct tv_str *methods;  /* one per method; without bytes as long as not asked for */
};

void tv_json_names_init(struct tv_json_names *json_names, const struct tv_alloc *alloc);
void tv_json_names_release(struct tv_json_names *json_names);
/* Makes room for the methods of `names`, which must outlive this. */
enum tv_code tv_json_names_begin(struct tv_json_names *json_names,
                                 const struct tv_export_names *names,
                                 struct tv_error *err) TV_MUST_CHECK;
/* A method's whole name; it lives as long as the names do. */
enum tv_code tv_json_names_method(struct tv_json_names *json_names, uint32_t method_ix,
                                  struct tv_str *quoted, struct tv_error *err) TV_MUST_CHECK;

#endif
