/*
 * What becomes of the trace that was asked for last, in one word.
 *
 * Requests, the start of the program and its end make the moves want, cancel and end. The loader,
 * which is one thread, makes the others: it takes what is wanted, reads it, and saves its index.
 *
 *              want            take              shown            saved
 *     IDLE ----------> WANTED -------> LOADING --------> SAVING --------> IDLE
 *       ^    cancel     |  ^              |                 |
 *       +---------------+  |              | failed          | want
 *                          |    want      v                 |
 *                          +----------- FAILED              |
 *                          +--------------------------------+
 *
 * The loader cannot be stopped in the middle of a step. It learns between two steps that nobody
 * wants any more what it reads, and what it has read by then is over:
 *
 *              cancel               over
 *     LOADING ----------> CANCELLED ------> IDLE
 *        |                  |    ^
 *        | want        want |    | cancel
 *        v                  v    |   over
 *        +--------------> REPLACED -------> WANTED
 *
 * The move end leads from LOADING, CANCELLED and REPLACED to ENDING, where the loader still has
 * something in hand, and from there over to ENDED; from every other phase it leads to ENDED at
 * once. Nothing leaves ENDED.
 */
#ifndef TV_SERVER_PHASE_H
#define TV_SERVER_PHASE_H

#include <stdbool.h>

enum tv_phase {
    TV_PHASE_IDLE,      /* nothing is asked for */
    TV_PHASE_FAILED,    /* nothing is asked for, and what was asked for last could not be read */
    TV_PHASE_WANTED,    /* the loader has not taken it yet */
    TV_PHASE_LOADING,   /* the loader reads what is wanted */
    TV_PHASE_SAVING,    /* all of it is shown, and the loader saves its index */
    TV_PHASE_CANCELLED, /* the loader reads what nobody wants any more */
    TV_PHASE_REPLACED,  /* the same, and something else is wanted */
    TV_PHASE_ENDING,    /* the program ends, and the loader still reads */
    TV_PHASE_ENDED,     /* the program ends, and the loader takes nothing more */
};

enum tv_move {
    TV_MOVE_WANT,
    TV_MOVE_CANCEL,
    TV_MOVE_END,
    TV_MOVE_TAKE,
    TV_MOVE_SHOWN,  /* the loader has shown the whole trace */
    TV_MOVE_FAILED, /* the loader could not read it */
    TV_MOVE_OVER,   /* the loader stopped reading it */
    TV_MOVE_SAVED,  /* the loader has saved the index, or stopped saving it */
};

/* Whether the move can be made in that phase. A request may come at any time, so its moves always
 * can; a move of the loader that cannot is a mistake of ours. */
bool tv_phase_allows(enum tv_phase phase, enum tv_move move);
/* The phase after a move that can be made. */
enum tv_phase tv_phase_after(enum tv_phase phase, enum tv_move move);

/* Whether a trace is on its way. */
bool tv_phase_is_loading(enum tv_phase phase);
/* Whether the loader reads, wanted or not. */
bool tv_phase_is_busy(enum tv_phase phase);

#endif
