/*
 * Texts, each of them once and as every reader takes it: valid UTF-8, with U+FFFD for what is not
 * and for U+0000, on which many readers end a text. A dictionary of a table is made of them.
 */
#ifndef TV_EXPORT_TABLES_TEXT_SET_H
#define TV_EXPORT_TABLES_TEXT_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/arena.h"
#include "base/memory/buffer.h"
#include "base/memory/text_map.h"
#include "base/str.h"
#include "export/tables/table.h"

struct tv_text_set {
    const struct tv_alloc *alloc;
    struct tv_arena bytes;
    struct tv_text_map map;
    struct tv_buffer room;
    struct tv_str *texts;
    size_t count, cap;
};

void tv_text_set_init(struct tv_text_set *set, const struct tv_alloc *alloc);
void tv_text_set_release(struct tv_text_set *set);
/* Adds a text unless it is there; *entry is its number. */
enum tv_code tv_text_set_add(struct tv_text_set *set, struct tv_str text, uint32_t *entry,
                             struct tv_error *err) TV_MUST_CHECK;
/* Valid until the next text is added. */
struct tv_dictionary tv_text_set_view(const struct tv_text_set *set);

#endif
