/* What host.c starts tracing by. */
#include <traceview/record.h>

int start(const char *name);

int start(const char *name)
{
    return tv_start_method_tracing(name, 0, 0);
}
