/*
 * A line of HotSpot's log of safepoints, as `-Xlog:safepoint:file=FILE:timenanos` writes it from
 * Java 13 on: one for each pause, when it has ended.
 *
 *     [1200ns] Safepoint "Cleanup", Time since last: 900 ns, Reaching safepoint: 20 ns,
 *     Cleanup: 5 ns, At safepoint: 20 ns, Total: 45 ns
 */
#ifndef TV_JVM_SAFEPOINT_LINE_H
#define TV_JVM_SAFEPOINT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define TV_SAFEPOINT_REASON_CAP 64u

struct tv_safepoint {
    char reason[TV_SAFEPOINT_REASON_CAP]; /* the virtual machine's operation; longer ones are cut */
    uint64_t begin_ns, end_ns;            /* CLOCK_MONOTONIC */
    uint64_t reached_ns;                  /* when all threads had stopped */
};

/* Reads a line, whose end does not matter; false: it is none of these, or its numbers contradict
 * each other. */
bool tv_safepoint_read(const char *line, struct tv_safepoint *safepoint);

#endif
