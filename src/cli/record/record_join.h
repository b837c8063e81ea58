/*
 * Joining the streams of several processes: of a program and those that it starts, each of which
 * records into a file of its own. Threads and methods get new numbers, a method that several
 * processes have becomes one, and times count from the earliest start. If more than one process has
 * records, the name of a thread begins with its process: "Launcher 4242: main".
 */
#ifndef TV_CLI_RECORD_RECORD_JOIN_H
#define TV_CLI_RECORD_RECORD_JOIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"

/* A file that a process wrote. */
struct tv_record_part {
    const char *path;
    uint32_t pid;     /* 0: the program itself, which has a file even if it never calls a method */
    bool is_whole;    /* set by the join: the file has its end */
    uint64_t records; /* set by the join; 0: the file is no part of the joined stream */
};

struct tv_record_joined {
    size_t processes; /* with records */
    size_t machines;  /* of the processes, virtual machines of Java */
    size_t cut; /* of the processes, those whose file lacks its end: the last records of each thread
                   are lost */
    size_t empty;  /* further processes whose records are all lost */
    size_t unread; /* files that are no streams, or of other clocks than the first */
};

/* Writes the joined stream. If only one process has records, its file gets the name `path`; if none
 * has, nothing is written. TV_ERR_LIMIT: the processes have more than 65,535 threads together. */
enum tv_code tv_record_join(const struct tv_cli *cli, struct tv_record_part *parts, size_t count,
                            const char *path, struct tv_record_joined *joined,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
