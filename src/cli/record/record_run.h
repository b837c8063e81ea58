/* A recording of a program under way: what its parts share, and the running of the program. */
#ifndef TV_CLI_RECORD_RECORD_RUN_H
#define TV_CLI_RECORD_RECORD_RUN_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory/arena.h"
#include "cli/cli.h"
#include "cli/device/record_progress.h"
#include "cli/record/record_filter.h"
#include "cli/record/record_java.h"
#include "cli/record/record_java_line.h"
#include "cli/record/record_names.h"
#include "cli/record/record_program.h"
#include "format/write/call_filter.h"
#include "format/write/write.h"
#include "os/file/paths.h"
#include "os/process/child.h"

#define TV_SLOW_NAME_CAP 256u /* longer names are cut */

struct tv_symbols;

/* What a library that looks at stacks says of its looks; 0: nothing. */
struct tv_record_looks {
    uint64_t stacks, running;   /* looked at; of them those of running threads */
    uint64_t tick_us, apart_us; /* docs/formats/text.md: sampling-tick-usec, sampling-apart-usec */
};

/* A recording, from the program's start to the finished file. */
struct tv_record_run {
    const struct tv_cli *cli;
    const struct tv_record_program_options *options;
    const char *const *words;
    const char *path;         /* of the trace */
    char chosen[32];          /* that path, where others have the usual one */
    char stream[TV_PATH_CAP]; /* what the program writes */
    char library[TV_PATH_CAP];
    bool is_java;
    struct tv_record_java java;         /* for that */
    bool has_children;                  /* what the program starts is recorded, too */
    const char *java_tool_options;      /* of the program's environment; NULL: as it is */
    const char *python_path;            /* the same */
    char agent[TV_PATH_CAP];            /* the library that they get */
    char parts[TV_PATH_CAP];            /* what the names of their files begin with */
    int marker;                         /* a file of that name, with a lock; -1: none */
    char lock_path[TV_PATH_CAP];        /* what holds the names of trace and stream */
    int lock;                           /* that file; -1: none */
    struct tv_symbols *symbols;         /* NULL: functions keep their addresses */
    const char *why_no_names;           /* NULL: functions have names */
    struct tv_arena texts;              /* of methods */
    struct tv_record_nameless nameless; /* functions without a name */
    struct tv_record_filter filter;
    struct tv_call_filter left_out;
    struct tv_write_result result;
    uint64_t call_ns;                 /* as the library measured it */
    uint64_t writing_ns;              /* what writing the stream took the program besides */
    struct tv_record_looks looks;     /* with --sample, as it says */
    uint64_t skipped;                 /* methods that are trivial, as it says */
    bool is_by_events;                /* a virtual machine told of the calls */
    uint64_t lost;                    /* records, as it says */
    uint64_t limit;                   /* of the file, at which recording stopped; 0: it did not */
    unsigned dumps;                   /* of a ring, that are traces */
    uint64_t ring;                    /* bytes of the ring, as the library says; 0: none */
    bool is_ring_full;                /* it has lost what came first */
    uint64_t slow_ns;                 /* of the call that a dump was written for; 0: of none */
    uint64_t slow_methods;            /* of the name of --slow-method */
    char slow_call[TV_SLOW_NAME_CAP]; /* its name */
    uint64_t elapsed_ns;              /* that the trace is of */
    bool is_whole;                    /* the library wrote the stream to its end */
    bool is_buffer_full;              /* no memory for more blocks: tracing stopped before */
    size_t cut;                       /* processes whose last records, or all, are lost */
    uint64_t bytes;
    uint64_t
        given_back; /* bytes of the stream, to a disk that had no room for the trace beside it */
    struct tv_record_teller teller;
    struct tv_record_java_line live; /* of a program that is attached to */
    bool has_ended;                  /* a program that was started here, or could not be */
    struct tv_child_end end;
};

/* Runs the program under the library for instrumented ones, and fills recording->end. */
enum tv_code tv_record_run_program(struct tv_record_run *recording, struct tv_error *err);
/* Runs a Java program under the agent and fills recording->end, or attaches to a running one, which
 * goes on after the recording. */
enum tv_code tv_record_run_java(struct tv_record_run *recording, struct tv_error *err);

/* How far it is, for people at a terminal, and for programs that asked for that: `tell` of struct
 * tv_record_java. */
bool tv_record_run_tell(void *ctx, const char *phase, uint64_t passed_ns);

/* Asks a program for what its ring holds: `requested` of struct tv_child, and of tv_record_java. */
void tv_record_run_ask(void *ctx, pid_t child);

/* A path from the root, since what is recorded may go to another folder. */
enum tv_code tv_record_run_from_root(struct tv_record_run *recording, const char *path,
                                     const char **whole, struct tv_error *err);

/* Opens the folder that a file lies in; *name is its name there. NULL: it cannot be opened. */
DIR *tv_record_run_folder(const char *path, const char **name);

/* The length of a file; 0 where there is none, or something else than a file. */
uint64_t tv_record_run_len(const char *path);

#endif
