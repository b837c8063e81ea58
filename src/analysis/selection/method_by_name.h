/*
 * The method that a user means: a rank ("12"), an id ("0x4f0"), or a name. Names are compared in
 * steps, and the first step that finds a method decides:
 *
 * 1. the whole name, "class.name signature"; only ids tell apart what has one whole name;
 * 2. the class and the name: "com.example.Main.run";
 * 3. the end of both, from the beginning of a part: "Main.run";
 * 4. the name alone: "run";
 * 5. a name as a table shows it where there is no room (shortened.h): "…Main.run(…)", or without
 *    the address of a hidden class: "Main$$Lambda$7.run()"; the beginning of a part goes first;
 * 6. a name pattern (name_pattern.h): "mple.Ma", "/Main.(run|stop)/".
 *
 * In steps 1 to 4 every spelling of spelling.h is taken, and a signature may follow the name.
 * Methods with calls go first; methods without any are found in steps 1 and 2 only. Any number of
 * threads at once.
 */
#ifndef TV_ANALYSIS_SELECTION_METHOD_BY_NAME_H
#define TV_ANALYSIS_SELECTION_METHOD_BY_NAME_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "index/index.h"

/* How many methods are listed if a text fits several. */
#define TV_METHOD_CHOICE_LIMIT 5u

/* The methods that a text fits in the step that decided, the best ranks first. */
struct tv_method_choice {
    uint32_t of[TV_METHOD_CHOICE_LIMIT];
    uint32_t count; /* those without room in `of`, too */
};

/* Finds the one method that is meant. TV_ERR_NOT_FOUND: none is; TV_ERR_ARGUMENT: several are, or
 * the text is a wrong regular expression. `choice` is set in any case, and is empty if the text is
 * a rank or an id; it may be NULL. */
enum tv_code tv_method_by_name(const struct tv_index *index, struct tv_str text,
                               const struct tv_alloc *alloc, uint32_t *method_ix,
                               struct tv_method_choice *choice, struct tv_error *err) TV_MUST_CHECK;
/* The method of a rank. TV_ERR_NOT_FOUND: no method has it. */
enum tv_code tv_method_by_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
