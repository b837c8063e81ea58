/* Stacks that a program changes between: contexts that take turns in two threads, some of which end
 * and some of which are left. Prints what each row of the trace is to have. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define CONTEXTS 5
#define STACK 65536

struct team {
    ucontext_t own, of[CONTEXTS];
    int turns;
};

static volatile long sum;

static void leaf(int n)
{
    sum += n;
}

static void go(struct team *team, int me, int to)
{
    leaf(me);
    if (to < 0)
        swapcontext(&team->of[me], &team->own);
    else
        swapcontext(&team->of[me], &team->of[to]);
    leaf(me);
}

/* Each but the last goes on to the next; the last one back to the thread. `deep` has calls of its
 * own open at each change. */
static void deep(struct team *team, int me, int levels)
{
    if (levels)
        deep(team, me, levels - 1);
    else
        go(team, me, me + 1 < CONTEXTS ? me + 1 : -1);
}

static void body(unsigned high, unsigned low, int me)
{
    struct team *team = (struct team *)((unsigned long)high << 32 | low);
    for (int i = 0; i < team->turns; i++)
        deep(team, me, me);
}

static void make(struct team *team, int me)
{
    unsigned long at = (unsigned long)team;
    getcontext(&team->of[me]);
    team->of[me].uc_stack.ss_sp = malloc(STACK);
    team->of[me].uc_stack.ss_size = STACK;
    team->of[me].uc_link = &team->own;
    makecontext(&team->of[me], (void (*)(void))body, 3, (unsigned)(at >> 32), (unsigned)at, me);
}

static void *play(void *turns)
{
    struct team *team = calloc(1, sizeof(*team));
    team->turns = *(int *)turns;
    for (int i = 0; i < CONTEXTS; i++)
        make(team, i);
    for (int i = 0; i <= team->turns; i++) {
        leaf(i);
        swapcontext(&team->own, &team->of[0]); /* the last time context 0 ends, and comes back */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t thread;
    pthread_create(&thread, NULL, play, &turns);
    pthread_join(thread, NULL);
    play(&turns);
    return 0;
}
