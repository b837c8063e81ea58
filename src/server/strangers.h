/*
 * The connections on which no request with the session token has come yet. Anybody on this machine
 * can open them, so they have little room and little time, and a new one makes the oldest give way:
 * whoever has the token shows it in the first bytes, and so never waits for those who have not.
 *
 * A list belongs to whoever holds its owner's lock.
 */
#ifndef TV_SERVER_STRANGERS_H
#define TV_SERVER_STRANGERS_H

#include <stddef.h>
#include <stdint.h>

/* One connection, in the caller's storage. */
struct tv_stranger {
    int connection; /* its socket; -1: not in the list */
    uint64_t since_ns;
    struct tv_stranger *older;
    struct tv_stranger *newer;
};

/* All zero bytes are an empty list. */
struct tv_strangers {
    struct tv_stranger *oldest;
    struct tv_stranger *newest;
    size_t count;
};

/* Puts a connection into the list. Where that is too many, the oldest is sent away: its socket is
 * shut down, which its server notices as if the client had hung up, and it leaves the list. */
void tv_strangers_add(struct tv_strangers *strangers, struct tv_stranger *stranger, int connection,
                      uint64_t now_ns);
/* Takes a connection out of the list: it has shown the token, or is about to be closed. Nothing
 * happens to one that is not in the list. */
void tv_strangers_remove(struct tv_strangers *strangers, struct tv_stranger *stranger);
/* Sends away those whose time is over. */
void tv_strangers_end_late(struct tv_strangers *strangers, uint64_t now_ns);

#endif
