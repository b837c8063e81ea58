/*
 * Allocated bytes by method: the virtual machine's sampler of its heap (Java 11) tells of one
 * allocation in TV_JVM_ALLOCATIONS_INTERVAL bytes on average, and which calls are open then is
 * known.
 */
#ifndef TV_JVM_ALLOCATIONS_H
#define TV_JVM_ALLOCATIONS_H

#include <jvmti.h>
#include <stdbool.h>

#include "record/method_bytes.h"

#define TV_JVM_ALLOCATIONS_INTERVAL 65536

/* Names the event's function. */
void tv_jvm_allocations_set(jvmtiEventCallbacks *callbacks);
/* Begins to count, from 0. False: this virtual machine has no such sampler. */
bool tv_jvm_allocations_begin(void);
void tv_jvm_allocations_end(void);
/* What was counted since then. */
const struct tv_method_bytes *tv_jvm_allocations(void);

#endif
