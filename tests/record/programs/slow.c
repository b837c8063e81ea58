/* Handles 300 requests, three of which take 40 ms, and is idle for 60 ms. */
#include <time.h>

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

void handle(int request)
{
    if (request % 100 == 50)
        wait_ms(40);
}

int main(void)
{
    for (int i = 0; i < 300; i++)
        handle(i);
    wait_ms(60);
    return 0;
}
