/*
 * Reading a trace in a process of its own: the child that a site reads uploads with
 * (site/jobs/index_child.h), in the sandbox (os/sandbox/sandbox.h). The viewer has it for files
 * that its user did not make.
 */
#ifndef TV_CLI_FILE_SANDBOXED_LOAD_H
#define TV_CLI_FILE_SANDBOXED_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/cli.h"
#include "index/index.h"
#include "os/process/starter.h"

/* Which traces are read in a process of their own: words, in this order. */
enum tv_sandbox_which { TV_SANDBOX_ALWAYS, TV_SANDBOX_OTHERS, TV_SANDBOX_NEVER };
extern const char *const tv_sandbox_words[];

struct tv_sandboxed_load {
    const struct tv_cli *cli;
    struct tv_starter *starter;
    bool is_trusted; /* the user trusts the file (--unpack-all) */
    /* Is told how far unpacking (`is_reading` is false) or reading is, in bytes; false cancels. */
    bool (*tell)(void *ctx, bool is_reading, uint64_t done, uint64_t of);
    void *ctx;
};

/* Whether the user seems not to have made the file: it is packed, lies where browsers put files,
 * came by a program that says so (the attribute user.xdg.origin.url), or is another user's. */
bool tv_is_of_others(const char *path);
/* Whether a child can read what the path stands for: one regular file, without tables beside it. */
bool tv_sandboxed_load_can(const char *path);
/* Builds the index of the file, which nothing of this process looks into. Fails as reading it here
 * would, and with TV_ERR_SYSTEM where no child could be started, or it crashed. The index is to be
 * released in any case. */
enum tv_code tv_sandboxed_load(const struct tv_sandboxed_load *load, const char *path,
                               struct tv_index *index, struct tv_error *err) TV_MUST_CHECK;

#endif
