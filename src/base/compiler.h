/* What C17 lacks and gcc and clang both have; the only place for extensions. */
#ifndef TV_BASE_COMPILER_H
#define TV_BASE_COMPILER_H

#include <stdint.h>

#define TV_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))
#define TV_MUST_CHECK __attribute__((warn_unused_result))
#define TV_INLINE static inline __attribute__((always_inline))
#define TV_NOINLINE __attribute__((noinline))
#define TV_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TV_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define TV_PREFETCH(address) __builtin_prefetch(address)
#define TV_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
#define TV_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Four numbers in one register; operators work lane by lane, comparisons give 0 or all ones. */
typedef uint32_t tv_u32x4 __attribute__((vector_size(16)));
typedef int32_t tv_i32x4 __attribute__((vector_size(16)));
typedef uint64_t tv_u64x2 __attribute__((vector_size(16)));
/* Lanes of two registers, by ordinal: those of b count on from those of a. */
#define TV_LANES(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* States what only our own bug can break; never looks at input. */
#ifdef TV_ASSERTS
#define tv_assert(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define tv_assert(condition) ((void)sizeof((condition) ? 1 : 0)) /* not evaluated */
#endif

#endif
