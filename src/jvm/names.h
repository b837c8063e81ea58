/*
 * Names of a virtual machine as a trace has them: classes as Java writes them, and characters
 * beyond 16 bits as UTF-8 has them, where the virtual machine has a pair of surrogates.
 */
#ifndef TV_JVM_NAMES_H
#define TV_JVM_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "record/methods.h"

#define TV_JVM_NAME_CAP 20001u

/* "com/example/Main" as "com.example.Main"; what is too long is cut. */
void tv_jvm_names_class(char to[TV_JVM_NAME_CAP], const char *name, size_t len);
/* A name of modified UTF-8 as UTF-8. */
void tv_jvm_names_text(char to[TV_JVM_NAME_CAP], const char *name);

/* How much of a thread's name is its own: kotlinx.coroutines, in its debug mode, adds " @load#3"
 * while the thread runs a coroutine. */
size_t tv_jvm_names_thread_len(const char *name);

/* The name in a class's descriptor, "Lcom/example/Main;"; NULL for an array or a primitive. */
const char *tv_jvm_names_in_descriptor(const char *descriptor, size_t *len);

/* Whether a class was made while the program runs, for a lambda or a method reference, and has
 * nothing of the program's text; `name` as its descriptor has it. */
bool tv_jvm_names_are_hidden(const char *name, size_t len);
/* Of these, whether the virtual machine made it for a lambda. */
bool tv_jvm_names_are_of_lambda(const char *name, size_t len);

/* The number of a method: class as in a descriptor, all else as the virtual machine has it. `file`
 * may be NULL. */
uint32_t tv_jvm_names_number(const char *class_name, size_t class_len, const char *name,
                             const char *signature, const char *file, int line);

#endif
