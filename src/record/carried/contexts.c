/*
 * Stacks that a program changes between by itself: makecontext(), swapcontext() and setcontext() of
 * an instrumented program come here first. A context that was made is a thread that others carry
 * (record/carried/carried.h): its calls have a row of their own, "context 1", and their CPU time is
 * that of the thread that runs it meanwhile. Without that the calls of several stacks would stand
 * in one row, where the end of one closes those of another.
 *
 * A context is known by the address of its struct. One that swapcontext() has filled stands for
 * what ran at that moment: the thread itself, or the context that it carried. Any other is taken
 * for the thread itself, as what getcontext() fills in main() is. The table of contexts grows with
 * their addresses alone, and is under the lock of cold.h.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "record/carried/carried.h"
#include "record/cold.h"
#include "record/hooks.h"
#include "record/memory.h"
#include "record/next_function.h"
#include "record/recorder.h"

/*
 * The end of a context's function leads to uc_link inside the C library, where nobody sees it. So
 * makecontext() is given a function of ours, which calls the program's and then ends the context.
 */

#define BUCKETS 4096u
#define NAME_CAP 32u
#define WORDS_MOST 8    /* arguments of a context that has a row of its own */
#define WORDS_PASSED 16 /* of one that has not: more are not passed on */

/* What is known of the context at an address. */
struct context {
    const ucontext_t *at;
    struct context *next; /* of its bucket */
    uint64_t ticket;      /* by which it goes on, where it is carried */
    uint32_t number;      /* counted from 1; 0: the thread itself */
    /* Of one that was made: */
    void (*function)(void);
    long words[WORDS_MOST];
    const ucontext_t *link;
};

static struct context *buckets[BUCKETS];
static struct tv_memory memory;
static uint32_t made_count;
static _Thread_local uint32_t current __attribute__((tls_model("initial-exec"))); /* its number */

/* Under the lock. NULL: there is none, and `adds` is false, or there is no memory. */
static struct context *context_at(const ucontext_t *at, bool adds)
{
    struct context **bucket = &buckets[((uintptr_t)at >> 4) * 2654435761u % BUCKETS];
    for (struct context *context = *bucket; context; context = context->next) {
        if (context->at == at)
            return context;
    }
    struct context *context = adds ? tv_memory_take(&memory, sizeof(*context)) : NULL;
    if (!context)
        return NULL;
    *context = (struct context){.at = at, .next = *bucket};
    *bucket = context;
    return context;
}

/* What the calling thread records goes to the row of a context from here on; of number 0, to its
 * own. */
static void go_on_as(uint32_t number, uint64_t ticket)
{
    char name[NAME_CAP];
    current = number;
    if (!number)
        return;
    tv_carried_mount(ticket);
    if (ticket || !tv_carried_is_one())
        return; /* its row has its name, or nothing is recorded */
    (void)snprintf(name, sizeof(name), "context %u", (unsigned)number);
    tv_recorder_name_thread(name);
}

/* Is called before the stack is changed. `from` will be filled with the stack that is left; NULL:
 * with nothing. */
static void change(const ucontext_t *from, const ucontext_t *to)
{
    struct tv_cold cold;
    const uint64_t ticket = tv_carried_is_one() ? tv_carried_unmount() : 0;
    tv_cold_enter(&cold);
    const struct context *known = context_at(to, false);
    const uint32_t number = known ? known->number : 0;
    const uint64_t known_ticket = known ? known->ticket : 0;
    struct context *left = from ? context_at(from, true) : NULL;
    if (left) {
        left->number = current;
        left->ticket = ticket;
    }
    tv_cold_leave(&cold);
    go_on_as(number, known_ticket);
}

/* Runs on the stack of a context: all of it, from the program's function to the context's end. */
static void run_context(unsigned high, unsigned low)
{
    struct context *context;
    const uint64_t address = (uint64_t)high << 32 | low;
    void (*function)(long, long, long, long, long, long, long, long);
    memcpy(&context, &address, sizeof(context));
    memcpy(&function, &context->function, sizeof(function));
    const ucontext_t *link = context->link; /* the struct may be made anew meanwhile */
    const long *words = context->words;
    function(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]);
    tv_carried_end();
    struct tv_cold cold;
    tv_cold_enter(&cold);
    const struct context *known = link ? context_at(link, false) : NULL;
    const uint32_t number = known ? known->number : 0;
    const uint64_t ticket = known ? known->ticket : 0;
    tv_cold_leave(&cold);
    go_on_as(number, ticket);
}

/* Notes a context that is being made. NULL: there is no memory. */
static struct context *note(const ucontext_t *at, void (*function)(void), const long *words)
{
    struct tv_cold cold;
    tv_cold_enter(&cold);
    struct context *context = context_at(at, true);
    if (context) {
        context->ticket = 0;
        context->number = ++made_count;
        context->function = function;
        context->link = at->uc_link;
        memcpy(context->words, words, sizeof(context->words));
    }
    tv_cold_leave(&cold);
    return context;
}

TV_HOOKS_SHOWN void makecontext(ucontext_t *context, void (*function)(void), int count, ...)
{
    static tv_next_function found;
    void (*next)(ucontext_t *, void (*)(void), int, ...);
    long words[WORDS_PASSED] = {0};
    void (*entry)(void);
    void (*const own)(unsigned, unsigned) = run_context;
    va_list given;
    tv_find_next("makecontext", &found, &next);
    va_start(given, count);
    for (int i = 0; i < count && i < WORDS_PASSED; i++)
        words[i] = va_arg(given, long);
    va_end(given);
    const struct context *noted = count <= WORDS_MOST ? note(context, function, words) : NULL;
    const uint64_t address = (uintptr_t)noted;
    memcpy(&entry, &own, sizeof(entry));
    if (noted)
        next(context, entry, 2, (unsigned)(address >> 32), (unsigned)address);
    else
        next(context, function, count, words[0], words[1], words[2], words[3], words[4], words[5],
             words[6], words[7], words[8], words[9], words[10], words[11], words[12], words[13],
             words[14], words[15]);
}

TV_HOOKS_SHOWN int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    static tv_next_function found;
    int (*next)(ucontext_t *, const ucontext_t *);
    tv_find_next("swapcontext", &found, &next);
    change(from, to);
    return next(from, to);
}

TV_HOOKS_SHOWN int setcontext(const ucontext_t *to)
{
    static tv_next_function found;
    int (*next)(const ucontext_t *);
    tv_find_next("setcontext", &found, &next);
    change(NULL, to);
    return next(to);
}
