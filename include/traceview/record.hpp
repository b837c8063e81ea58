/*
 * Method tracing for C++: traceview/record.h, with scopes that end by themselves. A scope that an
 * exception leaves is marked as such in the trace. Compiles as C++11; with C++17 or later, a scope
 * that is entered and left while another exception is under way is told from one that is left by
 * its own.
 */
#ifndef TRACEVIEW_RECORD_HPP
#define TRACEVIEW_RECORD_HPP

#include <exception>

#include "traceview/record.h"

namespace traceview
{

/* How many exceptions are on their way up in this thread. */
TV_TRACE_UNSEEN_ inline int exceptions_under_way() noexcept
{
#if defined(__cpp_lib_uncaught_exceptions)
    return std::uncaught_exceptions();
#else
    return std::uncaught_exception() ? 1 : 0;
#endif
}

/* A call of a method, as long as the object lives. To be made on the stack. */
class scope
{
  public:
    TV_TRACE_UNSEEN_ explicit scope(struct tv_method &method) noexcept
        : call_(tv_method_enter(&method)), exceptions_(call_ ? exceptions_under_way() : 0)
    {
    }

    TV_TRACE_UNSEEN_ ~scope()
    {
        if (!call_)
            return;
        if (exceptions_under_way() > exceptions_)
            tv_method_unwind(call_);
        else
            tv_method_exit(call_);
    }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    unsigned call_;
    int exceptions_;
};

} // namespace traceview

#define TV_TRACE_JOIN_(a, b) a##b
#define TV_TRACE_JOIN(a, b) TV_TRACE_JOIN_(a, b)

/* A call from here to the end of the block. The name must be a string literal. */
#define TV_TRACE_SCOPE(name) TV_TRACE_SCOPE_(name, __COUNTER__)
#define TV_TRACE_SCOPE_(name, number)                                                              \
    static struct tv_method TV_TRACE_JOIN(tv_method_at_, number) = TV_METHOD("" name);             \
    const ::traceview::scope TV_TRACE_JOIN(tv_call_at_,                                            \
                                           number)(TV_TRACE_JOIN(tv_method_at_, number))

#endif
