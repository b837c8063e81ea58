/*
 * Turns, shares and cuts; see http/answer_queue.h.
 *
 * Turns are start-time fair queueing with requests of equal size: a request of a party that has
 * none waiting or running gets the turn that the queue has come to, each further one of the same
 * party a turn later. So of any number of parties each has one request answered in each round. The
 * lists are as long as there are connections at most, and are walked from their beginnings.
 */
#include "http/answer_queue.h"

#include <string.h>

#include "base/compiler.h"

void tv_answer_queue_init(struct tv_answer_queue *queue, unsigned places)
{
    *queue = (struct tv_answer_queue){.places = places ? places : 1};
}

/* --- lists --- */

static void put_last(struct tv_answer_list *list, struct tv_answer *answer)
{
    answer->next = NULL;
    answer->previous = list->last;
    *(list->last ? &list->last->next : &list->first) = answer;
    list->last = answer;
    list->count++;
}

static void take_out(struct tv_answer_list *list, struct tv_answer *answer)
{
    *(answer->previous ? &answer->previous->next : &list->first) = answer->next;
    *(answer->next ? &answer->next->previous : &list->last) = answer->previous;
    list->count--;
}

static bool is_same(const struct tv_http_party *a, const struct tv_http_party *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* --- turns --- */

/* The turn behind the last one of the party in the list, where that is later than `turn`. */
static uint64_t turn_behind(const struct tv_answer_list *list, const struct tv_http_party *party,
                            uint64_t turn)
{
    for (const struct tv_answer *answer = list->first; answer; answer = answer->next) {
        if (is_same(&answer->party, party) && answer->turn >= turn)
            turn = answer->turn + 1;
    }
    return turn;
}

void tv_answer_queue_add(struct tv_answer_queue *queue, struct tv_answer *answer)
{
    answer->turn = turn_behind(&queue->running, &answer->party, queue->turn);
    answer->turn = turn_behind(&queue->waiting, &answer->party, answer->turn);
    answer->cut = TV_ANSWER_NOT_CUT;
    atomic_store(&answer->is_unwanted, false);
    put_last(&queue->waiting, answer);
}

/* --- who is next --- */

/* How many running answers of each length the party has: [1] counts the long ones. */
static void count_running(const struct tv_answer_queue *queue, const struct tv_http_party *party,
                          unsigned counts[2])
{
    counts[0] = counts[1] = 0;
    for (const struct tv_answer *answer = queue->running.first; answer; answer = answer->next)
        counts[answer->is_long] += is_same(&answer->party, party);
}

/* Whether an answer of that length of the party may begin. With `is_shared`, not where the party
 * has half of the places already. No party ever has all threads: what must not be cut would keep
 * them. */
static bool may_begin(const struct tv_answer_queue *queue, const struct tv_http_party *party,
                      bool is_long, bool is_shared)
{
    unsigned counts[2];
    count_running(queue, party, counts);
    return counts[0] + counts[1] < 2 * queue->places - 1 &&
           (!is_shared || counts[is_long] < (queue->places + 1) / 2);
}

/* The waiting answer of that length with the smallest turn, the first of those, of a party that may
 * begin one. */
static struct tv_answer *find_next(const struct tv_answer_queue *queue, bool is_long,
                                   bool is_shared)
{
    struct tv_answer *found = NULL;
    for (struct tv_answer *answer = queue->waiting.first; answer; answer = answer->next) {
        if (answer->is_long != is_long || (found && answer->turn >= found->turn))
            continue;
        if (may_begin(queue, &answer->party, is_long, is_shared))
            found = answer;
    }
    return found;
}

static struct tv_answer *begin(struct tv_answer_queue *queue, struct tv_answer *answer,
                               uint64_t now_ns)
{
    take_out(&queue->waiting, answer);
    put_last(&queue->running, answer);
    queue->long_count += answer->is_long;
    queue->turn = answer->turn > queue->turn ? answer->turn : queue->turn;
    answer->begun_ns = now_ns;
    return answer;
}

/* A party beyond its share is next only where nobody else waits for such a place. */
static struct tv_answer *take_of_length(struct tv_answer_queue *queue, bool is_long,
                                        uint64_t now_ns)
{
    unsigned running = is_long ? queue->long_count : queue->running.count - queue->long_count;
    struct tv_answer *next = NULL;
    if (running < queue->places)
        next = find_next(queue, is_long, true);
    if (!next && running < queue->places)
        next = find_next(queue, is_long, false);
    return next ? begin(queue, next, now_ns) : NULL;
}

struct tv_answer *tv_answer_queue_take(struct tv_answer_queue *queue, uint64_t now_ns)
{
    struct tv_answer *next = NULL;
    if (queue->running.count < 2 * queue->places)
        next = take_of_length(queue, false, now_ns);
    if (!next && queue->running.count < 2 * queue->places)
        next = take_of_length(queue, true, now_ns);
    return next;
}

struct tv_answer *tv_answer_queue_take_any(struct tv_answer_queue *queue, uint64_t now_ns)
{
    return queue->waiting.first ? begin(queue, queue->waiting.first, now_ns) : NULL;
}

void tv_answer_queue_end(struct tv_answer_queue *queue, struct tv_answer *answer)
{
    take_out(&queue->running, answer);
    queue->long_count -= answer->is_long;
}

void tv_answer_queue_drop(struct tv_answer_queue *queue, struct tv_answer *answer)
{
    take_out(&queue->waiting, answer);
}

/* --- who has had long enough --- */

void tv_answer_cut(struct tv_answer *answer, enum tv_answer_cut why)
{
    if (!answer->may_be_cut || answer->cut != TV_ANSWER_NOT_CUT)
        return;
    answer->cut = why;
    atomic_store(&answer->is_unwanted, true);
}

bool tv_answer_is_late(const struct tv_answer *answer, uint64_t now_ns)
{
    return answer->deadline_ns && now_ns >= answer->deadline_ns;
}

static bool has_short_waiting(const struct tv_answer_queue *queue)
{
    for (const struct tv_answer *answer = queue->waiting.first; answer; answer = answer->next) {
        if (!answer->is_long)
            return true;
    }
    return false;
}

/* How many requests the party has, waiting and running. */
static unsigned count_all(const struct tv_answer_queue *queue, const struct tv_http_party *party)
{
    unsigned counts[2];
    count_running(queue, party, counts);
    for (const struct tv_answer *answer = queue->waiting.first; answer; answer = answer->next)
        counts[0] += is_same(&answer->party, party);
    return counts[0] + counts[1];
}

/* The answer that gives way when all threads are taken: of the party with most long answers, the
 * one that began last, since it loses the least work. Of parties with equally many long answers,
 * the one that asks most gives way; else, on a busy machine where every answer is long, the only
 * question of a modest party would give way again and again. NULL: one gives way already, or none
 * may. */
static struct tv_answer *find_to_give_way(const struct tv_answer_queue *queue)
{
    struct tv_answer *found = NULL;
    unsigned counts[2];
    unsigned most_long = 0;
    unsigned most = 0;
    for (struct tv_answer *answer = queue->running.first; answer; answer = answer->next) {
        if (answer->cut != TV_ANSWER_NOT_CUT)
            return NULL;
        if (!answer->is_long || !answer->may_be_cut)
            continue;
        count_running(queue, &answer->party, counts);
        unsigned all = count_all(queue, &answer->party);
        if (counts[1] > most_long || (counts[1] == most_long && all >= most)) {
            most_long = counts[1];
            most = all;
            found = answer;
        }
    }
    return found;
}

bool tv_answer_queue_look(struct tv_answer_queue *queue, uint64_t now_ns)
{
    bool is_freed = false;
    for (struct tv_answer *answer = queue->running.first; answer; answer = answer->next) {
        if (!answer->is_long && now_ns > answer->begun_ns + TV_ANSWER_LONG_NS) {
            answer->is_long = true;
            queue->long_count++;
            is_freed = true;
        }
        if (tv_answer_is_late(answer, now_ns))
            tv_answer_cut(answer, TV_ANSWER_LATE);
    }
    if (queue->running.count >= 2 * queue->places && queue->long_count > queue->places &&
        has_short_waiting(queue)) {
        struct tv_answer *answer = find_to_give_way(queue);
        if (answer)
            tv_answer_cut(answer, TV_ANSWER_AGAIN);
    }
    return is_freed;
}

uint64_t tv_answer_queue_oldest_ns(const struct tv_answer_queue *queue)
{
    uint64_t oldest_ns = 0;
    for (const struct tv_answer *answer = queue->waiting.first; answer; answer = answer->next) {
        if (!oldest_ns || answer->came_ns < oldest_ns)
            oldest_ns = answer->came_ns;
    }
    return oldest_ns;
}
