/*
 * How people read a method: "java.lang.String.indexOf(String, int)", where tv_method_text has
 * "java.lang.String.indexOf (Ljava/lang/String;I)I". Types have their simple names, and the result
 * is left out, as in a stack trace or a page of javadoc.
 */
#ifndef TV_ANALYSIS_SELECTION_JAVA_TEXT_H
#define TV_ANALYSIS_SELECTION_JAVA_TEXT_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "index/index.h"

/* Replaces the content of `out`. A signature that is no descriptor stays as it is, behind a space.
 */
enum tv_code tv_method_java_text(const struct tv_index *index, uint32_t method_ix,
                                 struct tv_buffer *out, struct tv_error *err) TV_MUST_CHECK;

#endif
