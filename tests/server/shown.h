/* A small trace as the viewer shows it. */
#ifndef TESTS_SERVER_SHOWN_H
#define TESTS_SERVER_SHOWN_H

#include "server/state.h"

/* Shows `read_len` of `len` bytes of it, under this name; the trace is FOO of 100 us in "main". */
void show_part(struct tv_state *state, const char *label, uint64_t read_len, uint64_t len);
/* As a thread of the loader takes what is wanted. */
struct tv_origin take_wanted(struct tv_state *state);

#endif
