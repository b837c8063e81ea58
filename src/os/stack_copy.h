/*
 * A copy of a thread's stack and registers, of one moment: made where threads are sampled
 * (os/process/sample_rings.h), followed where stacks are (os/symbols/unwind.h).
 */
#ifndef TV_OS_STACK_COPY_H
#define TV_OS_STACK_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Registers by their numbers in unwinding tables (System V psABI of x86-64): 16 general ones, and
 * the instruction pointer. */
enum { TV_STACK_COPY_STACK = 7, TV_STACK_COPY_CODE = 16, TV_STACK_COPY_REGISTERS };

struct tv_stack_copy {
    uint64_t registers[TV_STACK_COPY_REGISTERS];
    size_t len; /* of `bytes`, which begin at the stack pointer; deep stacks have more */
    const unsigned char *bytes;
};

#endif
