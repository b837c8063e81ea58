/*
 * Types as class files write them: field descriptors ("I", "[J", "Ljava/lang/String;") of the Java
 * Virtual Machine Specification, 4.3.2, and the "V" of methods without a result.
 */
#ifndef TV_BASE_NAMES_DESCRIPTOR_H
#define TV_BASE_NAMES_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct tv_descriptor {
    struct tv_str name; /* Java's word for a primitive type, or what stands between "L" and ";" */
    size_t dimensions;  /* how many "[" stand before it */
};

/* Java's word for the letter of a primitive type or of void; empty: it is no such letter. */
struct tv_str tv_descriptor_primitive(char letter);
/* Takes a type from the front of the text. False, and the text is as before, where none stands. */
bool tv_descriptor_take(struct tv_str *text, struct tv_descriptor *type);

#endif
