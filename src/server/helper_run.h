/*
 * Helpers of the helper thread (server/helper_thread.h): this program run again, from its words to
 * what it says.
 */
#ifndef TV_SERVER_HELPER_RUN_H
#define TV_SERVER_HELPER_RUN_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory/buffer.h"
#include "base/str.h"
#include "os/process/helper_process.h"
#include "server/helper_thread.h"

enum tv_code tv_helper_thread_start(struct tv_helper *helper,
                                    const struct tv_helper_thread_words *words,
                                    struct tv_error *err) TV_MUST_CHECK;
/* Reads what has come of a stream of a helper. False: the stream has ended. */
bool tv_helper_thread_read(int fd, char *room, size_t cap, size_t *len);
/* What a helper says for people, without the program's name before it. */
struct tv_str tv_helper_thread_plain(struct tv_str line);
/* Runs a helper to its end, within the helper thread's patience, and appends the JSON object that
 * it writes. The error is the helper's own first line. */
enum tv_code tv_helper_thread_run(const struct tv_helper_thread_words *words,
                                  struct tv_buffer *answer, struct tv_error *err) TV_MUST_CHECK;

#endif
