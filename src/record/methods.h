/*
 * Methods by number. A method is described once, for the life of the process, and its text is
 * copied: a library that is unloaded takes its names with it. Callers hold the lock of cold.h.
 */
#ifndef TV_RECORD_METHODS_H
#define TV_RECORD_METHODS_H

#include <stddef.h>
#include <stdint.h>

/* What a file says of a method; each may be NULL or "". Without a class, the name's part before its
 * last "." or "::" is one; where it has none, the stem of the source file is. */
struct tv_method_text {
    const char *class_name, *name, *signature, *file;
    int line; /* 0: unknown */
};

struct tv_recorded_method {
    const char *line; /* "class TAB name TAB signature [TAB file [TAB line]]", a line end behind */
    uint32_t len;     /* of the line with its end; at most 65,000 */
    uint32_t told_in; /* the session whose file describes the method */
};

/* The number of a method, from 1 on; the same for the same text. 0 when there is no memory. */
uint32_t tv_methods_number(const struct tv_method_text *text);

/* How many there are; their numbers are 1 to that. */
uint32_t tv_methods_count(void);
struct tv_recorded_method *tv_methods_get(uint32_t number);

/* Copies a name so that any reader takes it: spaces for what would end a line or a column, question
 * marks where it is not UTF-8. Takes at most `name_len` bytes of the name, writes at most `cap` and
 * returns how many; nothing ends them. */
size_t tv_name_copy(char *to, size_t cap, const char *name, size_t name_len);

#endif
