// A C++ program that records itself: throws NAME PLUGIN. Exceptions through several scopes, threads, and a library that
// is unloaded while tracing goes on. Prints what the trace must agree with, as calls.c does.
#include <dlfcn.h>

#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include <traceview/record.hpp>

static unsigned descend_calls, caught_calls, in_destructor_calls;

struct guard {
    ~guard()
    {
        TV_TRACE_SCOPE("guard::in_destructor"); // entered and left by return, while an exception is under way
        __atomic_fetch_add(&in_destructor_calls, 1, __ATOMIC_RELAXED);
    }
};

static void descend(int depth)
{
    TV_TRACE_SCOPE("descend");
    __atomic_fetch_add(&descend_calls, 1, __ATOMIC_RELAXED);
    guard on_the_way;
    if (depth == 0)
        throw std::runtime_error("the bottom");
    descend(depth - 1);
}

static void work()
{
    for (int i = 0; i < 200; i++) {
        TV_TRACE_SCOPE("catching");
        __atomic_fetch_add(&caught_calls, 1, __ATOMIC_RELAXED);
        try {
            descend(i % 10);
        } catch (const std::runtime_error &) {
        }
    }
}

int main(int, char **argv)
{
    if (tv_start_method_tracing(argv[1], 0, 0) != TV_TRACE_OK)
        return 1;
    void *plugin = dlopen(argv[2], RTLD_NOW);
    if (!plugin) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    reinterpret_cast<void (*)()>(dlsym(plugin, "plugged"))();
    dlclose(plugin);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work);
    for (auto &thread : threads)
        thread.join();
    if (tv_stop_method_tracing() != TV_TRACE_OK)
        return 1;
    std::printf("throws.descend %u\nthrows.catching %u\nguard.in_destructor %u\nplugin.plugged 1\n", descend_calls,
                caught_calls, in_destructor_calls);
}
