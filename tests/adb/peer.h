/* A peer that plays an adb server by a script: on each connection it waits for the bytes that are
 * expected, and says what the script has. */
#ifndef TV_TESTS_ADB_PEER_H
#define TV_TESTS_ADB_PEER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "adb/adb.h"

struct step {
    const char *expects; /* what the client sends; NULL: the connection ends. Of a request to the
                            sync service its word alone: the path that follows may be any */
    const char *says;
    size_t says_len; /* 0: `says` ends with a NUL */
};

/* The end of a connection; the next step is of the next one. */
#define HANG_UP                                                                                    \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }
/* The next step is of a second connection, or of the first one again. */
#define OTHER_CONNECTION                                                                           \
    {                                                                                              \
        "", NULL, 0                                                                                \
    }
/* Bytes with NULs among them. */
#define BYTES(literal) (literal), sizeof(literal) - 1

struct peer {
    int listener;
    const struct step *steps;
    size_t count;
    size_t done;         /* steps that went as the script has them */
    atomic_uint drip_ms; /* before each byte that the peer says; 0: all go at once */
    pthread_t thread;
};

/* Starts the peer, and an adb that asks it. */
void peer_start(struct peer *peer, const struct step *steps, size_t count, struct tv_adb *adb);
/* Waits for the end of the script, and checks that all of it was played. */
void peer_end(struct peer *peer);

#endif
