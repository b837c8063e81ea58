/* The functions of libpq, PostgreSQL's client library, which is loaded when it is first used: the
 * program runs where it is not installed. Any thread. */
#ifndef TV_POSTGRES_LIBPQ_H
#define TV_POSTGRES_LIBPQ_H

#include <libpq-fe.h>

#include "base/compiler.h"
#include "base/error.h"

/* X(result, name, arguments) */
#define TV_LIBPQ_FUNCTIONS(X)                                                                      \
    X(PQconninfoOption *, PQconninfoParse, (const char *, char **))                                \
    X(void, PQconninfoFree, (PQconninfoOption *))                                                  \
    X(void, PQfreemem, (void *))                                                                   \
    X(PGconn *, PQconnectStartParams, (const char *const *, const char *const *, int))             \
    X(PostgresPollingStatusType, PQconnectPoll, (PGconn *))                                        \
    X(ConnStatusType, PQstatus, (const PGconn *))                                                  \
    X(char *, PQerrorMessage, (const PGconn *))                                                    \
    X(int, PQserverVersion, (const PGconn *))                                                      \
    X(int, PQsocket, (const PGconn *))                                                             \
    X(void, PQfinish, (PGconn *))                                                                  \
    X(int, PQsetnonblocking, (PGconn *, int))                                                      \
    X(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *, PQnoticeProcessor, void *))              \
    X(int, PQsendQuery, (PGconn *, const char *))                                                  \
    X(int, PQsendPrepare, (PGconn *, const char *, const char *, int, const Oid *))                \
    X(int, PQsendQueryPrepared,                                                                    \
      (PGconn *, const char *, int, const char *const *, const int *, const int *, int))           \
    X(int, PQflush, (PGconn *))                                                                    \
    X(int, PQconsumeInput, (PGconn *))                                                             \
    X(int, PQisBusy, (PGconn *))                                                                   \
    X(PGresult *, PQgetResult, (PGconn *))                                                         \
    X(PGnotify *, PQnotifies, (PGconn *))                                                          \
    X(ExecStatusType, PQresultStatus, (const PGresult *))                                          \
    X(char *, PQresultErrorField, (const PGresult *, int))                                         \
    X(void, PQclear, (PGresult *))                                                                 \
    X(int, PQntuples, (const PGresult *))                                                          \
    X(char *, PQcmdTuples, (PGresult *))                                                           \
    X(char *, PQgetvalue, (const PGresult *, int, int))                                            \
    X(int, PQgetlength, (const PGresult *, int, int))

#define TV_LIBPQ_FIELD(result, name, arguments) result(*at_##name) arguments;
struct tv_libpq {
    TV_LIBPQ_FUNCTIONS(TV_LIBPQ_FIELD)
};
#undef TV_LIBPQ_FIELD

/* TV_ERR_UNSUPPORTED: it is not installed, or too old. It stays loaded. */
enum tv_code tv_libpq_load(struct tv_libpq *libpq, struct tv_error *err) TV_MUST_CHECK;

#endif
