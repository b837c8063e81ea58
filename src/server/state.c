/* A mutex around a few words. */
#include "server/state.h"

void tv_state_init(struct tv_state *state)
{
    *state = (struct tv_state){.now = {.phase = TV_PHASE_LOADING, .step = "reading"}};
    (void)pthread_mutex_init(&state->lock, NULL);
    tv_index_init(&state->index);
}

void tv_state_release(struct tv_state *state)
{
    tv_index_release(&state->index);
    (void)pthread_mutex_destroy(&state->lock);
}

struct tv_state_view tv_state_look(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    struct tv_state_view view = state->now;
    pthread_mutex_unlock(&state->lock);
    return view;
}

bool tv_state_tell(void *context, uint64_t done, uint64_t of)
{
    struct tv_state *state = context;
    pthread_mutex_lock(&state->lock);
    state->now.done = done;
    state->now.of = of;
    bool is_ending = state->is_ending;
    pthread_mutex_unlock(&state->lock);
    return !is_ending;
}

void tv_state_finish(struct tv_state *state, enum tv_code code, const struct tv_error *err)
{
    pthread_mutex_lock(&state->lock);
    state->now.phase = code == TV_OK ? TV_PHASE_READY : TV_PHASE_FAILED;
    if (code != TV_OK)
        state->now.error = *err;
    pthread_mutex_unlock(&state->lock);
}

void tv_state_end(struct tv_state *state)
{
    pthread_mutex_lock(&state->lock);
    state->is_ending = true;
    pthread_mutex_unlock(&state->lock);
}
