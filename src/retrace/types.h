/*
 * Types as mapping files write them, which is as Java does ("int", "java.lang.String[]"), to
 * descriptors, which is how traces write them ("I", "[Ljava/lang/String;").
 */
#ifndef TV_RETRACE_TYPES_H
#define TV_RETRACE_TYPES_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "base/str.h"

/* Appends the descriptor of one type. Any text gives some descriptor: what is no primitive type is
 * taken for a class. */
enum tv_code tv_type_add(struct tv_buffer *out, struct tv_str type,
                         struct tv_error *err) TV_MUST_CHECK;
/* Appends "(ILjava/lang/String;)V" for the parameters "int,java.lang.String" and the type "void".
 */
enum tv_code tv_signature_add(struct tv_buffer *out, struct tv_str parameters, struct tv_str type,
                              struct tv_error *err) TV_MUST_CHECK;
/* Whether a text is the descriptor of a method: types between parentheses, and one behind them. */
bool tv_signature_is_whole(struct tv_str signature);
/* Appends the name of a class with slashes for its points. */
enum tv_code tv_class_add(struct tv_buffer *out, struct tv_str class_name,
                          struct tv_error *err) TV_MUST_CHECK;

#endif
