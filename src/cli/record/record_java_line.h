/*
 * The live line of a Java program that is recorded: how long, the size of the file, and the calls
 * in it. They are counted as the agent writes them, so the last ones, which it still holds in
 * memory, are not among them.
 */
#ifndef TV_CLI_RECORD_RECORD_JAVA_LINE_H
#define TV_CLI_RECORD_RECORD_JAVA_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/terminal/status_line.h"

struct tv_record_java_line {
    struct tv_status_line line;
    const char *program; /* as the user names it; borrowed */
    const char *stream;  /* the agent's file; borrowed */
    bool is_sampled;     /* the records are of stacks, and tell of no calls */
    uint64_t counted;    /* bytes of the file whose calls are counted */
    uint64_t calls;
    bool is_lost; /* the file has something that is not known, so calls are not counted */
};

/* Shows the line; `passed_ns` is the time since the recording began. */
void tv_record_java_line_show(struct tv_record_java_line *line, uint64_t passed_ns);
/* Shows the line of a program whose stacks this process samples; it writes its file at the end. */
void tv_record_java_line_show_stacks(struct tv_record_java_line *line, uint64_t passed_ns,
                                     uint64_t stacks);
void tv_record_java_line_clear(struct tv_record_java_line *line);

#endif
