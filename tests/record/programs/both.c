/* A program with scopes, compiled with -finstrument-functions, as C and as C++. */
#include <stdio.h>

#ifdef __cplusplus
#include <traceview/record.hpp>
#else
#include <traceview/record.h>
#endif

static void step(void)
{
    /* clang-format off */
    TV_TRACE_SCOPE("own.scope"); TV_TRACE_SCOPE("own.inner");
    /* clang-format on */
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        step();
    printf("own.scope 10\nown.inner 10\nboth.step 10\nboth.main 1\n");
    return 0;
}
