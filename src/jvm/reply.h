/*
 * What the agent answers to who attaches: `traceview record` tells it as text, since what the agent
 * itself says goes to where the program's standard error goes.
 */
#ifndef TV_JVM_REPLY_H
#define TV_JVM_REPLY_H

#define TV_JVM_REPLIES(X)                                                                          \
    X(DONE, 0, "")                                                                                 \
    X(BAD_OPTION, 100, "it was told an option that it does not know")                              \
    X(NO_JVMTI, 101, "this virtual machine has no JVMTI")                                          \
    X(IN_PROGRESS, 102, "it is being recorded already")                                            \
    X(NOT_STARTED, 103, "it is not being recorded")                                                \
    X(CANNOT_OPEN, 104, "it cannot write there")                                                   \
    X(CANNOT_WRITE, 105, "the trace could not be written")                                         \
    X(NO_MEMORY, 106, "it has no memory for the trace buffer")                                     \
    X(NO_WAY, 107, "its methods cannot be seen: it said why on its standard error")

enum tv_jvm_reply {
#define X(name, value, text) TV_JVM_REPLY_##name = (value),
    TV_JVM_REPLIES(X)
#undef X
};

#endif
