/* Reading a built trace to its end in one call, and saying what came out. For tests of format. */
#ifndef TESTS_FORMAT_READING_H
#define TESTS_FORMAT_READING_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/buffer.h"
#include "format/trace.h"

#define READING_MOST 4096

/* A trace that was opened and read; its tables live until reading_release. */
struct reading {
    enum tv_code code;
    struct tv_error err;
    struct tv_trace trace;
    size_t count;
    uint32_t thread[READING_MOST];
    uint32_t key_action[READING_MOST];
    uint64_t wall[READING_MOST];
    uint64_t cpu[READING_MOST];
    uint64_t offset[READING_MOST];
};

void read_bytes(struct reading *reading, const void *bytes, size_t len,
                const struct tv_read_opts *opts);
void read_built(struct reading *reading, const struct tv_buffer *bytes);
void reading_release(struct reading *reading);

/* Each prints both sides when it fails. */
void expect_ok(const struct reading *reading);
void expect_error(const struct reading *reading, enum tv_code code, uint64_t offset,
                  const char *words);
void expect_finding(const struct reading *reading, enum tv_finding_kind kind, uint64_t count,
                    uint64_t offset);
/* No finding but these; end the list with TV_FINDING_KIND_COUNT. */
void expect_only(const struct reading *reading, ...);
void expect_str(struct tv_str text, const char *expected);

#endif
