/*
 * The ways in which people write the name of a method, as the one way in which tv_method_text
 * writes it, "class.name signature": com/example/Main.run, com.example.Main#run,
 * com.example.Main::run, Lcom/example/Main;->run()V, com.example.Main.run()V.
 *
 * Slashes behind a "(" are those of a signature and stay. What is written as in tv_method_text
 * stays as it is.
 */
#ifndef TV_ANALYSIS_SELECTION_SPELLING_H
#define TV_ANALYSIS_SELECTION_SPELLING_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"

/* Replaces the content of `out` by the text in the one way. */
enum tv_code tv_spelling_of(struct tv_str text, struct tv_buffer *out,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
