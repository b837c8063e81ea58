/*
 * Jumps over open calls: setjmp() and longjmp() of an instrumented program come here first. For the
 * last PLACES jump buffers that a thread has set, the number of open calls is kept; a longjmp() to
 * one of them closes the calls that it passes over. For a jump buffer that has fallen out of the
 * table, the calls are closed when a function below them ends (calls.h).
 *
 * setjmp() returns into its caller's frame a second time, so no function in C may stand between: a
 * few instructions note the place, and go on to the C library's setjmp() with the stack as it was.
 *
 * Where a program is linked statically, nothing can stand before the C library's functions but what
 * its linker is told to take in their place (--wrap).
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
#include "record/calls.h"
#include "record/hooks.h"
#include "record/next_function.h"

#define PLACES 64u

struct jump_place {
    const void *jump;
    struct tv_calls_place calls;
};

static _Thread_local struct jump_place places[PLACES] __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned next_place __attribute__((tls_model("initial-exec")));

/* The C library's function, found by the name that the program called. */
typedef void (*jump_function)(void);
jump_function tv_jumps_note(const void *jump, const char *name);
TV_NOINLINE static void jump_by(const char *name, void *jump, int value) __attribute__((noreturn));

static const char *const names[] = {"_setjmp",  "setjmp",     "__sigsetjmp",  "longjmp",
                                    "_longjmp", "siglongjmp", "__longjmp_chk"};

static size_t index_of(const char *name)
{
    size_t at = 0;
    while (strcmp(names[at], name) != 0)
        at++;
    return at;
}

#ifdef TV_HOOKS_STATIC

/* What the linker makes of a name, and of the C library's function. */
#define PREFIX "__wrap_"
#define STANDING(name) __wrap_##name
void __real__setjmp(void);
void __real_setjmp(void);
void __real___sigsetjmp(void);
void __real_longjmp(void);
void __real__longjmp(void);
void __real_siglongjmp(void);
void __real___longjmp_chk(void);

static jump_function find_next(const char *name)
{
    static const jump_function found[] = {__real__setjmp,      __real_setjmp,   __real___sigsetjmp,
                                          __real_longjmp,      __real__longjmp, __real_siglongjmp,
                                          __real___longjmp_chk};
    return found[index_of(name)];
}

#else

#define PREFIX ""
#define STANDING(name) name

static tv_next_function found[TV_COUNT_OF(names)];

/* At the start: a handler that jumps away from dlsym() would leave a lock of the loader locked. */
__attribute__((constructor)) static void find_all(void)
{
    void *next;
    for (size_t at = 0; at < TV_COUNT_OF(names); at++)
        tv_find_next(names[at], &found[at], &next);
}

static jump_function find_next(const char *name)
{
    jump_function next;
    tv_find_next(name, &found[index_of(name)], &next);
    return next;
}

#endif

jump_function tv_jumps_note(const void *jump, const char *name)
{
    unsigned at = 0;
    while (at < PLACES && places[at].jump != jump)
        at++;
    if (at == PLACES)
        at = next_place++ % PLACES;
    places[at].jump = NULL; /* a handler's jump may come in between */
    atomic_signal_fence(memory_order_seq_cst);
    places[at].calls = tv_calls_place();
    atomic_signal_fence(memory_order_seq_cst);
    places[at].jump = jump;
    return find_next(name);
}

/* rdi is the jump buffer, esi the second argument that __sigsetjmp alone has; both are kept for the
 * C library's function. On entry the stack is 8 bytes off a multiple of 16: two words and 8 bytes
 * more align it for the call. */
#define SET_JUMP(symbol)                                                                           \
    __asm__(".text\n"                                                                              \
            ".globl " PREFIX symbol "\n"                                                           \
            ".type " PREFIX symbol ", @function\n" PREFIX symbol ":\n"                             \
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
            ".size " PREFIX symbol ", . - " PREFIX symbol "\n"                                     \
            ".section .rodata\n"                                                                   \
            "1:  .asciz \"" symbol "\"\n"                                                          \
            ".text\n")

SET_JUMP("_setjmp");
SET_JUMP("setjmp");
SET_JUMP("__sigsetjmp");

static void jump_by(const char *name, void *jump, int value)
{
    const jump_function found_next = find_next(name);
    void (*next)(void *, int);
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].jump == jump)
            tv_calls_jump(&places[i].calls);
    }
    memcpy(&next, &found_next, sizeof(next));
    next(jump, value);
    __builtin_unreachable();
}

TV_HOOKS_SHOWN void STANDING(longjmp)(jmp_buf jump, int value) __attribute__((noreturn));
TV_HOOKS_SHOWN void STANDING(_longjmp)(jmp_buf jump, int value) __attribute__((noreturn));
TV_HOOKS_SHOWN void STANDING(siglongjmp)(sigjmp_buf jump, int value) __attribute__((noreturn));
TV_HOOKS_SHOWN void STANDING(__longjmp_chk)(jmp_buf jump, int value) __attribute__((noreturn));

void STANDING(longjmp)(jmp_buf jump, int value)
{
    jump_by("longjmp", jump, value);
}

void STANDING(_longjmp)(jmp_buf jump, int value)
{
    jump_by("_longjmp", jump, value);
}

void STANDING(siglongjmp)(sigjmp_buf jump, int value)
{
    jump_by("siglongjmp", jump, value);
}

void STANDING(__longjmp_chk)(jmp_buf jump, int value)
{
    jump_by("__longjmp_chk", jump, value);
}

#endif
