/*
 * Buckets by client; see site/request/rates.h.
 *
 * A bucket is one number: the time at which it will be full again (the generic cell rate algorithm
 * of ATM networks). A request moves that time on by what one request costs; it is refused if the
 * time would lie more than the period ahead. A bucket whose time has passed is full, and its place
 * free.
 */
#include "site/request/rates.h"

#include <pthread.h>
#include <string.h>

#include "base/units.h"
#include "os/token.h"

/* 8 x 4096 buckets take one MiB. */
#define WAYS 8u
#define SETS 4096u

struct bucket {
    struct tv_http_party party;
    uint64_t what; /* enum tv_rate_of */
    uint64_t full_ns;
};

struct tv_rates {
    const struct tv_alloc *alloc;
    pthread_mutex_t lock;
    /* A seed that nobody knows: otherwise addresses could be chosen that all fall into one set. */
    char seed[TV_TOKEN_LEN + 1];
    struct bucket buckets[SETS][WAYS];
};

/* The seed makes the places of addresses unknown to strangers, who could otherwise choose addresses
 * that fall on one place. */
enum tv_code tv_rates_new(struct tv_rates **rates, const struct tv_alloc *alloc,
                          struct tv_error *err)
{
    struct tv_rates *made;
    TV_TRY(tv_alloc_new(alloc, &made, 1, sizeof(*made), err));
    enum tv_code code = tv_token_make(made->seed, err);
    if (code == TV_OK && pthread_mutex_init(&made->lock, NULL) != 0)
        code = tv_fail(err, TV_ERR_SYSTEM, TV_NO_OFFSET, "no lock can be made");
    made->alloc = alloc;
    if (code != TV_OK)
        tv_alloc_release(alloc, &made, 1, sizeof(*made));
    *rates = made;
    return code;
}

void tv_rates_free(struct tv_rates *rates)
{
    if (!rates)
        return;
    (void)pthread_mutex_destroy(&rates->lock);
    tv_alloc_release(rates->alloc, &rates, 1, sizeof(*rates));
}

static struct bucket *set_of(struct tv_rates *rates, const struct tv_http_party *party,
                             uint64_t what)
{
    uint8_t bytes[TV_TOKEN_LEN + sizeof(party->bytes) + 1];
    memcpy(bytes, rates->seed, TV_TOKEN_LEN);
    memcpy(bytes + TV_TOKEN_LEN, party->bytes, sizeof(party->bytes));
    bytes[sizeof(bytes) - 1] = (uint8_t)what;
    return rates->buckets[tv_hash_bytes(bytes, sizeof(bytes)) % SETS];
}

/* The party's bucket; if it has none, the bucket of its set that is full soonest is emptied and
 * taken: the one whose owner loses least. */
static struct bucket *bucket_of(struct tv_rates *rates, const struct tv_http_party *party,
                                uint64_t what)
{
    struct bucket *set = set_of(rates, party, what);
    struct bucket *fullest = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].what == what && memcmp(&set[i].party, party, sizeof(*party)) == 0)
            return &set[i];
        if (set[i].full_ns < fullest->full_ns)
            fullest = &set[i];
    }
    *fullest = (struct bucket){.party = *party, .what = what};
    return fullest;
}

/* A bucket is one moment: when it would be full again. It holds no count, and takes no memory per
 * party beyond its place. */
uint64_t tv_rates_take(struct tv_rates *rates, enum tv_rate_of what,
                       const struct tv_rate_limit *limit, const struct tv_http_party *party,
                       uint64_t now_ns)
{
    uint64_t wait_ns = 0;
    if (!limit->count)
        return 0;
    uint64_t period_ns = limit->period_s * TV_NS_PER_S;
    uint64_t cost_ns = period_ns / limit->count;
    (void)pthread_mutex_lock(&rates->lock);
    struct bucket *bucket = bucket_of(rates, party, what);
    uint64_t full_ns = (bucket->full_ns > now_ns ? bucket->full_ns : now_ns) + cost_ns;
    if (full_ns - now_ns > period_ns)
        wait_ns = full_ns - now_ns - period_ns;
    else
        bucket->full_ns = full_ns;
    (void)pthread_mutex_unlock(&rates->lock);
    return wait_ns / TV_NS_PER_S + (wait_ns % TV_NS_PER_S != 0);
}
