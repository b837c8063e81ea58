/*
 * What R8 writes as JSON into the comments of a mapping file: "# {"id":"...","signature":"..."}".
 * The ids and keys are those of R8's documentation of its map versions, 1.0 to 2.2. Keys and ids
 * that are not known are passed over, as that documentation asks for.
 */
#ifndef TV_RETRACE_METADATA_H
#define TV_RETRACE_METADATA_H

#include <stdbool.h>

#include "base/str.h"

enum tv_metadata_kind {
    TV_METADATA_OTHER, /* of an id that says nothing about the names of methods */
    TV_METADATA_VERSION,
    TV_METADATA_SYNTHESIZED,
    TV_METADATA_RESIDUAL_SIGNATURE,
    TV_METADATA_REWRITE_FRAME,    /* about stack traces alone */
    TV_METADATA_OUTLINE,          /* a method that R8 made of pieces of others */
    TV_METADATA_OUTLINE_CALLSITE, /* about stack traces alone */
};

struct tv_metadata {
    enum tv_metadata_kind kind;
    struct tv_str text; /* the version, or the residual signature; a view of the line */
};

/* Reads a comment, with or without its "#". False: it is no object of JSON with an id, as most
 * comments are not; a string that is needed has an escape, which no signature or version has; or it
 * nests deeper than 64 levels. */
bool tv_metadata_parse(struct tv_str comment, struct tv_metadata *metadata);

#endif
