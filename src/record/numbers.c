/*
 * Numbers of methods; see record/numbers.h.
 *
 * A hash table with open addressing that threads read without a lock. Writers hold the lock of
 * cold.h. A slot's number is stored before its key (release), and a reader loads the key first
 * (acquire). A table that is half full is copied into one of twice the size, and the old one stays
 * mapped for good, since a thread may still read it: all old tables together are no larger than the
 * last one.
 */
#include "record/numbers.h"

#include "record/cold.h"
#include "record/memory.h"

#define SLOTS_LEAST 4096u

static void insert(struct tv_number_table *table, uintptr_t key, uint32_t number)
{
    size_t at = tv_numbers_slot(key, table->cap);
    while (atomic_load_explicit(&table->of[at].key, memory_order_relaxed))
        at = (at + 1) & (table->cap - 1);
    atomic_store_explicit(&table->of[at].number, number, memory_order_relaxed);
    atomic_store_explicit(&table->of[at].key, key, memory_order_release);
    table->count++;
}

/* A table that has room for one more; NULL when there is no memory. */
static struct tv_number_table *roomy_table(struct tv_number_table *table)
{
    if (table && table->count < table->cap / 2)
        return table;
    size_t cap = table ? table->cap * 2 : SLOTS_LEAST;
    struct tv_number_table *grown =
        tv_mapping_cache_take(sizeof(*grown) + cap * sizeof(struct tv_number));
    if (!grown)
        return NULL;
    grown->cap = cap;
    for (size_t i = 0; table && i < table->cap; i++) {
        if (table->of[i].key)
            insert(grown, table->of[i].key, table->of[i].number);
    }
    return grown;
}

void tv_numbers_keep(struct tv_key_numbers *numbers, uintptr_t key, uint32_t number)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct tv_number_table *table = atomic_load(&numbers->table);
    if (!tv_numbers_find(numbers, key)) {
        table = roomy_table(table);
        if (table) {
            insert(table, key, number);
            atomic_store_explicit(&numbers->table, table, memory_order_release);
        }
    }
    tv_cold_leave(&cold);
}

/* Keys become 0 and the table stays where it is; a reader that found its key before looks at it
 * again behind the number (record/numbers.h). */
void tv_numbers_forget(struct tv_key_numbers *numbers)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct tv_number_table *table = atomic_load(&numbers->table);
    for (size_t i = 0; table && table->count && i < table->cap; i++)
        atomic_store_explicit(&table->of[i].key, 0, memory_order_relaxed);
    if (table)
        table->count = 0;
    atomic_thread_fence(memory_order_release);
    tv_cold_leave(&cold);
}
