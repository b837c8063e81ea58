/*
 * Sleeps at places where threads hand something over: between them another thread may run, so that
 * a wrong order of two threads, which else shows once in a million times, shows within seconds.
 * Only the build option `random_sleeps` puts them in; else a call is nothing. Any thread.
 */
#ifndef TV_OS_RANDOM_SLEEP_H
#define TV_OS_RANDOM_SLEEP_H

#ifdef TV_RANDOM_SLEEPS
/* Mostly does nothing, sometimes sleeps a moment, and seldom long: up to 20 ms. */
void tv_random_sleep(void);
#else
#define tv_random_sleep() ((void)0)
#endif

#endif
