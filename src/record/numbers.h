/*
 * Numbers of methods by what a program has for them: a function's address, or a virtual machine's
 * id. Read without a lock: the key of a slot is stored last, and a table that was too small stays
 * as it is while threads may still read it. Keys may come to mean other methods: then all are
 * forgotten, and a key that is still there behind the number says that the number is its own.
 */
#ifndef TV_RECORD_NUMBERS_H
#define TV_RECORD_NUMBERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A slot of a table with open addressing. */
struct tv_number {
    _Atomic uintptr_t key; /* 0: free */
    _Atomic uint32_t number;
};

struct tv_number_table {
    size_t count, cap;
    struct tv_number of[];
};

/* Zero at first. */
struct tv_key_numbers {
    struct tv_number_table *_Atomic table;
};

TV_INLINE size_t tv_numbers_slot(uintptr_t key, size_t cap)
{
    return (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cap - 1);
}

/* The number of a key, or 0 when it has none. Any thread, also in signal handlers. */
TV_INLINE uint32_t tv_numbers_find(struct tv_key_numbers *numbers, uintptr_t key)
{
    struct tv_number_table *table = atomic_load_explicit(&numbers->table, memory_order_acquire);
    if (!table)
        return 0;
    for (size_t at = tv_numbers_slot(key, table->cap);; at = (at + 1) & (table->cap - 1)) {
        uintptr_t there = atomic_load_explicit(&table->of[at].key, memory_order_acquire);
        if (!there)
            return 0;
        if (there != key)
            continue;
        uint32_t number = atomic_load_explicit(&table->of[at].number, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        there = atomic_load_explicit(&table->of[at].key, memory_order_relaxed);
        return there == key ? number : 0;
    }
}

/* Gives a key its number, which is not 0, unless it has one. Without memory it keeps none. Takes
 * the lock of cold.h, as tv_numbers_forget does. */
void tv_numbers_keep(struct tv_key_numbers *numbers, uintptr_t key, uint32_t number);

/* Forgets all keys. */
void tv_numbers_forget(struct tv_key_numbers *numbers);

#endif
