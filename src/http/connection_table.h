/*
 * The open connections of a server (connections), and which of them are sent away: their sockets
 * are shut down, which the HTTP library notices as if the clients had hung up.
 *
 * Anybody can open connections and say nothing on them, or say it byte by byte. So a connection has
 * little time to bring a whole request, and a new connection makes the oldest waiting one give way
 * where there are too many, in all or of its address: a client that sends its request at once never
 * waits for those that do not. A body that comes and an answer that goes have to move at a least
 * rate. Known clients have room that nobody else takes, and none of these limits.
 *
 * The table has its own lock: any number of threads may call.
 */
#ifndef TV_HTTP_CONNECTION_TABLE_H
#define TV_HTTP_CONNECTION_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/str.h"

enum tv_connection_entry_state {
    TV_CONNECTION_WAITING, /* for a request: its headers have not all come */
    TV_CONNECTION_COMING,  /* the body of a request comes */
    TV_CONNECTION_WORKING, /* the server makes an answer, or has nothing to send */
    TV_CONNECTION_GOING,   /* the answer is being sent */
};

struct tv_connection_entry_limits {
    size_t crowd;       /* more connections than that of nobody known are too many */
    size_t per_address; /* 0: no limit */
    uint64_t header_ns;
    uint64_t idle_ns;    /* between two requests */
    uint64_t request_ns; /* 0: none */
    uint64_t least_rate; /* bytes a second; 0: none */
    uint64_t rate_ns;
};

/* One connection, in the caller's storage. */
struct tv_connection_entry {
    int connection; /* its socket; -1: not in the table */
    char address[INET6_ADDRSTRLEN];
    struct in6_addr network; /* what counts as one address: of IPv6 the first half */
    bool is_exempt;          /* there may be any number of its address */
    bool is_known;
    bool was_sent_away;
    bool sends_on; /* its last answer came before its request was read */
    bool had_request;
    enum tv_connection_entry_state state;
    uint64_t since_ns;                 /* when the state began */
    uint64_t looked_ns;                /* when `moved` was looked up */
    uint64_t moved;                    /* bytes in both directions by then */
    struct tv_connection_entry *older; /* by since_ns */
    struct tv_connection_entry *newer;
};

struct tv_connection_table {
    pthread_mutex_t lock;
    struct tv_connection_entry_limits limits;
    /* How many bytes a connection has moved so far; false: that cannot be told. A parameter, so
     * that tests can say it. */
    bool (*moved)(int connection, uint64_t *bytes);
    struct tv_connection_entry *oldest;
    struct tv_connection_entry *newest;
    size_t count;
    size_t unknown_count; /* of these, of nobody known */
    uint64_t accepted;
    uint64_t sent_away;
};

void tv_connection_table_init(struct tv_connection_table *connections,
                              const struct tv_connection_entry_limits *limits);
void tv_connection_table_release(struct tv_connection_table *connections);

/* Fills a connection's connection, address and network. */
void tv_connection_entry_init(struct tv_connection_entry *entry, int connection,
                              const struct sockaddr *address);
/* Puts the connection into the table, and sends another one away where that is too many; the new
 * one where all others are busy. */
void tv_connection_table_add(struct tv_connection_table *connections,
                             struct tv_connection_entry *entry, uint64_t now_ns);
/* Takes the connection out: its connection is about to be closed. Returns whether it was sent away.
 */
bool tv_connection_table_remove(struct tv_connection_table *connections,
                                struct tv_connection_entry *entry);
/* The connection has shown that it is of somebody known. */
void tv_connection_table_know(struct tv_connection_table *connections,
                              struct tv_connection_entry *entry);
void tv_connection_table_enter(struct tv_connection_table *connections,
                               struct tv_connection_entry *entry,
                               enum tv_connection_entry_state state, uint64_t now_ns);
/* Sends away those that are late or slow. */
void tv_connection_table_end_late(struct tv_connection_table *connections, uint64_t now_ns);

#endif
