/*
 * The methods that have calls in what is exported, numbered: formats list these and no others, so
 * that a part of a trace does not tell the names of the rest.
 */
#ifndef TV_EXPORT_TOOLS_SHOWN_METHODS_H
#define TV_EXPORT_TOOLS_SHOWN_METHODS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "export/export_context.h"

struct tv_shown_methods {
    const struct tv_alloc *alloc;
    uint32_t *number_of; /* one per method of the index; TV_NONE: it has no calls here */
    uint32_t *methods;   /* `count` ordinals of methods, ascending: the method of each number */
    uint32_t method_count;
    uint32_t count;
};

void tv_shown_methods_init(struct tv_shown_methods *shown, const struct tv_alloc *alloc);
void tv_shown_methods_release(struct tv_shown_methods *shown);
enum tv_code tv_shown_methods_find(struct tv_shown_methods *shown,
                                   const struct tv_export_context *context,
                                   struct tv_error *err) TV_MUST_CHECK;

#endif
