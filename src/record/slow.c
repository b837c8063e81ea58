/*
 * Slow calls; see record/slow.h.
 *
 * A thread has a table of the ticks at which its open calls began, by depth. A call that ends too
 * late asks for a dump (dump.h), unless it began before the last one: the callers of a slow call
 * are as slow, and have the same dump. Methods are chosen by name when they are described; the few
 * that are chosen stand in a list that is looked through once a call has been slow.
 */
#include "record/slow.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/compiler.h"
#include "record/dump.h"
#include "record/memory.h"
#include "record/session.h"

#define BEGINS_LEN (TV_SLOW_DEPTH * sizeof(uint64_t))
#define NAME_CAP 1024u
#define CHOSEN_MOST 256u
#define DUMPS_MOST 100u /* of a recording: a program whose calls are all slow fills no disk */

uint64_t tv_slow_ticks;
static char chosen_name[NAME_CAP]; /* "": all methods */
static _Atomic uint32_t chosen[CHOSEN_MOST];
static _Atomic uint32_t chosen_count;
static _Atomic uint64_t asked_ticks; /* of the last dump */
static _Atomic uint32_t dumps;
static _Atomic uint32_t slow_number; /* the call that asked for it */
static _Atomic uint64_t slow_call_ticks;
static _Thread_local uint64_t *begins __attribute__((tls_model("initial-exec")));

/* Whether a name is another, or ends with it behind a point, a colon or a dollar. */
static bool ends_with(const char *name, size_t len, const char *end, size_t end_len)
{
    if (len < end_len || memcmp(name + len - end_len, end, end_len) != 0)
        return false;
    return len == end_len || strchr(".:$", name[len - end_len - 1]) != NULL;
}

/* Threads may describe methods at once: each takes a place of its own. */
static void choose(uint32_t number)
{
    const uint32_t place = atomic_fetch_add(&chosen_count, 1);
    if (place < CHOSEN_MOST)
        atomic_store(&chosen[place], number);
}

void tv_slow_meet(uint32_t number, const struct tv_recorded_method *method)
{
    char name[2 * NAME_CAP];
    if (!tv_slow_has_name())
        return;
    /* "class TAB name TAB ..." */
    const char *end = memchr(method->line, '\t', method->len);
    end = end ? memchr(end + 1, '\t', method->len - (size_t)(end + 1 - method->line)) : NULL;
    const size_t len = end ? (size_t)(end - method->line) : 0;
    if (!len || len > sizeof(name))
        return;
    memcpy(name, method->line, len);
    *(char *)memchr(name, '\t', len) = '.';
    if (ends_with(name, len, chosen_name, strlen(chosen_name)))
        choose(number);
}

void tv_slow_meet_name(uint32_t number, const char *name)
{
    if (ends_with(name, strlen(name), chosen_name, strlen(chosen_name)))
        choose(number);
}

bool tv_slow_has_name(void)
{
    return chosen_name[0] != '\0';
}

uint32_t tv_slow_count(void)
{
    const uint32_t count = atomic_load(&chosen_count);
    return count < CHOSEN_MOST ? count : CHOSEN_MOST;
}

/* Numbers of methods hold as long as the process: the ones that were chosen by this name stay so,
 * also after a fork, since nobody describes a method twice. */
static void choose_by(const char *name)
{
    if (strcmp(name, chosen_name) == 0)
        return;
    memcpy(chosen_name, name, strlen(name) + 1);
    for (size_t i = 0; i < CHOSEN_MOST; i++)
        atomic_store(&chosen[i], 0);
    atomic_store(&chosen_count, 0);
    for (uint32_t number = 1; tv_slow_has_name() && number <= tv_methods_count(); number++)
        tv_slow_meet(number, tv_methods_get(number));
}

void tv_slow_prepare(uint64_t ns, const char *name)
{
    choose_by(ns && name && strlen(name) < sizeof(chosen_name) ? name : "");
    atomic_store(&dumps, 0);
    atomic_store(&asked_ticks, 0);
    atomic_store(&slow_number, 0);
    __atomic_store_n(&tv_slow_ticks, ns ? tv_ticks_from_ns(tv_current.rate, ns) : 0,
                     __ATOMIC_RELAXED);
}

void tv_slow_end(void)
{
    __atomic_store_n(&tv_slow_ticks, 0, __ATOMIC_RELAXED);
}

static bool is_chosen(uint32_t number)
{
    const uint32_t count = tv_slow_count();
    if (!tv_slow_has_name())
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (atomic_load(&chosen[i]) == number)
            return true;
    }
    return false;
}

void tv_slow_enter(uint32_t level)
{
    if (level >= TV_SLOW_DEPTH)
        return;
    if (TV_UNLIKELY(!begins))
        begins = tv_mapping_cache_take(BEGINS_LEN);
    if (begins)
        begins[level] = tv_ticks_now(tv_current.rate.is_counter);
}

/* Two threads may find a slow call each at once: one of them asks. */
static void ask(uint32_t number, uint64_t begin, uint64_t now)
{
    uint64_t last = atomic_load(&asked_ticks);
    if (begin < last || atomic_load(&dumps) >= DUMPS_MOST ||
        !atomic_compare_exchange_strong(&asked_ticks, &last, now))
        return;
    atomic_fetch_add(&dumps, 1);
    atomic_store(&slow_call_ticks, now - begin);
    atomic_store(&slow_number, number);
    tv_dump_ask();
}

void tv_slow_leave(uint32_t level, uint32_t number)
{
    if (level >= TV_SLOW_DEPTH || !begins || !begins[level])
        return;
    const uint64_t begin = begins[level], now = tv_ticks_now(tv_current.rate.is_counter);
    /* The limit becomes 0 when the recording ends, which may be between the caller's look at it and
     * this one. */
    const uint64_t least = __atomic_load_n(&tv_slow_ticks, __ATOMIC_RELAXED);
    begins[level] = 0;
    if (TV_UNLIKELY(least && now - begin > least) && is_chosen(number))
        ask(number, begin, now);
}

void tv_slow_forget(void)
{
    if (begins)
        memset(begins, 0, BEGINS_LEN);
}

void tv_slow_release(void)
{
    if (begins)
        tv_mapping_cache_release(begins, BEGINS_LEN);
    begins = NULL;
}

uint32_t tv_slow_take(uint64_t *ns)
{
    *ns = tv_ticks_to_ns(tv_current.rate, atomic_load(&slow_call_ticks));
    return atomic_exchange(&slow_number, 0);
}
