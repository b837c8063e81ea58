/*
 * The limit that the index is measured against: a loop that loads and sums the method and wall
 * words of each record of a v3 file, over a populated map. It does nothing else, so nothing that
 * reads records is faster.
 *
 * Prints one JSON object: bytes, records, the sum, the time of each round in nanoseconds, and the
 * processor's time of the last: on a busy machine that of the wall says little.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The host is little-endian, as the file is; memcpy is one load. */
static uint32_t load_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static const uint8_t *find_data(const uint8_t *bytes, size_t len)
{
    static const char end[] = "*end\nSLOW";

    for (const uint8_t *at = bytes; (at = memchr(at, '*', len - (size_t)(at - bytes))); at++)
        if (len - (size_t)(at - bytes) >= sizeof(end) + 32 && memcmp(at, end, sizeof(end) - 1) == 0)
            return at + 5;
    return NULL;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    int file = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    struct stat info;

    if (file < 0 || fstat(file, &info) != 0) {
        fputs("usage: limit FILE [ROUNDS]\n", stderr);
        return 2;
    }
    size_t len = (size_t)info.st_size;
    const uint8_t *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    const uint8_t *data = bytes == MAP_FAILED ? NULL : find_data(bytes, len);

    if (!data || data[4] != 3) {
        fprintf(stderr, "limit: %s: not a v3 trace\n", argv[1]);
        return 1;
    }
    const uint8_t *first = data + (data[6] | data[7] << 8);
    size_t step = (size_t)(data[16] | data[17] << 8);
    size_t count = (len - (size_t)(first - bytes)) / step;
    uint64_t sum = 0;
    uint64_t cpu_ns = 0;

    printf("{\"bytes\": %zu, \"records\": %zu, \"ns\": [", len, count);
    for (int round = 0; round < rounds; round++) {
        uint64_t begin = now_ns(CLOCK_MONOTONIC);
        uint64_t cpu_begin = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        const uint8_t *at = first;

        for (size_t i = 0; i < count; i++, at += step)
            sum += load_u32(at + 2) + (uint64_t)load_u32(at + 10);
        cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
        printf("%s%llu", round ? ", " : "", (unsigned long long)(now_ns(CLOCK_MONOTONIC) - begin));
        fflush(stdout);
    }
    printf("], \"cpu_ns\": %llu, \"sum\": %llu}\n", (unsigned long long)cpu_ns,
           (unsigned long long)sum);
    return 0;
}
