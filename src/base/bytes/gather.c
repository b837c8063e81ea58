/*
 * Whether the processor gathers bits quickly; see base/bytes/gather.h.
 *
 * BMI2 has the instruction. Processors of AMD before Zen 3 (family 19h) have it too, but take up to
 * hundreds of cycles for it. Of other makers than these two nothing is known, so they are not
 * asked.
 */
#include "base/bytes/gather.h"

#ifdef __x86_64__
#include <cpuid.h>

#define BMI1 (1u << 3)
#define BMI2 (1u << 8)
#define ZEN_3 0x19u

/* The family of the processor: that of its base, and what is added where the base has no room. */
static unsigned family_of(unsigned signature)
{
    unsigned base = signature >> 8 & 15;
    return base == 15 ? base + (signature >> 20 & 255) : base;
}

bool tv_gather_is_quick(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return false;
    const bool is_intel = c == signature_INTEL_ecx;
    const bool is_amd = c == signature_AMD_ecx;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & (BMI1 | BMI2)) != (BMI1 | BMI2))
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) && (is_intel || (is_amd && family_of(a) >= ZEN_3));
}
#endif
