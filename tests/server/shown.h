/* A small trace as the viewer shows it, and the downloads of it. */
#ifndef TESTS_SERVER_SHOWN_H
#define TESTS_SERVER_SHOWN_H

#include "server/download.h"
#include "server/state.h"

struct shown {
    struct tv_state state;
    struct tv_downloads downloads;
};

void show(struct shown *shown);
/* Shows `read_len` of `len` bytes of it, under this name; the trace is FOO of 100 us in "main". */
void show_part(struct tv_state *state, const char *label, uint64_t read_len, uint64_t len);
/* Waits for the makers; every reader must have left. */
void hide(struct shown *shown);

#endif
