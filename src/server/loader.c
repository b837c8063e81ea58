/*
 * The loop of a loader's thread: take what is wanted, load it, show it, remember its file, close
 * what is open beyond the bounds, save the index. Each step is a move of server/phase.h. A load
 * that nobody wants any more ends when it next tells how far it is.
 *
 * Of TV_TRACES_LOADERS threads each serves one address at a time, and no address has two. When a
 * trace is shown its index belongs to the state; on a failure it is released here.
 */
#include "server/loader.h"

#include <time.h>

#include "base/error.h"
#include "os/file/stamp.h"
#include "os/memory/mapping.h"
#include "server/recent.h"

/* The context of the functions in struct tv_load. */
struct load_progress {
    struct tv_state *state;
    const struct tv_origin *origin;
};

static bool tell(void *ctx, const char *step, uint64_t done, uint64_t of)
{
    const struct load_progress *progress = ctx;
    return tv_state_tell(progress->state, step, done, of);
}

/* Reads the trace's length from the index. Run under tv_mapping_run, since a saved index may have
 * been cut meanwhile. */
static void show_part(void *ctx, struct tv_index *part, uint64_t read_len, uint64_t len)
{
    const struct load_progress *progress = ctx;
    struct tv_error err; /* without memory for the beginning, the whole trace is waited for */
    if (tv_state_show(progress->state, part, progress->origin, read_len, len, &err) != TV_OK)
        return;
}

static void remember(const struct tv_viewer *viewer, const struct tv_origin *origin)
{
    struct tv_error err; /* a list that cannot be written is no reason to fail */
    if (origin->kind == TV_ORIGIN_FILE &&
        tv_recent_add(viewer->recent_path, viewer->alloc, origin->path, (uint64_t)time(NULL),
                      &err) != TV_OK)
        return;
}

/* Looks at a file before it is read. What the page asks for was a regular file when it was listed;
 * if a pipe is there now it is refused, since it cannot be watched. Only the program's own argument
 * may be a pipe. */
static enum tv_code look_at(struct tv_origin *origin, struct tv_error *err)
{
    if (origin->kind != TV_ORIGIN_FILE)
        return TV_OK;
    origin->stamp = tv_stamp_of(origin->path);
    if (origin->is_first || tv_stamp_is_there(&origin->stamp))
        return TV_OK;
    return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "there is no such file any more");
}

/* The length of the trace, and the index that knows it. */
struct reading_len {
    const struct tv_index *index;
    uint64_t len;
};

static void read_len(void *ctx)
{
    struct reading_len *reading = ctx;
    reading->len = reading->index->info->file_len;
}

/* The length is read inside of tv_mapping_run, since a saved index may be cut at any time: then
 * that is an error and not the end of the program. */
static enum tv_code load_one(struct tv_loader_thread *thread, struct tv_state *state,
                             struct tv_origin *origin, struct tv_error *err)
{
    const struct tv_loader *loader = thread->loader;
    struct load_progress progress = {.state = state, .origin = origin};
    struct tv_index index;
    struct tv_load load = {.origin = origin,
                           .index = &index,
                           .names = &origin->names,
                           .tell = tell,
                           .show_part = show_part,
                           .ctx = &progress};
    TV_TRY(look_at(origin, err));
    tv_index_init(&index);
    struct reading_len reading = {.index = &index};
    enum tv_code code = loader->load(thread->ctx, &load, err);
    if (code == TV_OK) /* a saved index may have been cut since */
        code = tv_mapping_run(read_len, &reading, err);
    if (code != TV_OK) {
        tv_index_release(&index);
        return code;
    }
    TV_TRY(tv_state_show(state, &index, origin, reading.len, reading.len, err));
    remember(loader->viewer, origin);
    return TV_OK;
}

/* The context of goes_on. */
struct saving {
    struct tv_traces *traces;
    struct tv_state *state;
};

static bool goes_on(void *ctx)
{
    const struct saving *saving = ctx;
    return tv_traces_is_saving(saving->traces, saving->state);
}

/* Saves the index of the trace that this thread has just shown: nobody else shows traces at an
 * address that this thread has taken. Saving stops when something else is wanted. */
static void save(const struct tv_loader_thread *thread, struct tv_state *state)
{
    const struct tv_loader *loader = thread->loader;
    struct saving saving = {.traces = &loader->viewer->traces, .state = state};
    struct tv_shown *shown = loader->save ? tv_state_hold(state) : NULL;
    if (shown)
        loader->save(thread->ctx, &shown->origin, &shown->index, goes_on, &saving);
    tv_state_let_go(shown);
    tv_state_end_saving(state);
}

static void *run(void *arg)
{
    struct tv_loader_thread *thread = arg;
    struct tv_traces *traces = &thread->loader->viewer->traces;
    struct tv_origin origin;
    struct tv_state *state;
    while ((state = tv_traces_take_wanted(traces, &origin))) {
        struct tv_error err = {.code = TV_OK};
        enum tv_code code = load_one(thread, state, &origin, &err);
        bool is_shown = tv_state_finish(state, &origin, code, &err);
        tv_traces_evict(traces);
        if (is_shown)
            save(thread, state);
        tv_origin_release(&origin);
        tv_traces_done(state);
    }
    return NULL;
}

/* One thread is enough to read all, only slower. */
enum tv_code tv_loader_start(struct tv_loader *loader, struct tv_error *err)
{
    bool is_any_started = false;
    for (size_t i = 0; i < TV_TRACES_LOADERS; i++) {
        struct tv_loader_thread *thread = &loader->threads[i];
        thread->loader = loader;
        thread->is_started = pthread_create(&thread->thread, NULL, run, thread) == 0;
        is_any_started = is_any_started || thread->is_started;
    }
    if (is_any_started)
        return TV_OK;
    return tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no thread can be started");
}

/* Waits for loads to end, which they do when they next tell how far they are. A thread that takes
 * longer is left to run, and the caller ends the process. */
bool tv_loader_stop(struct tv_loader *loader, uint64_t patience_ns)
{
    bool is_idle = tv_traces_wait_until_idle(&loader->viewer->traces, patience_ns);
    for (size_t i = 0; i < TV_TRACES_LOADERS; i++) {
        if (!loader->threads[i].is_started)
            continue;
        if (is_idle)
            (void)pthread_join(loader->threads[i].thread, NULL);
        else
            (void)pthread_detach(loader->threads[i].thread); /* nobody will wait for it */
    }
    return is_idle;
}
