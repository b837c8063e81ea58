/*
 * Gives the methods of a trace their names in the source, and tells how well a mapping fits them.
 *
 * R8 writes "r8-map-id-" and the id of its mapping where a method's source file would stand, so a
 * mapping says for itself whether it is of that build. Without that, a mapping of another build
 * shows by knowing few of the methods whose classes it renames.
 */
#ifndef TV_RETRACE_RENAMING_H
#define TV_RETRACE_RENAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"
#include "format/trace.h"
#include "retrace/retrace.h"

struct tv_renaming {
    struct tv_retracer *retracer;
    uint64_t renamed; /* methods with another name, class or signature than before */
    /* Methods of classes that have another name in the source, constructors apart, which keep
     * theirs; and how many of these methods the mapping knows. */
    uint64_t asked, known;
    uint64_t bad_lines; /* of the mapping, as far as they are told */
    /* Methods whose source file is the id of a mapping; of these, of this mapping. */
    uint64_t with_id, with_this_id;
};

/* Renames by a retracer that is open and outlives the renaming, and that tells from now on what was
 * inlined. */
void tv_renaming_init(struct tv_renaming *renaming, struct tv_retracer *retracer);
/* A function of struct tv_renaming_opts; ctx is the struct tv_renaming. */
enum tv_code tv_renaming_rename(void *ctx, struct tv_trace_method *method,
                                struct tv_findings *findings, struct tv_error *err) TV_MUST_CHECK;
/* Whether the trace names another mapping than this by its id, so that they are of two builds. */
bool tv_renaming_has_other_id(const struct tv_renaming *renaming);
/* Whether the mapping is of the build that was traced, as far as that can be told when all methods
 * are renamed. TV_ERR_ARGUMENT says why not. */
enum tv_code tv_renaming_check(const struct tv_renaming *renaming,
                               struct tv_error *err) TV_MUST_CHECK;

#endif
