/* The configuration file: lines of "name = value", read by libinih. */
#ifndef TV_SITE_CONFIG_SETTINGS_FILE_H
#define TV_SITE_CONFIG_SETTINGS_FILE_H

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"

struct tv_settings_reader {
    /* Takes one setting. The texts are views, valid during the call. */
    enum tv_code (*take)(void *ctx, struct tv_str name, struct tv_str value, unsigned line,
                         struct tv_error *err);
    void *ctx;
};

/* Gives the settings in a file's content to the reader, until it refuses one; *line is then where
 * that one stands. TV_ERR_ARGUMENT: a line is no setting. */
enum tv_code tv_settings_read_lines(struct tv_str content, const struct tv_settings_reader *reader,
                                    unsigned *line, struct tv_error *err) TV_MUST_CHECK;

#endif
