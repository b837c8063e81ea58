/*
 * A request and its answer as the parts of the server know them, from the callbacks of
 * libmicrohttpd, in the order in which a request meets them: begin, handle (once for the headers,
 * once for each piece of the body, once for the end), end.
 *
 * The library calls those of one connection on one thread. A callback that blocks stalls every
 * connection of that thread, so a slow request goes through stage WAITING: its connection is
 * suspended, a worker makes the answer (http/request_workers.h) and resumes the connection, and the
 * library calls handle again to send it. A service that needs its store before it takes a body is
 * asked in the same manner, in stage OPENING. Pieces of a body go to their sink on threads of their
 * own (http/body_writers.h), files are read by others (http/file_source.h), and what is left to be
 * done when a request ends is a worker's. In builds with assertions, waiting for a store on a
 * thread of the library ends the program (os/waits.h). Between suspend and resume the exchange
 * belongs to the worker alone, so its fields need no lock, but for those of the body.
 *
 * An exchange may outlive its connection, while a piece of its body is still written. Of a request
 * with a body the headers are copied for that, since the library's go with the connection.
 */
#ifndef TV_HTTP_EXCHANGE_H
#define TV_HTTP_EXCHANGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <microhttpd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/memory/buffer.h"
#include "http/answer_queue.h"
#include "http/body_writers.h"
#include "http/connection_table.h"
#include "http/file_source.h"
#include "http/httpd.h"
#include "http/lingering_close.h"
#include "http/service.h"
#include "os/waits.h"

/* Threads: for short answers, for long ones, and one for what requests leave to be done. */
#define TV_HTTPD_THREADS_MOST (2 * TV_HTTPD_WORKERS_MOST + 1)

struct tv_body_sender;

enum tv_exchange_stage {
    TV_EXCHANGE_NEW,      /* the first line has come */
    TV_EXCHANGE_OPENING,  /* a worker asks the service where the body goes */
    TV_EXCHANGE_OPENED,   /* the service has said so */
    TV_EXCHANGE_READING,  /* the headers have come, and the body comes */
    TV_EXCHANGE_WAITING,  /* a worker makes the answer */
    TV_EXCHANGE_ANSWERED, /* the answer is to be sent */
};

/* One request and its answer. */
struct tv_exchange {
    struct tv_httpd *httpd;
    struct MHD_Connection *connection;
    struct tv_connection_entry *entry; /* NULL: its connection is closed already */
    enum tv_exchange_stage stage;
    enum tv_http_take take;
    bool was_begun; /* the service was told of the exchange */
    bool has_nul;   /* a header has a NUL in it */
    struct tv_http_body_sink body_sink;
    struct tv_body_write write; /* of a body that goes to a sink */
    struct tv_http_request request;
    struct tv_http_response response;
    struct tv_buffer target; /* the bytes that request.target views */
    struct tv_buffer body;   /* those of request.body */
    struct tv_buffer texts;  /* of request.fields, where a body follows */
    char peer[INET6_ADDRSTRLEN];
    struct tv_http_field *fields;
    size_t field_cap;
    struct tv_body_sender *sender; /* of the response's source, until the library has it */
    struct tv_answer answer;       /* in the queue of the workers */
    struct tv_buffer begun_fields; /* the response's headers when the queue got the request */
    int status;                    /* of the answer that the library has; 0: it has none */
    bool was_whole;                /* the library has sent all of it */
    uint64_t sent;
    uint64_t begun_ns;
    struct tv_waits waits; /* for whom its threads have waited */
};

struct tv_web_socket;

/* Those that are open (http/web_sockets.h). */
struct tv_web_sockets {
    struct tv_web_socket *open;   /* of the thread that ticks */
    pthread_mutex_t lock;         /* guards all below */
    struct tv_web_socket *coming; /* that no tick has met yet */
    bool is_ended;
};

/* The server, which all its parts share. */
struct tv_httpd {
    const struct tv_alloc *alloc;
    const struct tv_http_service *service;
    struct tv_httpd_settings settings;
    struct MHD_Daemon *daemon;
    struct tv_connection_table connections;
    struct tv_lingering_close lingering;
    struct tv_web_sockets web_sockets;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t job_came;
    struct tv_answer_queue answers;
    uint64_t late;                   /* answers that took too long */
    struct tv_http_rest *first_rest; /* what requests left to be done, in the order of their ends */
    struct tv_http_rest *last_rest;
    bool does_rest;                 /* a worker does one; the others stay free for questions */
    struct tv_body_sender *senders; /* the last that was begun first */
    unsigned under_way;             /* requests that the service knows of and that are not over */
    bool is_stopping;               /* no more requests are begun */
    bool is_ending;                 /* no more requests are answered */
    pthread_t workers[TV_HTTPD_THREADS_MOST];
    unsigned worker_count;
    pthread_t watcher; /* looks after the answers that are made (http/answer_watch.h) */
    bool has_watcher;
    pthread_cond_t watched;         /* there is something to look after, or the server ends */
    struct tv_body_writers writers; /* with a lock of their own */
    struct tv_file_readers readers; /* the same */
};

/* The exchange that has the answer in it. */
TV_INLINE struct tv_exchange *tv_exchange_of_answer(struct tv_answer *answer)
{
    return (struct tv_exchange *)(void *)((char *)answer - offsetof(struct tv_exchange, answer));
}

/* The callbacks. Begin returns the exchange, which the library passes to the others as *con_cls;
 * NULL, when memory runs out, makes handle close the connection. */
void *tv_exchange_begin(void *cls, const char *uri, struct MHD_Connection *connection);
enum MHD_Result tv_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *upload,
                                   size_t *upload_len, void **con_cls);
void tv_exchange_end(void *cls, struct MHD_Connection *connection, void **con_cls,
                     enum MHD_RequestTerminationCode why);

/* Ends an exchange whose connection is gone: tells the service, and frees it. */
void tv_exchange_finish(struct tv_exchange *exchange);

/* Has a body refused that is announced to be longer than the service takes. */
void tv_exchange_refuse_long(struct tv_exchange *exchange);

/* Takes back what an answer has added to the response's headers, or set anew. */
void tv_exchange_restore_fields(struct tv_exchange *exchange);

/* Tells the table of connections what the connection does from now on. */
void tv_exchange_enter(const struct tv_exchange *exchange, enum tv_connection_entry_state state);

#endif
