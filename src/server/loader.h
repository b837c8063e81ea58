/* The thread that loads what is wanted, one trace after the other. */
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
    /* Tells how far it is; false: stop with TV_ERR_CANCELLED. `step` is static. */
    bool (*tell)(void *ctx, const char *step, uint64_t done, uint64_t of);
    /* Shows an index of the first `read_len` of `len` bytes until the whole one is there; takes it
     * over. May be left out. */
    void (*show_part)(void *ctx, struct tv_index *part, uint64_t read_len, uint64_t len);
    void *ctx;
};

/* Builds load->index; called on the loader's thread. */
typedef enum tv_code (*tv_load_fn)(void *ctx, const struct tv_load *load, struct tv_error *err);

/*
 * Called on the loader's thread when a trace is shown whole, and answers come from it: time for
 * what nobody waits for. It is to end soon once `goes_on` is false.
 */
typedef void (*tv_save_fn)(void *ctx, const struct tv_origin *origin, const struct tv_index *index,
                           bool (*goes_on)(void *goes_on_ctx), void *goes_on_ctx);

struct tv_loader {
    struct tv_viewer *viewer;
    tv_load_fn load;
    tv_save_fn save; /* may be NULL */
    void *ctx;
    pthread_t thread;
};

enum tv_code tv_loader_start(struct tv_loader *loader, struct tv_error *err) TV_MUST_CHECK;
/* Ends the thread after tv_state_end. False when it has not ended within the time: it is in the
 * middle of something long, and whatever it uses must stay. */
bool tv_loader_stop(struct tv_loader *loader, uint64_t patience_ns);

#endif
