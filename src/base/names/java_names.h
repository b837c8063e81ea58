/*
 * Class names as Java writes them. Some recorders write the name that class files use
 * (java/lang/String) or a descriptor ([Ljava/lang/String;). The index has java.lang.String and
 * java.lang.String[] instead, so every answer shows, sorts and finds one spelling.
 *
 * What is neither form stays as it is: a path of a file, or the name of a hidden class, whose
 * address stands behind a slash (pkg.Outer$$Lambda/0x7f).
 */
#ifndef TV_BASE_NAMES_JAVA_NAMES_H
#define TV_BASE_NAMES_JAVA_NAMES_H

#include <stddef.h>

#include "base/str.h"

/* Length of the Java name of a class. */
size_t tv_java_class_len(struct tv_str class_name);
/* Writes the Java name: tv_java_class_len bytes. */
void tv_java_class_write(struct tv_str class_name, char *to);
/* Length of a class name without the address of a hidden class, with the separator before it:
 * "pkg.Outer$$Lambda$7" of "pkg.Outer$$Lambda$7.0x00007f0594001850". All of it where there is no
 * address. */
size_t tv_java_class_named_len(struct tv_str class_name);

#endif
