/*
 * A virtual machine for tests: the functions of JVMTI and JNI that the agent's code under test
 * calls, over one class with one method and threads that are numbers. It counts what it was asked
 * for and which global references are held. One thread at a time.
 */
#ifndef TESTS_JVM_FAKE_MACHINE_H
#define TESTS_JVM_FAKE_MACHINE_H

#include <jvmti.h>
#include <stdint.h>

#define FAKE_THREADS 4u

struct fake_machine {
    unsigned asked_for_methods; /* times that somebody asked which class a method is of */
    int references;             /* global ones that are held */
    jint frames;                /* of each thread's stack */
    void *storage[FAKE_THREADS];
};

extern struct fake_machine fake_machine;

/* Makes it the agent's virtual machine, as a new one. */
void fake_machine_begin(void);
/* Of JNI, for calls of the agent's functions. */
JNIEnv *fake_machine_env(void);
/* A thread, by a number below FAKE_THREADS. */
jthread fake_machine_thread(unsigned number);
/* The one method, app.Work.run()V. */
jmethodID fake_machine_method(void);

#endif
