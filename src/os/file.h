/*
 * The bytes of a trace, wherever they are: mapped from a file, read from a pipe, joined from two
 * files, and unpacked where they are packed.
 *
 * A name is taken as it is; where there is no such file, as NAME.trace, and then as NAME.key with
 * NAME.data, the two files of very old traces (also where either of the two is named). "-" is the
 * standard input.
 */
#ifndef TV_OS_FILE_H
#define TV_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/compiler.h"
#include "base/error.h"
#include "os/inflate.h"

struct tv_file {
    const uint8_t *bytes; /* unpacked, joined; NULL when len is 0 */
    size_t len;
    bool is_cut;    /* the packed data ends early; these bytes are what came before */
    bool is_packed; /* it was .gz or .zst */
    void *mapping;  /* NULL: the bytes are in `memory` */
    size_t mapping_len;
    struct tv_buffer memory;
};

#define TV_FILE_NAME_CAP 4096
#define TV_FILE_PARTS 2u

/* The files that a name stands for: one, or the two of a pair; 0 when the name is too long. They
 * need not be there. */
size_t tv_file_parts(const char *name, char parts[TV_FILE_PARTS][TV_FILE_NAME_CAP]);

void tv_file_init(struct tv_file *file, const struct tv_alloc *alloc);
void tv_file_release(struct tv_file *file);
/*
 * Opens by name. TV_ERR_SYSTEM says what the system answered; TV_ERR_FORMAT, TV_ERR_LIMIT and
 * TV_ERR_CANCELLED are those of tv_inflate. `opts` may be NULL.
 */
enum tv_code tv_file_open(struct tv_file *file, const char *name,
                          const struct tv_inflate_opts *opts, struct tv_error *err) TV_MUST_CHECK;

/* The same for exactly this file: no other name is tried, and no pair joined. */
enum tv_code tv_file_open_alone(struct tv_file *file, const char *name,
                                const struct tv_inflate_opts *opts,
                                struct tv_error *err) TV_MUST_CHECK;

/* Whether opening by that name takes no time to speak of: there is nothing to be unpacked, and
 * nothing to wait for, as at a pipe. */
bool tv_file_opens_at_once(const char *name);

#endif
