/*
 * Jumps over open calls: setjmp() and longjmp() of an instrumented program come here first. For the
 * last PLACES jump buffers that a thread has set, the number of open calls is kept; a longjmp() to
 * one of them closes the calls that it passes over. For a jump buffer that has fallen out of the
 * table, the calls are closed when a function below them ends (calls.h).
 *
 * setjmp() returns into its caller's frame a second time, so no function in C may stand between: a
 * few instructions note the place, and go on to the C library's setjmp() with the stack as it was.
 */
#if defined(__x86_64__)

/* With _FORTIFY_SOURCE the C library's header would give longjmp() the name of __longjmp_chk(). */
#undef _FORTIFY_SOURCE

#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "record/hooks.h"
#include "record/next_function.h"

#define PLACES 64u

struct place {
    const void *jump;
    uint32_t depth;
};

static _Thread_local struct place places[PLACES] __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned next_place __attribute__((tls_model("initial-exec")));

/* The C library's function, found by the name that the program called. */
typedef void (*jump_function)(void);
jump_function tv_jumps_note(const void *jump, const char *name);
TV_NOINLINE static void jump_by(const char *name, void *jump, int value) __attribute__((noreturn));

static jump_function find_next(const char *name)
{
    static const char *const names[] = {"_setjmp", "setjmp", "__sigsetjmp"};
    static tv_next_function found[TV_COUNT_OF(names)];
    jump_function next;
    size_t at = 0;
    while (strcmp(names[at], name) != 0)
        at++;
    tv_find_next(name, &found[at], &next);
    return next;
}

jump_function tv_jumps_note(const void *jump, const char *name)
{
    unsigned at = 0;
    while (at < PLACES && places[at].jump != jump)
        at++;
    if (at == PLACES)
        at = next_place++ % PLACES;
    places[at] = (struct place){jump, tv_hooks_depth()};
    return find_next(name);
}

/* rdi is the jump buffer, esi the second argument that __sigsetjmp alone has; both are kept for the
 * C library's function. On entry the stack is 8 bytes off a multiple of 16: two words and 8 bytes
 * more align it for the call. */
#define SET_JUMP(symbol)                                                                           \
    __asm__(".text\n"                                                                              \
            ".globl " symbol "\n"                                                                  \
            ".type " symbol ", @function\n" symbol ":\n"                                           \
            "    endbr64\n"                                                                        \
            "    push %rdi\n"                                                                      \
            "    push %rsi\n"                                                                      \
            "    sub $8, %rsp\n"                                                                   \
            "    lea 1f(%rip), %rsi\n"                                                             \
            "    call tv_jumps_note\n"                                                             \
            "    add $8, %rsp\n"                                                                   \
            "    pop %rsi\n"                                                                       \
            "    pop %rdi\n"                                                                       \
            "    jmp *%rax\n"                                                                      \
            ".size " symbol ", . - " symbol "\n"                                                   \
            ".section .rodata\n"                                                                   \
            "1:  .asciz \"" symbol "\"\n"                                                          \
            ".text\n")

SET_JUMP("_setjmp");
SET_JUMP("setjmp");
SET_JUMP("__sigsetjmp");

static void jump_by(const char *name, void *jump, int value)
{
    void (*next)(void *, int);
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].jump == jump)
            tv_hooks_unwind(places[i].depth);
    }
    tv_find_next(name, NULL, &next);
    next(jump, value);
    __builtin_unreachable();
}

TV_HOOKS_SHOWN void __longjmp_chk(jmp_buf jump, int value) __attribute__((noreturn));

TV_HOOKS_SHOWN void longjmp(jmp_buf jump, int value)
{
    jump_by("longjmp", jump, value);
}

TV_HOOKS_SHOWN void _longjmp(jmp_buf jump, int value)
{
    jump_by("_longjmp", jump, value);
}

TV_HOOKS_SHOWN void siglongjmp(sigjmp_buf jump, int value)
{
    jump_by("siglongjmp", jump, value);
}

void __longjmp_chk(jmp_buf jump, int value)
{
    jump_by("__longjmp_chk", jump, value);
}

#endif
