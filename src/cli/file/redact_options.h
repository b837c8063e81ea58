/* --redact, --keep and --key: the options of verbs that write names into files. */
#ifndef TV_CLI_FILE_REDACT_OPTIONS_H
#define TV_CLI_FILE_REDACT_OPTIONS_H

#include <stdbool.h>

#include "cli/options.h"
#include "export/redact.h"

struct tv_redact_options {
    bool is_on;
    const char *keep; /* NULL: nothing is kept */
    const char *key;  /* NULL: hashes have no key */
};

/* The rows of a verb's option table for a `struct tv_redact_options field` in its struct `type`. */
#define TV_REDACT_OPTIONS(type, member)                                                            \
    {.name = "redact",                                                                             \
     .kind = TV_OPTION_FLAG,                                                                       \
     .field = offsetof(type, member.is_on),                                                        \
     .help = "hashes for names; no files, thread names or properties",                             \
     .group = TV_GROUP_OUTPUT},                                                                    \
        {.name = "keep",                                                                           \
         .kind = TV_OPTION_TEXT,                                                                   \
         .field = offsetof(type, member.keep),                                                     \
         .argument = "PACKAGES",                                                                   \
         .help = "of --redact: keep the names of these (java.,android.)",                          \
         .group = TV_GROUP_OUTPUT},                                                                \
    {                                                                                              \
        .name = "key", .kind = TV_OPTION_TEXT, .field = offsetof(type, member.key),                \
        .argument = "TEXT", .help = "of --redact: hashes that only this text gives",               \
        .group = TV_GROUP_OUTPUT                                                                   \
    }

/* The option that was given without --redact, which it belongs to; NULL: there is none. */
const char *tv_redact_lacking(const struct tv_redact_options *options);
struct tv_redact_opts tv_redact_opts_of(const struct tv_redact_options *options);

#endif
