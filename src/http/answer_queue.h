/*
 * The requests that wait for a thread to answer them, and those that a thread answers: who is next,
 * who has had long enough, and who gives way. Pure: times are told by the caller, whose lock guards
 * the queue.
 *
 * Fair by party: a party that has asked little goes before one that has asked much, however many
 * requests the latter has waiting. Each party may have half of the places; more while nobody else
 * wants them, but never the last thread.
 *
 * Short before long: nobody knows beforehand which answer takes long, so every request begins in
 * one of the places for short ones, and gives its place up, while it goes on, when it has worked
 * for TV_ANSWER_LONG_NS. There are as many threads besides for those that go on. When all of them
 * are taken and a short one waits, a long one is cut and begins again later, in one of the places
 * for long ones.
 */
#ifndef TV_HTTP_ANSWER_QUEUE_H
#define TV_HTTP_ANSWER_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/http.h"

/* An answer that takes longer than that is a long one. */
#define TV_ANSWER_LONG_NS UINT64_C(50000000)

/* Why an answer is cut while it is made. */
enum tv_answer_cut {
    TV_ANSWER_NOT_CUT,
    TV_ANSWER_LATE,    /* its deadline has passed */
    TV_ANSWER_GONE,    /* its client has gone */
    TV_ANSWER_AGAIN,   /* its thread is wanted, and it begins again later */
    TV_ANSWER_STOPPED, /* the server ends */
};

/* One request in the queue, in the caller's storage; all zero at first, but for the first four. */
struct tv_answer {
    struct tv_http_party party;
    bool may_be_cut; /* nothing is lost when it is cut: it changes nothing */
    uint64_t came_ns;
    uint64_t deadline_ns; /* 0: none */
    /* The rest is the queue's. */
    uint64_t turn;     /* the smallest one is next */
    uint64_t begun_ns; /* when a thread took it */
    bool is_long;
    enum tv_answer_cut cut;
    atomic_bool is_unwanted; /* what the maker of the answer looks at: it is cut */
    struct tv_answer *next;  /* in its list */
    struct tv_answer *previous;
};

struct tv_answer_list {
    struct tv_answer *first;
    struct tv_answer *last;
    unsigned count;
};

struct tv_answer_queue {
    unsigned places; /* for short answers; long ones have the same number of their own */
    struct tv_answer_list waiting;
    struct tv_answer_list running;
    unsigned long_count; /* of the running ones */
    uint64_t turn;       /* of the one that was taken last */
};

/* `places` is 1 at least. The caller runs twice as many threads that take answers. */
void tv_answer_queue_init(struct tv_answer_queue *queue, unsigned places);
/* The answer waits from now on. */
void tv_answer_queue_add(struct tv_answer_queue *queue, struct tv_answer *answer);
/* The next answer, which runs from now on; NULL: none may begin now. */
struct tv_answer *tv_answer_queue_take(struct tv_answer_queue *queue, uint64_t now_ns);
/* The next answer while the server ends: shares do not count any more. */
struct tv_answer *tv_answer_queue_take_any(struct tv_answer_queue *queue, uint64_t now_ns);
/* The answer, which ran, is made. */
void tv_answer_queue_end(struct tv_answer_queue *queue, struct tv_answer *answer);
/* The answer, which waits, is waited for no more. */
void tv_answer_queue_drop(struct tv_answer_queue *queue, struct tv_answer *answer);
/* Is called every few milliseconds while answers run: makes them long, cuts those that are late,
 * and one that has to give way. Returns whether a place for short answers has become free. */
bool tv_answer_queue_look(struct tv_answer_queue *queue, uint64_t now_ns);
/* Cuts an answer that runs, unless it is cut already, or must not be. */
void tv_answer_cut(struct tv_answer *answer, enum tv_answer_cut why);
bool tv_answer_is_late(const struct tv_answer *answer, uint64_t now_ns);
/* Since when the one that waits longest does; 0: none waits. */
uint64_t tv_answer_queue_oldest_ns(const struct tv_answer_queue *queue);

#endif
