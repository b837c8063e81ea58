/*
 * The table of phases and moves; server/phase.h draws it.
 *
 * A state changes its phase only by a move, and which phase follows stands in one table, so that
 * every pair is decided and a test can go through all of them. A move that a phase does not have is
 * a mistake of the program (tv_assert).
 */
#include "server/phase.h"

#include "base/compiler.h"

/* Short names for the table's columns. NEVER is no phase: the move cannot be made. */
enum {
    IDLE = TV_PHASE_IDLE,
    FAILED = TV_PHASE_FAILED,
    WANTED = TV_PHASE_WANTED,
    LOADING = TV_PHASE_LOADING,
    SAVING = TV_PHASE_SAVING,
    CANCELLED = TV_PHASE_CANCELLED,
    REPLACED = TV_PHASE_REPLACED,
    ENDING = TV_PHASE_ENDING,
    ENDED = TV_PHASE_ENDED,
    NEVER,
};

/* The trace whose index is being saved may be replaced, cancelled or ended meanwhile, so `saved`
 * comes in those phases, too. */
/* clang-format off */
static const unsigned char phase_after[NEVER][TV_MOVE_SAVED + 1] = {
    /*              want      cancel     end     take     shown   failed  over    saved */
    [IDLE]      = { WANTED,   IDLE,      ENDED,  NEVER,   NEVER,  NEVER,  NEVER,  IDLE   },
    [FAILED]    = { WANTED,   FAILED,    ENDED,  NEVER,   NEVER,  NEVER,  NEVER,  NEVER  },
    [WANTED]    = { WANTED,   IDLE,      ENDED,  LOADING, NEVER,  NEVER,  NEVER,  WANTED },
    [LOADING]   = { REPLACED, CANCELLED, ENDING, NEVER,   SAVING, FAILED, NEVER,  NEVER  },
    [SAVING]    = { WANTED,   SAVING,    ENDED,  NEVER,   NEVER,  NEVER,  NEVER,  IDLE   },
    [CANCELLED] = { REPLACED, CANCELLED, ENDING, NEVER,   NEVER,  NEVER,  IDLE,   NEVER  },
    [REPLACED]  = { REPLACED, CANCELLED, ENDING, NEVER,   NEVER,  NEVER,  WANTED, NEVER  },
    [ENDING]    = { ENDING,   ENDING,    ENDING, NEVER,   NEVER,  NEVER,  ENDED,  NEVER  },
    [ENDED]     = { ENDED,    ENDED,     ENDED,  NEVER,   NEVER,  NEVER,  NEVER,  ENDED  },
};
/* clang-format on */

bool tv_phase_allows(enum tv_phase phase, enum tv_move move)
{
    return phase_after[phase][move] != NEVER;
}

enum tv_phase tv_phase_after(enum tv_phase phase, enum tv_move move)
{
    bool is_allowed = tv_phase_allows(phase, move);
    tv_assert(is_allowed);
    return is_allowed ? (enum tv_phase)phase_after[phase][move] : phase;
}

bool tv_phase_is_loading(enum tv_phase phase)
{
    return phase == TV_PHASE_WANTED || phase == TV_PHASE_LOADING || phase == TV_PHASE_REPLACED;
}

bool tv_phase_is_busy(enum tv_phase phase)
{
    return phase == TV_PHASE_LOADING || phase == TV_PHASE_CANCELLED || phase == TV_PHASE_REPLACED ||
           phase == TV_PHASE_ENDING;
}
