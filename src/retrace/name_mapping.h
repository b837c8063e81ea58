/*
 * A mapping file of R8 or ProGuard: which class of the source a class of the released build is.
 *
 * Opening finds the classes alone; their members are read when somebody asks for them
 * (retrace/class_members.h), because a trace has methods of few of them. Texts are views of the
 * file, which must outlive the mapping. Format: R8's documentation of retrace and of its map
 * versions, up to 2.2; ProGuard's manual, "Retrace". For one thread at a time.
 */
#ifndef TV_RETRACE_NAME_MAPPING_H
#define TV_RETRACE_NAME_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/arena.h"
#include "base/memory/text_map.h"
#include "base/str.h"

struct tv_class_members;

struct tv_mapping_class {
    struct tv_str written;            /* its name in the released build, with points */
    struct tv_str original;           /* its name in the source, with points */
    struct tv_str body;               /* the lines below its own */
    struct tv_class_members *members; /* NULL: not read yet */
    /* The next class with the same written name: ProGuard writes a class that it merged into
     * another as one more class of that name. It has no members of its own. NULL: there is none. */
    struct tv_mapping_class *again;
};

struct tv_name_mapping {
    const struct tv_alloc *alloc;
    struct tv_str text;
    struct tv_mapping_class *classes; /* in the order of the file, each written name once */
    size_t class_count, class_cap;
    struct tv_text_map class_of_written; /* name -> ordinal */
    struct tv_arena repeated;            /* the classes behind `again` */
    /* From the comments of the file; empty where it does not say. */
    struct tv_str compiler, version, id, hash;
    uint64_t bad_lines; /* that could not be read */
};

void tv_name_mapping_init(struct tv_name_mapping *mapping, const struct tv_alloc *alloc);
void tv_name_mapping_release(struct tv_name_mapping *mapping);
/* Finds the classes of a file. TV_ERR_FORMAT: the text is no mapping file, or one of UTF-16. */
enum tv_code tv_name_mapping_open(struct tv_name_mapping *mapping, struct tv_str text,
                                  struct tv_error *err) TV_MUST_CHECK;
/* Reads only the comments at the beginning of a file, for compiler, version, id and hash. The
 * mapping has no classes then. */
void tv_name_mapping_read_head(struct tv_name_mapping *mapping, struct tv_str text);
/* Whether the mapping has that id: its own id or its hash, or the beginning of either. */
bool tv_name_mapping_has_id(const struct tv_name_mapping *mapping, struct tv_str id);
/* Whether the file gives the signature in the build of each method whose signature has changed: R8
 * does from version 2.2 of its files on. */
bool tv_name_mapping_tells_signatures(const struct tv_name_mapping *mapping);
/* The class of that name in the released build, with points; NULL: the mapping has none. */
struct tv_mapping_class *tv_name_mapping_class(const struct tv_name_mapping *mapping,
                                               struct tv_str written);

#endif
