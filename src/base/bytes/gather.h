/*
 * Gathering the bits of a number under a mask at its low end, by one instruction where the
 * processor has a quick one: PEXT of x86-64. Callers keep a second loop for other processors.
 */
#ifndef TV_BASE_BYTES_GATHER_H
#define TV_BASE_BYTES_GATHER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#ifdef __x86_64__
#define TV_HAS_GATHER 1
/* Marks a function that calls tv_gather_bits: the compiler may use BMI1 and BMI2 in it. */
#define TV_GATHERS __attribute__((target("bmi,bmi2")))
/* Whether tv_gather_bits may be called, and is quick. Asking takes as long as a thousand records,
 * since in a virtual machine the host answers CPUID. */
bool tv_gather_is_quick(void);
#else
#define TV_HAS_GATHER 0
#define TV_GATHERS
TV_INLINE bool tv_gather_is_quick(void)
{
    return false;
}
#endif

/* The bits of `bits` under those of `mask`, side by side from bit 0 on. */
TV_INLINE uint64_t tv_gather_bits(uint64_t bits, uint64_t mask)
{
#ifdef __x86_64__
    /* The compiler's own name of the instruction is not used: an inline function without TV_GATHERS
     * cannot call it. */
    uint64_t gathered;
    __asm__("pextq %2, %1, %0" : "=r"(gathered) : "r"(bits), "rm"(mask));
    return gathered;
#else
    uint64_t gathered = 0;
    for (unsigned at = 0; mask; mask &= mask - 1)
        gathered |= (bits >> __builtin_ctzll(mask) & 1) << at++;
    return gathered;
#endif
}

/* Of each of 64 bytes its bit `bit`, side by side from bit 0 on. */
TV_INLINE uint64_t tv_gather_bits_of_64(const uint8_t *bytes, unsigned bit)
{
    uint64_t gathered = 0;
#ifdef __x86_64__
    typedef char bytes16 __attribute__((vector_size(16)));
    typedef uint16_t words8 __attribute__((vector_size(16)));
    for (unsigned i = 0; i < 64; i += 16) {
        words8 words;
        memcpy(&words, bytes + i, sizeof(words));
        words <<= (uint16_t)(7 - bit);
        gathered |= (uint64_t)(uint16_t)__builtin_ia32_pmovmskb128((bytes16)words) << i;
    }
#else
    for (unsigned i = 0; i < 64; i++)
        gathered |= (uint64_t)(bytes[i] >> bit & 1) << i;
#endif
    return gathered;
}

#endif
