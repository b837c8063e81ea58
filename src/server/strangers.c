/* A list in order of arrival, so the oldest stands first, and late ones stand together. */
#include "server/strangers.h"

#include <sys/socket.h>

#include "server/guard.h"

#define NS_PER_S UINT64_C(1000000000)

void tv_strangers_remove(struct tv_strangers *strangers, struct tv_stranger *stranger)
{
    if (stranger->connection < 0)
        return;
    *(stranger->older ? &stranger->older->newer : &strangers->oldest) = stranger->newer;
    *(stranger->newer ? &stranger->newer->older : &strangers->newest) = stranger->older;
    strangers->count--;
    *stranger = (struct tv_stranger){.connection = -1};
}

static void send_oldest_away(struct tv_strangers *strangers)
{
    (void)shutdown(strangers->oldest->connection, SHUT_RDWR);
    tv_strangers_remove(strangers, strangers->oldest);
}

void tv_strangers_add(struct tv_strangers *strangers, struct tv_stranger *stranger, int connection,
                      uint64_t now_ns)
{
    *stranger = (struct tv_stranger){
        .connection = connection, .since_ns = now_ns, .older = strangers->newest};
    *(strangers->newest ? &strangers->newest->newer : &strangers->oldest) = stranger;
    strangers->newest = stranger;
    if (++strangers->count > TV_LIMIT_STRANGERS)
        send_oldest_away(strangers);
}

void tv_strangers_end_late(struct tv_strangers *strangers, uint64_t now_ns)
{
    while (strangers->oldest &&
           now_ns - strangers->oldest->since_ns > TV_LIMIT_STRANGER_S * NS_PER_S)
        send_oldest_away(strangers);
}
