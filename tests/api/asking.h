/* A small trace behind an api, and questions to it. The trace is built once per test program. */
#ifndef TESTS_API_ASKING_H
#define TESTS_API_ASKING_H

#include <stdint.h>

#include "api/api.h"
#include "format/trace.h"

/*
 * Thread 1 "main" and thread 2 "worker", dual clock, microseconds (wall = CPU but for the worker,
 * which has no CPU):
 *
 *     main    0 foo 100        worker  10 baz 60
 *               10 bar 40
 *                 20 foo 30    (recursive)
 *               50 baz 90
 */
int asking_begin(void **state); /* of a group of tests, and its end */
int asking_end(void **state);
extern struct tv_api_trace asked_trace;
extern struct tv_api asked; /* of that trace */

/* The body of an answer, ended with NUL, until the next question; *status may be NULL. */
const char *ask(const char *route, const char *query, int *status);
size_t answer_len(void);
/* Fails the test unless the answer has the status, and its body has `part`. */
void expect(const char *route, const char *query, int status, const char *part);
uint8_t answer_u8(size_t at);
uint32_t answer_u32(size_t at);
float answer_f32(size_t at);
double answer_f64(size_t at);

#endif
