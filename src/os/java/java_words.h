/*
 * What a Java virtual machine tells of itself without being asked: its command line, and the file
 * of counters that HotSpot keeps in /tmp/hsperfdata_USER (jdk.internal.perf, version 2). Pure:
 * bytes in, texts out, and nobody vouches for the bytes.
 */
#ifndef TV_OS_JAVA_JAVA_WORDS_H
#define TV_OS_JAVA_JAVA_WORDS_H

#include <stdbool.h>

#include "base/str.h"

/* The text of a counter, "java.property.java.version". False: the file has none of that name, or is
 * no file of counters. The text is a view into the file. */
bool tv_java_counter(struct tv_str file, struct tv_str name, struct tv_str *text);

/* The main class or the jar without its folder: of the command that the counters have, "Main a b"
 * or "/opt/app.jar x". A view into the text. */
struct tv_str tv_java_program_of_command(struct tv_str command);
/* The main class or the jar of a command line as the kernel has it, words that end with NUL, of
 * which the first is the launcher. The launcher itself where neither can be found. */
struct tv_str tv_java_program_of_words(struct tv_str words);

#endif
