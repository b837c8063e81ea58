/*
 * Threads that have ended while stacks are looked at, and what they had used of a processor by
 * then: the thread itself notes it, the last that it does, and the thread that looks takes it.
 */
#ifndef TV_JVM_THREAD_ENDS_H
#define TV_JVM_THREAD_ENDS_H

#include <stddef.h>
#include <stdint.h>

/* The most ends that wait to be taken: those of some milliseconds. */
#define TV_JVM_ENDED_MOST 1024u

struct tv_jvm_ended {
    const void *key; /* see tv_jvm_async_key() */
    uint64_t cpu_ns; /* of the thread of the kernel */
    uint64_t own_ns; /* the part since the kernel's thread was this thread of Java */
    uint64_t ticks;  /* when: tv_recorder_ticks() */
};

/* Notes the end of a thread, if there is room. Any thread. */
void tv_jvm_ended_note(const struct tv_jvm_ended *ended);
/* Moves the noted ends into `taken`, oldest first, and returns their number. One thread. */
size_t tv_jvm_ended_take(struct tv_jvm_ended taken[TV_JVM_ENDED_MOST]);

#endif
