/*
 * The watcher; see http/answer_watch.h.
 *
 * It sleeps while no request waits or is answered, and else looks every LOOK_NS, under the server's
 * lock. An exchange in one of the lists of the queue has a suspended connection, so its socket is
 * open: whoever makes the answer takes the exchange out of the list, under the lock, before the
 * connection is resumed. A request that waits in vain is taken out and resumed by the watcher
 * itself.
 */
#include "http/answer_watch.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/compiler.h"
#include "http/request_workers.h"
#include "os/clock.h"
#include "os/memory/fault.h"
#include "os/network/peer.h"
#include "os/random_sleep.h"

/* Short against TV_ANSWER_LONG_NS, and seldom enough to cost nothing. */
#define LOOK_NS 10000000
/* Looking whether a client has gone takes a system call, so only one look in this many does. */
#define LOOKS_UNTIL_CLIENTS 5u
/* When to come again, in seconds: a question that took too long will do so again, unless the site
 * was busy. */
#define RETRY_AFTER "10"

bool tv_answer_is_for_nobody(const struct tv_exchange *exchange)
{
    return exchange->answer.may_be_cut && tv_peer_has_gone(exchange->request.connection);
}

void tv_answer_refuse(struct tv_exchange *exchange, enum tv_answer_cut why)
{
    const struct tv_http_service *service = exchange->httpd->service;
    struct tv_http_response *response = &exchange->response;
    char text[128] = "the server ends";
    if (why == TV_ANSWER_GONE)
        (void)snprintf(text, sizeof(text), "the client has gone");
    else if (why != TV_ANSWER_STOPPED)
        (void)snprintf(text, sizeof(text),
                       "the answer took longer than %u s: ask for less, or later",
                       exchange->httpd->settings.answer_s);
    tv_http_drop_body(response);
    tv_exchange_restore_fields(exchange);
    if (service->refuse)
        service->refuse(service->ctx, &exchange->request, 503, text, response);
    else
        tv_http_refuse(response, 503, text);
    tv_http_set(response, "Retry-After", RETRY_AFTER);
    exchange->stage = TV_EXCHANGE_ANSWERED;
}

/* Cuts answers that are made for clients that have gone. */
static void cut_for_nobody(struct tv_httpd *httpd)
{
    for (struct tv_answer *answer = httpd->answers.running.first; answer; answer = answer->next) {
        if (answer->is_long && tv_answer_is_for_nobody(tv_exchange_of_answer(answer)))
            tv_answer_cut(answer, TV_ANSWER_GONE);
    }
}

/* Takes a request out of the queue that waits in vain, and says why; NULL: there is none. */
static struct tv_exchange *take_vain(struct tv_httpd *httpd, bool with_clients, uint64_t now_ns,
                                     enum tv_answer_cut *why)
{
    for (struct tv_answer *answer = httpd->answers.waiting.first; answer; answer = answer->next) {
        struct tv_exchange *exchange = tv_exchange_of_answer(answer);
        bool is_late = tv_answer_is_late(answer, now_ns);
        if (!is_late && !(with_clients && tv_answer_is_for_nobody(exchange)))
            continue;
        *why = is_late ? TV_ANSWER_LATE : TV_ANSWER_GONE;
        httpd->late += is_late;
        tv_answer_queue_drop(&httpd->answers, answer);
        return exchange;
    }
    return NULL;
}

/* Refuses all requests that wait in vain. Called with the lock held, which is released meanwhile.
 */
static void refuse_vain(struct tv_httpd *httpd, bool with_clients)
{
    const uint64_t now_ns = tv_now_ns();
    enum tv_answer_cut why = TV_ANSWER_LATE;
    struct tv_exchange *exchange;
    while ((exchange = take_vain(httpd, with_clients, now_ns, &why))) {
        pthread_mutex_unlock(&httpd->lock);
        tv_random_sleep();
        tv_answer_refuse(exchange, why);
        MHD_resume_connection(exchange->connection);
        pthread_mutex_lock(&httpd->lock);
    }
}

static void *watch(void *arg)
{
    struct tv_httpd *httpd = arg;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    pthread_mutex_lock(&httpd->lock);
    for (unsigned look = 0; !httpd->is_ending; look++) {
        const struct tv_answer_queue *answers = &httpd->answers;
        if (!answers->running.count && !answers->waiting.count) {
            pthread_cond_wait(&httpd->watched, &httpd->lock);
            continue;
        }
        pthread_mutex_unlock(&httpd->lock);
        (void)nanosleep(&pause, NULL);
        pthread_mutex_lock(&httpd->lock);
        bool with_clients = look % LOOKS_UNTIL_CLIENTS == 0;
        if (with_clients)
            cut_for_nobody(httpd);
        if (tv_answer_queue_look(&httpd->answers, tv_now_ns()))
            pthread_cond_broadcast(&httpd->job_came);
        refuse_vain(httpd, with_clients);
    }
    pthread_mutex_unlock(&httpd->lock);
    return NULL;
}

/* Signals are held back: they are the main thread's. */
bool tv_answer_watch_start(struct tv_httpd *httpd)
{
    sigset_t old;
    tv_fault_hold_signals(&old);
    httpd->has_watcher = pthread_create(&httpd->watcher, NULL, watch, httpd) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return httpd->has_watcher;
}

void tv_answer_watch_join(struct tv_httpd *httpd)
{
    if (httpd->has_watcher)
        (void)pthread_join(httpd->watcher, NULL);
    httpd->has_watcher = false;
}
