/*
 * Counters and their text, in the format of Prometheus; see site/log/metrics.h. Counters are atomic
 * and have no lock; a text may have one counter's new value and another's old one. The metrics of
 * the process have the names that Prometheus' own libraries use.
 */
#include "site/log/metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text/out.h"
#include "base/units.h"

#define PREFIX "traceview_"

/* Upper bounds of the buckets of answer times; longer answers are counted behind the last. */
static const struct {
    uint64_t ns;
    const char *s;
} bounds[TV_METRICS_TIMES - 1] = {
    {1000000, "0.001"},
    {2500000, "0.0025"},
    {5000000, "0.005"},
    {10000000, "0.01"},
    {25000000, "0.025"},
    {100000000, "0.1"},
    {250000000, "0.25"},
    {TV_NS_PER_S, "1"},
    {5ull * TV_NS_PER_S, "5"},
    {30ull * TV_NS_PER_S, "30"},
    {120ull * TV_NS_PER_S, "120"},
};

struct metric {
    const char *name;
    const char *help;
};

#define NAME_AND_HELP(field, name, help) {(name), (help)},
static const struct metric counter_names[] = {TV_SITE_COUNTERS(NAME_AND_HELP)};
#undef NAME_AND_HELP

void tv_metrics_add(struct tv_metrics *metrics, enum tv_counter counter, uint64_t by)
{
    (void)atomic_fetch_add_explicit(&metrics->counters[counter], by, memory_order_relaxed);
}

/* Without a lock: each number is right, and two of them may differ by the request that is just
 * being counted. */
void tv_metrics_request(struct tv_metrics *metrics, int status, uint64_t received, uint64_t sent,
                        uint64_t ns)
{
    size_t bucket = 0;
    size_t code = status > 0 && status < (int)TV_METRICS_STATUSES ? (size_t)status : 0;
    while (bucket < TV_COUNT_OF(bounds) && ns > bounds[bucket].ns)
        bucket++;
    (void)atomic_fetch_add_explicit(&metrics->statuses[code], 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&metrics->times[bucket], 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&metrics->time_ns, ns, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&metrics->sent_bytes, sent, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&metrics->received_bytes, received, memory_order_relaxed);
}

static uint64_t load(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void write_head(struct tv_out *out, const char *name, const char *type, const char *help)
{
    tv_out_add(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_one(struct tv_out *out, const char *name, const char *type, const char *help,
                      uint64_t value)
{
    write_head(out, name, type, help);
    tv_out_add(out, "%s %llu\n", name, (unsigned long long)value);
}

/* Only statuses that occurred, so that no series stays at zero forever. */
static void write_requests(struct tv_out *out, const struct tv_metrics *metrics)
{
    write_head(out, PREFIX "http_requests_total", "counter",
               "Requests by the status of their answer; \"cut\": there was none.");
    for (size_t i = 0; i < TV_METRICS_STATUSES; i++) {
        uint64_t count = load(&metrics->statuses[i]);
        if (count && i)
            tv_out_add(out, PREFIX "http_requests_total{code=\"%zu\"} %llu\n", i,
                       (unsigned long long)count);
        else if (count)
            tv_out_add(out, PREFIX "http_requests_total{code=\"cut\"} %llu\n",
                       (unsigned long long)count);
    }
    write_one(out, PREFIX "http_sent_bytes_total", "counter", "Bytes of the bodies of answers.",
              load(&metrics->sent_bytes));
    write_one(out, PREFIX "http_received_bytes_total", "counter",
              "Bytes of the bodies of requests.", load(&metrics->received_bytes));
}

/* Buckets of Prometheus are sums up to their bound. */
static void write_times(struct tv_out *out, const struct tv_metrics *metrics)
{
    const char *name = PREFIX "http_request_duration_seconds";
    uint64_t sum = 0;
    write_head(out, name, "histogram", "How long requests took, from their first line on.");
    for (size_t i = 0; i < TV_METRICS_TIMES; i++) {
        sum += load(&metrics->times[i]);
        tv_out_add(out, "%s_bucket{le=\"%s\"} %llu\n", name,
                   i < TV_COUNT_OF(bounds) ? bounds[i].s : "+Inf", (unsigned long long)sum);
    }
    tv_out_add(out, "%s_sum ", name);
    tv_out_fraction(out, load(&metrics->time_ns), 9);
    tv_out_add(out, "\n%s_count %llu\n", name, (unsigned long long)sum);
}

/* Bytes of memory that the process has; 0 where /proc is missing. */
static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*s %llu", &pages) != 1)
        pages = 0;
    (void)fclose(file);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static uint64_t open_files(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count > 3 ? count - 3 : 0; /* without ".", ".." and the folder itself */
}

static uint64_t cpu_ns(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * TV_NS_PER_S +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static void write_waited(struct tv_out *out, uint64_t waited_ns)
{
    write_head(out, PREFIX "waited_seconds", "gauge",
               "How long the oldest request has waited that no thread answers yet.");
    tv_out_add(out, PREFIX "waited_seconds ");
    tv_out_fraction(out, waited_ns, 9);
    tv_out_add(out, "\n");
}

/* Names of the process are those that every exporter uses. */
static void write_process(struct tv_out *out, const char *version)
{
    write_head(out, PREFIX "build_info", "gauge", "The version of the program.");
    tv_out_add(out, PREFIX "build_info{version=\"%s\"} 1\n", version);
    write_one(out, "process_resident_memory_bytes", "gauge", "Memory that the process has.",
              resident_bytes());
    write_one(out, "process_open_fds", "gauge", "Files and connections that are open.",
              open_files());
    write_head(out, "process_cpu_seconds_total", "counter", "Time on processors, without workers.");
    tv_out_add(out, "process_cpu_seconds_total ");
    tv_out_fraction(out, cpu_ns(), 9);
    tv_out_add(out, "\n");
}

/* Of all processes: one series, with a label or without. */
static void write_wide(struct tv_out *out, const char *name, const char *label, const char *type,
                       const char *help, uint64_t value)
{
    if (help[0])
        write_head(out, name, type, help);
    tv_out_add(out, label[0] ? "%s{%s} %llu\n" : "%s%s %llu\n", name, label,
               (unsigned long long)value);
}

#define WRITE_WIDE(field, name, label, type, help)                                                 \
    write_wide(&text, PREFIX name, label, type, help, gauges->field);
#define WRITE_GAUGE(field, name, help) write_one(&text, PREFIX name, "gauge", help, gauges->field);

/* In the order of the tables, so that two answers can be compared line by line. */
enum tv_code tv_metrics_write(const struct tv_metrics *metrics, const struct tv_gauges *gauges,
                              const char *version, struct tv_buffer *out, struct tv_error *err)
{
    struct tv_out text;
    char name[64];
    tv_out_init(&text, tv_buffer_sink(out));
    write_requests(&text, metrics);
    write_times(&text, metrics);
    for (size_t i = 0; i < TV_COUNTER_COUNT; i++) {
        (void)snprintf(name, sizeof(name), PREFIX "%s", counter_names[i].name);
        write_one(&text, name, "counter", counter_names[i].help, load(&metrics->counters[i]));
    }
    TV_SITE_GAUGES(WRITE_GAUGE)
    TV_SITE_WIDE(WRITE_WIDE)
    write_waited(&text, gauges->waited_ns);
    write_process(&text, version);
    return tv_out_finish(&text, err);
}
