/*
 * The driver of writing, which reads a trace twice: what its two readings share. Inside the folder
 * alone; see format/write/write.c.
 */
#ifndef TV_FORMAT_WRITE_WRITE_DRIVER_H
#define TV_FORMAT_WRITE_WRITE_DRIVER_H

#include <stdbool.h>

#include "format/wire.h"
#include "format/write/writer.h"

/* A call that began before tracing did. Those of a thread are chained from the outermost on. */
struct tv_write_adopter {
    uint32_t key;
    uint32_t inside; /* 1 + the next; 0: the innermost */
};

/* The writer, and what the readings need. */
struct tv_write_driver {
    void (*has_read)(void *ctx, uint64_t offset); /* as in struct tv_write_opts */
    void *has_read_ctx;
    struct tv_writer writer;
    struct tv_batch batch;
    struct tv_write_times times;
    uint64_t record;   /* the ordinal of the batch's first record */
    uint32_t last_ix;  /* first reading: the thread of the record before; TV_MAP_NONE at first */
    bool closes_calls; /* calls that never end would end elsewhere in the output */
    struct tv_open_calls calls; /* used where calls are closed, or exits are bare */
    struct tv_write_adopter *adopters;
    size_t adopter_count, adopter_cap;
};

static inline enum tv_action tv_write_action(uint32_t key_action)
{
    return (enum tv_action)(key_action & TV_WIRE_ACTION_MASK);
}

/* A record that was reserved and never written. */
static inline bool tv_write_is_empty(const struct tv_batch *batch, size_t i)
{
    return !batch->thread_id[i] && !batch->key_action[i] && !batch->time[TV_CLOCK_WALL][i] &&
           !batch->time[TV_CLOCK_CPU][i];
}

static inline bool tv_write_follows_calls(const struct tv_write_driver *driver)
{
    return driver->closes_calls || driver->writer.family->has_bare_exits;
}

/* The first reading: what the records name, and the calls that the records only end. The writer's
 * threads and methods have their numbers afterwards. */
enum tv_code tv_write_survey(struct tv_write_driver *driver, struct tv_error *err) TV_MUST_CHECK;

#endif
