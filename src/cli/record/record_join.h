/*
 * The streams of several processes as one stream: of a program that starts others, each of which
 * records into a file of its own. Threads and methods get new numbers, a method that several
 * processes have is one, and times count from the earliest start of any. Where more than one
 * process has records, a thread's name begins with its process: "Launcher 4242: main".
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
    uint32_t pid;     /* 0: the program's own, whose file is there also where it never calls */
    bool is_whole;    /* set: it has its end */
    uint64_t records; /* set; 0: it is no part of the joined stream */
};

struct tv_record_joined {
    size_t processes; /* with records */
    size_t machines;  /* of these, virtual machines of Java */
    size_t cut;       /* of these, without their end: the last records of each thread are lost */
    size_t empty;     /* further processes, of which no record was written: all are lost */
    size_t unread;    /* files that are no streams, or of other clocks than the first */
};

/* Writes the joined stream. Where one process alone has records, its file gets the name `path`, and
 * where none has, nothing is written. TV_ERR_LIMIT: the processes have more than 65,535 threads
 * together. */
enum tv_code tv_record_join(const struct tv_cli *cli, struct tv_record_part *parts, size_t count,
                            const char *path, struct tv_record_joined *joined,
                            struct tv_error *err) TV_MUST_CHECK;

#endif
