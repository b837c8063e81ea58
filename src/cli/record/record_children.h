/*
 * What a recorded program starts. Java virtual machines get the agent by JAVA_TOOL_OPTIONS, whoever
 * starts them: a shell, env, nice, ant, mvn. Programs that are compiled for the recorder, and the
 * children of a fork, have its library already, and are told by TV_HOOKS_PARTS. Each process writes
 * a file of its own from its first call on, and when the program has ended these are one stream
 * (record_join.h).
 */
#ifndef TV_CLI_RECORD_RECORD_CHILDREN_H
#define TV_CLI_RECORD_RECORD_CHILDREN_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/error.h"
#include "cli/record/record_run.h"

/* Whether what the program starts is recorded: where that is asked for (--children), and where the
 * program itself is no Java, and is sampled or has no hooks, so that nothing else could be
 * recorded. */
bool tv_record_children_are_recorded(const struct tv_record_run *recording);
/* Sets recording->parts, and makes a file of that name, which tells that what is recorded is waited
 * for: no process begins to record when it is gone. */
enum tv_code tv_record_children_await(struct tv_record_run *recording,
                                      struct tv_error *err) TV_MUST_CHECK;
void tv_record_children_await_no_more(struct tv_record_run *recording);
/* Sets recording->java_tool_options and what is needed later. Without an agent in this build
 * programs other than Java are recorded, which is no failure unless --classes asks for it. */
enum tv_code tv_record_children_prepare(struct tv_record_run *recording,
                                        struct tv_error *err) TV_MUST_CHECK;
/* Whether a process has the environment that tells it what the names of its files begin with. */
bool tv_record_children_is_told(const char *parts, pid_t pid);
/* Calls for each process that the program started and that records into a file of its own. */
void tv_record_children_each(struct tv_record_run *recording, void (*each)(void *ctx, pid_t pid),
                             void *ctx);
/* The recording's time is over: stops the processes, or their recording alone. */
void tv_record_children_stop(struct tv_record_run *recording);
/* Whether any of them has begun a file. */
bool tv_record_children_have_begun(const struct tv_record_run *recording);
/* Whether any of them has a file, when they have ended. */
bool tv_record_children_have_recorded(struct tv_record_run *recording);
/* Joins what they wrote with what the program itself wrote, and removes their files. */
enum tv_code tv_record_children_join(struct tv_record_run *recording,
                                     struct tv_error *err) TV_MUST_CHECK;

#endif
