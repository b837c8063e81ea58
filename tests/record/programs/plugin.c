/* A library with a scope of its own, to be unloaded. */
#include <traceview/record.h>

void plugged(void);

void plugged(void)
{
    TV_TRACE_SCOPE("plugged");
}
