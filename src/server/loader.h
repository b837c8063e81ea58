/*
 * The threads that load what is wanted at any address, each one trace after the other. How to load
 * and what to do with a finished index are functions of the caller, so the server knows neither
 * files nor formats.
 */
#ifndef TV_SERVER_LOADER_H
#define TV_SERVER_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/error.h"
#include "server/viewer.h"

/* One trace to load. */
struct tv_load {
    const struct tv_origin *origin;
    struct tv_index *index; /* to be built */
    /* To be told what a mapping knows; as it was before, where a saved index does not say. */
    struct tv_names_known *names;
    /* Tells how far loading is; false: stop with TV_ERR_CANCELLED. `step` is static. */
    bool (*tell)(void *ctx, const char *step, uint64_t done, uint64_t of);
    /* Shows an index of the first `read_len` of `len` bytes until the whole index is there; takes
     * `part` over. Need not be called. */
    void (*show_part)(void *ctx, struct tv_index *part, uint64_t read_len, uint64_t len);
    void *ctx;
};

/* Builds load->index; called on a thread of the loader, with the context of this thread. */
typedef enum tv_code (*tv_load_fn)(void *ctx, const struct tv_load *load, struct tv_error *err);

/*
 * Called on the thread that has loaded the trace when all of it is shown, and answers come from it
 * already. This is the time to save the index, since nobody waits for that. The function is to
 * return soon once `goes_on` is false: another trace is wanted, or the program ends.
 */
typedef void (*tv_save_fn)(void *ctx, const struct tv_origin *origin, const struct tv_index *index,
                           bool (*goes_on)(void *goes_on_ctx), void *goes_on_ctx);

struct tv_loader_thread {
    struct tv_loader *loader;
    void *ctx; /* of `load` and `save` on this thread */
    pthread_t thread;
    bool is_started;
};

struct tv_loader {
    struct tv_viewer *viewer;
    tv_load_fn load;
    tv_save_fn save; /* may be NULL */
    struct tv_loader_thread threads[TV_TRACES_LOADERS];
};

/* Fewer threads than wanted will do, but one. */
enum tv_code tv_loader_start(struct tv_loader *loader, struct tv_error *err) TV_MUST_CHECK;
/* Waits for the end of the threads after tv_traces_end. False: one still reads a trace when the
 * time is over, so whatever it uses must stay. */
bool tv_loader_stop(struct tv_loader *loader, uint64_t patience_ns);

#endif
