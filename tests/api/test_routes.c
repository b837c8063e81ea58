/* Each JSON route: what it answers, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "asking.h"

static void info_tells_the_trace(void **state)
{
    (void)state;
    expect("info", "", 200, "{\"file\":\"x.trace\",\"format\":\"v3\",\"version\":3,");
    expect("info", "", 200, "\"clocks\":[\"wall\",\"cpu\"]");
    expect("info", "", 200, "\"properties\":{\"clock\":\"dual\"},\"records\":");
    expect("info", "", 200,
           "\"records\":10,\"calls\":5,\"methods\":3,\"nodes\":5,"
           "\"total\":{\"wall_ns\":150000,\"cpu_ns\":100000}");
    expect("info", "", 200,
           "{\"id\":2,\"name\":\"worker\",\"records\":2,\"calls\":1,\"max_depth\":1,"
           "\"wall_ns\":50000,\"cpu_ns\":0,\"first_ns\":10000,\"last_ns\":60000}");
    expect("info", "", 200,
           "\"default_clock\":\"cpu\",\"axis\":\"wall\",\"common_axis\":true,"
           "\"span_ns\":100000,\"ranked\":3}");
}

static void every_answer_with_times_says_what_they_stand_on(void **state)
{
    static const char *const questions[][2] = {{"info", ""}, {"top", ""},   {"callers", "method=0"},
                                               {"tree", ""}, {"check", ""}, {"calls", "method=0"}};
    (void)state;
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++)
        expect(
            questions[i][0], questions[i][1], 200,
            "\"clocks\":[\"wall\",\"cpu\"],\"clock\":\"cpu\",\"severity\":null,\"sampled\":false");
    expect("top", "clock=wait", 200, "\"clock\":\"wait\",");
    expect("tree", "clock=wall", 200, "\"clock\":\"wall\",");
    expect("callers", "method=0&clock=wall", 200, "\"clock\":\"wall\",");
    expect("calls", "method=0&clock=wait", 200, "\"clock\":\"wait\",\"severity\"");
    expect("call", "thread=1&depth=0&call=0", 200, "\"clock\":\"wall\",\"severity\"");
}

static void insights_tells_the_threshold_and_what_is_above(void **state)
{
    (void)state;
    expect(
        "insights", "", 200,
        "\"sampled\":false,\"least_ns\":1000000,\"main_thread\":1,\"insights\":[],\"methods\":[]}");
    expect("insights", "n=1", 400, "n");
}

static void lanes_of_no_app_are_empty(void **state)
{
    (void)state;
    expect("lanes", "", 200,
           "\"sampled\":false,\"phases\":{\"count\":0,\"items\":[]},\"frames\":{\"count\":0,"
           "\"items\":[]},\"messages\":{\"count\":0,\"items\":[]},\"methods\":[]}");
    expect("lanes", "n=1", 400, "n");
}

/* main: foo (bar (foo), baz); worker: baz. */
static void levels_tells_what_hiding_leaves_of_each_thread(void **state)
{
    (void)state;
    expect("levels", "", 200,
           "{\"threads\":[{\"id\":1,\"levels\":3,\"calls\":4,\"omitted\":0},"
           "{\"id\":2,\"levels\":1,\"calls\":1,\"omitted\":0}]}");
    expect("levels", "hide=a.B", 200,
           "{\"threads\":[{\"id\":1,\"levels\":1,\"calls\":1,\"omitted\":3},"
           "{\"id\":2,\"levels\":1,\"calls\":1,\"omitted\":0}]}");
    expect("levels", "n=1", 400, "n");
}

static void curve_is_of_root_calls(void **state)
{
    (void)state;
    expect("curve", "thread=1&bins=2", 200, "{\"thread\":1,\"called_ns\":[");
    expect("curve", "thread=1&bins=0", 400, "bins");
    expect("curve", "bins=2", 400, "thread");
    expect("curve", "thread=99", 404, "thread");
}

static void call_tells_its_level_and_steps_over_what_is_hidden(void **state)
{
    (void)state;
    expect("call", "thread=1&depth=1&call=1&hide=a.B", 200, "\"depth\":1,\"call\":1,");
    expect("call", "thread=1&depth=1&call=1&hide=a.B", 200, "\"level\":0,");
    expect("call", "thread=1&depth=1&call=0&hide=a.B", 200, "\"level\":null,");
    expect("call", "thread=1&depth=1&call=1&step=parent&hide=a.B", 404, "no call that way");
    expect("call", "thread=1&depth=1&call=1&step=parent", 200, "\"depth\":0,\"call\":0,");
    /* From a hidden call, the way leads to the shown one around it. */
    expect("call", "thread=1&depth=2&call=0&step=child&hide=a.C", 404, "no call that way");
    expect("call", "thread=1&depth=1&call=1&step=child&hide=a.C", 200, "\"depth\":0,\"call\":0,");
}

static void exports_lists_the_formats(void **state)
{
    (void)state;
    expect(
        "exports", "", 200,
        "{\"formats\":[{\"name\":\"folded\",\"suffix\":\".folded\",\"summary\":\"folded stacks: ");
    expect("exports", "", 200, "{\"name\":\"chrome\",\"suffix\":\".trace.json\"");
    expect("exports", "", 200, "\"packed\":false},{\"name\":");
    expect("exports", "", 200, "\"tables\":[\"calls\",\"nodes\",\"methods\",\"threads\"]");
    expect("exports", "format=folded", 400, "format");
}

static void preview_tells_what_redaction_would_do(void **state)
{
    (void)state;
    expect("preview", "", 200,
           "{\"methods_kept\":0,\"methods_replaced\":3,\"threads_kept\":1,\"threads_replaced\":1,");
    expect("preview", "keep=com.example.", 200, "\"methods_kept\":");
    expect("preview", "", 200, "\"kept\":false,\"methods\":");
    expect("preview", "", 200, "\"example\":\"");
    expect("preview", "threads=2", 200, "\"methods_replaced\":1,");
    expect("preview", "threads=9", 404, "no thread has the id 9");
    expect("preview", "format=folded", 400, "format");
}

static void every_answer_from_a_part_says_so(void **state)
{
    static const char *const questions[][2] = {
        {"info", ""},           {"top", ""},
        {"methods", "ranks=0"}, {"callers", "method=0"},
        {"tree", ""},           {"check", ""},
        {"calls", "method=0"},  {"call", "thread=1&depth=0&call=0"},
        {"insights", ""},       {"lanes", ""},
        {"levels", "hide=a.B"}};
    const struct tv_api_part part = {.read_len = 12, .len = 100};
    (void)state;
    asked_trace.part = &part;
    for (size_t i = 0; i < TV_COUNT_OF(questions); i++)
        expect(questions[i][0], questions[i][1], 200, "{\"complete\":false,\"");
    expect("search", "q=foo", 200, "{\"complete\":false,\"");
    expect("info", "", 200, "\"part\":{\"read\":12,\"of\":100}");
    expect("nothing", "", 404, "{\"error\":"); /* a refusal is whole */
    asked_trace.part = NULL;
    expect("search", "q=foo", 200, "{\"complete\":true,\"");
    expect("info", "", 200, "{\"file\":");
}

static void top_sorts_filters_and_cuts(void **state)
{
    (void)state;
    expect("top", "", 200,
           "\"count\":3,\"methods\":[{\"rank\":0,\"id\":\"0x4\","
           "\"method\":\"a.B.foo ()V\"");
    expect("top", "n=1", 200,
           "\"calls\":1,\"recursive_calls\":1,\"inclusive\":{\"wall_ns\":100000,\"cpu_ns\":100000},"
           "\"exclusive\":{\"wall_ns\":40000,\"cpu_ns\":40000},"
           "\"wait\":{\"inclusive_ns\":0,\"exclusive_ns\":0}}]}");
    expect("top", "sort=name&n=1", 200, "\"methods\":[{\"rank\":2,\"id\":\"0x8\"");
    expect("top", "sort=exclusive&by=wall&n=1", 200, "\"methods\":[{\"rank\":1,\"id\":\"0xc\"");
    expect("top", "match=BAZ", 200, "\"count\":0,\"methods\":[]");
    expect("top", "match=baz", 200, "\"count\":1,");
    expect("top", "match=%2Fba%5Bzr%5D%2F", 200, "\"count\":2,");
    expect("top", "hide=a.B", 200, "\"count\":1,");
    expect("top", "offset=3", 200, "\"count\":3,\"methods\":[]");
    expect("top", "threads=2", 200, "\"total\":{\"wall_ns\":50000,\"cpu_ns\":0},\"count\":1");
    expect("top", "from=20000&to=30000", 200, "\"total\":{\"wall_ns\":20000,\"cpu_ns\":10000}");
    expect("top", "match=baz&per_call=1", 200,
           "\"per_call\":{\"wall_ns\":{\"min\":40000,\"p50\":40000,\"p95\":50000,\"max\":50000},"
           "\"cpu_ns\":{\"min\":0,");
}

static void top_gives_the_whole_order_as_ranks(void **state)
{
    (void)state;
    expect("top", "ranks=1&n=1", 200, "\"count\":3,\"ranks\":[0,1,2],\"methods\":[{\"rank\":0,");
    expect("top", "ranks=1&n=1&sort=name&order=desc", 200,
           "\"ranks\":[1,0,2],\"methods\":[{\"rank\":1,");
    expect("top", "ranks=1&match=ba&offset=1&n=1", 200,
           "\"ranks\":[1,2],\"methods\":[{\"rank\":2,");
    expect("top", "ranks=1&match=none", 200, "\"ranks\":[],\"methods\":[]");
    expect("top", "ranks=2", 400, "ranks must be a whole number from 0 to 1");
}

static void top_tells_what_all_rows_took_together(void **state)
{
    (void)state;
    expect("top", "set=1&n=1", 200, "\"count\":3,\"set\":{\"methods\":3,");
    expect("top", "set=1&match=none", 200, "\"set\":{\"methods\":0,\"calls\":0,");
    expect("top", "set=1&group=package", 200, "\"set\":{\"methods\":3,");
    expect("top", "set=page&n=1", 200, "\"set\":{\"methods\":1,\"calls\":2,");
    expect("top", "set=page&offset=1&n=2&sort=rank", 200, "\"set\":{\"methods\":2,\"calls\":3,");
    expect("top", "set=page&group=class", 400, "groups have no set of a page");
    expect("top", "set=2", 400, "set");
}

static void top_groups_by_class_and_package(void **state)
{
    (void)state;
    expect("top", "group=class", 200,
           "\"total\":{\"wall_ns\":150000,\"cpu_ns\":100000},\"count\":2,\"groups\":["
           "{\"name\":\"a.B\",\"methods\":2,\"calls\":3,"
           "\"inclusive\":{\"wall_ns\":100000,\"cpu_ns\":100000},"
           "\"exclusive\":{\"wall_ns\":60000,\"cpu_ns\":60000},"
           "\"wait\":{\"inclusive_ns\":0,\"exclusive_ns\":0}},"
           "{\"name\":\"a.C\",\"methods\":1,\"calls\":2,"
           "\"inclusive\":{\"wall_ns\":90000,\"cpu_ns\":40000},");
    expect("top", "group=class&sort=exclusive&by=wall&n=1", 200, "\"groups\":[{\"name\":\"a.C\"");
    expect("top", "group=class&sort=name&offset=1", 200, "\"groups\":[{\"name\":\"a.C\"");
    expect("top", "group=package", 200,
           "\"count\":1,\"groups\":[{\"name\":\"a\",\"methods\":3,\"calls\":5,"
           "\"inclusive\":{\"wall_ns\":150000,\"cpu_ns\":100000}");
    expect("top", "group=package&hide=a.B", 200, "\"calls\":2,\"inclusive\":{\"wall_ns\":90000,");
    expect("top", "group=class&threads=2", 200, "\"count\":1,\"groups\":[{\"name\":\"a.C\"");
    expect("top", "group=class&from=20000&to=30000", 200,
           "\"groups\":[{\"name\":\"a.B\",\"methods\":2,\"calls\":3,"
           "\"inclusive\":{\"wall_ns\":10000,");
    expect("top", "group=method", 400, "group must be one of class package");
    expect("top", "group=class&ranks=1", 400, "groups have no ranks");
    expect("top", "group=class&sort=rank", 400, "groups have no ranks");
    expect("top", "group=package&parts=x", 400, "parts must be a whole number");
}

static void top_has_no_allocations_where_the_trace_tells_none(void **state)
{
    (void)state;
    expect("top", "allocated=1&match=foo", 200, "\"exclusive_ns\":0}}]}");
    expect("top", "allocated=x", 400, "allocated must be a whole number from 0 to 1");
}

/* Of a sampled trace: who asks for it gets what the verb has in a column. */
static void top_tells_what_stayed_where_it_is_asked(void **state)
{
    const struct tv_index *index = asked_trace.index;
    struct tv_index sampled = *index;
    struct tv_index_info info = *index->info;
    (void)state;
    expect("top", "stayed=1&match=foo", 200, "\"exclusive_ns\":0}}]}"); /* it is not sampled */
    info.is_sampled = 1;
    sampled.info = &info;
    asked_trace.index = &sampled;
    expect("top", "stayed=1&match=foo", 200, "\"exclusive_ns\":0},\"stayed_ns\":0}]}");
    expect("top", "stayed=0&match=foo", 200, "\"exclusive_ns\":0}}]}");
    expect("top", "stayed=1&match=foo&to=40000", 200, "\"exclusive_ns\":0}}]}");
    asked_trace.index = index;
    expect("top", "stayed=x", 400, "stayed must be a whole number from 0 to 1");
}

static void top_estimates_the_cost_of_tracing(void **state)
{
    const struct tv_index *index = asked_trace.index;
    struct tv_index costly = *index;
    struct tv_index_info info = *index->info;
    (void)state;
    expect(
        "top", "overhead=1&match=foo", 200,
        "\"cpu_ns\":40000},\"wait\":{\"inclusive_ns\":0,\"exclusive_ns\":0}}]}"); /* the file says
                                                                                     nothing */
    info.clock_overhead_ns = 7;
    costly.info = &info;
    asked_trace.index = &costly;
    expect("top", "overhead=1&match=foo", 200, "\"overhead_ns\":28}]}"); /* 2 calls, 2 made */
    expect("top", "overhead=1&match=bar", 200, "\"overhead_ns\":14}]}");
    expect("top", "overhead=1", 200, "\"overhead_ns\":28},{\"rank\":1,");
    expect("top", "overhead=1&offset=1", 200, "\"overhead_ns\":14},{\"rank\":2,");
    expect("top", "overhead=1&offset=1", 200, "\"overhead_ns\":14}]}"); /* bar: 1 call, 1 made */
    expect("top", "overhead=1&clock=wall&match=baz&threads=2", 200, "\"overhead_ns\":7}]}");
    expect("top", "overhead=1&match=baz&threads=2", 200, "\"overhead_ns\":0}]}"); /* of no time */
    expect("top", "overhead=1&match=bar&from=35000&to=36000", 200, "\"overhead_ns\":7}]}");
    expect("info", "", 200, "\"overhead\":{\"ns\":56,\"partial\":true}"); /* 5 calls, 2 roots */
    info.clock_overhead_ns = 10000;
    expect("top", "overhead=1&match=bar", 200, "\"overhead_ns\":20000,\"mostly_overhead\":true}]}");
    info.clock_overhead_ns = 7;
    expect("top", "match=foo", 200,
           "\"cpu_ns\":40000},\"wait\":{\"inclusive_ns\":0,\"exclusive_ns\":0}}]}");
    info.is_sampled = 1;
    expect("top", "overhead=1&match=foo", 200,
           "\"cpu_ns\":40000},\"wait\":{\"inclusive_ns\":0,\"exclusive_ns\":0}}]}");
    asked_trace.index = index;
}

static void methods_names_ranks(void **state)
{
    (void)state;
    expect("methods", "ranks=2,0", 200,
           "{\"methods\":[{\"rank\":2,\"id\":\"0x8\",\"method\":\"a.B.bar (I)V\",\"class\":\"a.B\","
           "\"name\":\"bar\",\"signature\":\"(I)V\",\"file\":\"B.java\",\"line\":0},{\"rank\":0,");
    expect("methods", "", 400, "parameter \\\"ranks\\\" is missing");
    expect("methods", "ranks=9", 404, "no method has the rank 9");
    expect("methods", "ranks=1,x", 400, "whole numbers separated by");
}

static void callers_has_four_groups_and_self(void **state)
{
    (void)state;
    const char *foo = "\"self\":{\"wall_ns\":30000,\"cpu_ns\":30000},\"callers\":[],\"callees\":[{";
    expect("callers", "method=0", 200, foo);
    expect("callers", "method=0x4", 200, foo);
    expect("callers", "method=a.B.foo%20()V", 200, foo);
    expect("callers", "method=a.B.foo", 200, foo);
    expect("callers", "method=0", 200, "\"callers_recursive\":[{\"rank\":2,");
    expect("callers", "method=0", 200,
           "\"calls\":1,\"of_calls\":2,\"inclusive\":{\"wall_ns\":40000,\"cpu_ns\":40000}");
    expect("callers", "method=2", 200, "\"callees_recursive\":[],\"methods\":[");
    /* foo stands in two groups, and is named once. */
    expect("callers", "method=0", 200,
           "\"methods\":[{\"rank\":0,\"id\":\"0x4\",\"method\":\"a.B.foo ()V\",");
    expect("callers", "", 400, "parameter \\\"method\\\" is missing");
    expect("callers", "method=a.B.none", 404, "no method with calls has 'a.B.none' in its name");
}

static void tree_answers_levels_below_a_path(void **state)
{
    (void)state;
    expect("tree", "threads=1", 200, "\"nodes\":[{\"rank\":0,");
    expect("tree", "threads=1", 200, "\"has_children\":true}],\"more\":0,\"methods\":[");
    expect("tree", "threads=1&depth=2", 200,
           "\"has_children\":true,\"children\":[{\"rank\":1,\"calls\":1,");
    expect("tree", "threads=1&depth=2", 200,
           "\"methods\":[{\"rank\":0,\"id\":\"0x4\",\"method\":\"a.B.foo ()V\"");
    expect("tree", "path=0.2", 200, "\"nodes\":[{\"rank\":0,\"calls\":1,");
    expect("tree", "path=0&n=1", 200, "],\"more\":1,");
    expect("tree", "path=0&cut=31", 200, "],\"more\":1,");
    expect("tree", "inverted=1&path=1", 200, "\"nodes\":[{\"rank\":0,");
    expect("tree", "hide=a.B", 200, "\"calls\":2,\"inclusive\":{\"wall_ns\":90000");
    /* Only foo, which has all of the time, is followed, and of its callees the first. */
    expect("tree", "threads=1&depth=9&follow=90&n=1", 200,
           "\"has_children\":true,\"children\":[{\"rank\":");
    expect("tree", "threads=1&depth=9&follow=101", 400, "follow must be a percentage up to 100");
    expect("tree", "follow=90&rows=3", 400, "ask for one of them");
    expect("tree", "depth=0", 400, "depth must be a whole number from 1 to 400, not \\\"0\\\"");
    expect("tree", "cut=101", 400, "cut must be a percentage");
    expect("tree", "cut=1x", 400, "cut must be a decimal number");
    expect("tree", "inverted=2", 400, "inverted must be a whole number from 0 to 1");
}

static void tables_of_relations_and_trees_sort_as_asked(void **state)
{
    (void)state;
    /* foo calls bar (30 us, 20 of them its own) and baz (40 us). */
    expect("callers", "method=0", 200, "\"callees\":[{\"rank\":1,");
    expect("callers", "method=0&order=asc", 200, "\"callees\":[{\"rank\":2,");
    expect("callers", "method=0&sort=exclusive&order=asc", 200, "\"callees\":[{\"rank\":2,");
    expect("callers", "method=0&sort=name", 200, "\"callees\":[{\"rank\":2,");
    expect("callers", "method=0&sort=rank&order=desc", 200, "\"callees\":[{\"rank\":2,");
    expect("callers", "method=0&sort=size", 400, "sort must be one of");
    expect("tree", "path=0", 200, "\"nodes\":[{\"rank\":1,");
    expect("tree", "path=0&sort=name", 200, "\"nodes\":[{\"rank\":2,");
    expect("tree", "path=0&sort=exclusive&order=asc", 200, "\"nodes\":[{\"rank\":2,");
    expect("tree", "sort=inclusive&by=wall", 200, "\"nodes\":[{\"rank\":0,");
    /* bar works most itself, but foo has it on its stack. */
    expect("tree", "inverted=1&by=wall", 200, "\"nodes\":[{\"rank\":1,");
    expect("tree", "inverted=1&by=wall&sort=method-inclusive", 200, "\"nodes\":[{\"rank\":0,");
    expect("tree", "inverted=1&by=wall&sort=method-inclusive&order=asc", 200,
           "\"nodes\":[{\"rank\":2,");
    expect("tree", "sort=method-inclusive", 400, "sort must be one of");
    expect("callers", "method=0&sort=method-inclusive", 400, "sort must be one of");
    expect("tree", "path=0&by=moon", 400, "by must be one of wall cpu wait");
}

static void calls_answers_stats_bars_and_a_page(void **state)
{
    (void)state;
    expect("calls", "method=1&clock=wall", 200,
           "\"rank\":1,\"count\":2,\"listed\":2,\"stats\":{\"wall_ns\":{\"min\":40000,\"p50\":"
           "40000,");
    expect("calls", "method=1&clock=wall", 200,
           "\"histogram\":{\"clock\":\"wall\",\"bars\":[{\"from_ns\":32000,\"to_ns\":48000,"
           "\"count\":1},{\"from_ns\":48000,\"to_ns\":64000,\"count\":1}]}");
    expect("calls", "method=1&clock=wall&n=1", 200,
           "\"calls\":[{\"thread\":2,\"depth\":0,\"call\":0,\"start_ns\":10000,\"end_ns\":60000,"
           "\"wall_ns\":50000,\"cpu_ns\":0,\"wait_ns\":50000,");
    expect("calls", "method=1&sort=first&offset=1", 200, "\"ordinal\":1}]}");
    expect("calls", "method=1&clock=wall&min=32000&max=48000", 200,
           "\"count\":2,\"listed\":1,\"stats\":{\"wall_ns\":{\"min\":40000,\"p50\":40000,");
    expect("calls", "method=1&clock=wall&min=32000&max=48000", 200,
           "\"calls\":[{\"thread\":1,\"depth\":1,\"call\":1,");
    expect("calls", "method=1&clock=wall&min=60000", 200, "\"listed\":0,");
    expect("calls", "method=1&n=0", 400, "n must be a whole number from 1 to 1000");
}

static void calls_are_sorted_as_asked(void **state)
{
    (void)state;
    const char *main_first = "\"calls\":[{\"thread\":1,";
    const char *worker_first = "\"calls\":[{\"thread\":2,";
    expect("calls", "method=1&clock=wall", 200, worker_first);
    expect("calls", "method=1&clock=wall&order=asc", 200, main_first);
    expect("calls", "method=1&sort=first", 200, worker_first);
    expect("calls", "method=1&sort=first&order=desc", 200, main_first);
    expect("calls", "method=1&sort=wall", 200, worker_first);
    expect("calls", "method=1&sort=cpu", 200, main_first);
    expect("calls", "method=1&sort=wait", 200, worker_first);
    expect("calls", "method=1&sort=exclusive&clock=wall", 200, worker_first);
    expect("calls", "method=1&sort=thread", 200, main_first);
    expect("calls", "method=1&sort=thread&order=desc", 200, worker_first);
    expect("calls", "method=1&sort=name", 400, "sort must be one of slowest first wall cpu");
    expect("calls", "method=1&order=up", 400, "order must be one of desc asc");
    expect("calls", "method=1&min=x", 400, "min must be a whole number");
}

static void call_tells_one_and_steps(void **state)
{
    (void)state;
    expect("call", "thread=1&depth=2&call=0", 200,
           "\"recursive\":true,\"rank\":0,\"id\":\"0x4\",\"method\":\"a.B.foo ()V\"");
    expect("call", "thread=1&depth=2&call=0", 200,
           "\"ordinal\":1,\"of\":2,\"median_ns\":10000,\"parent\":{\"depth\":1,\"call\":0,"
           "\"rank\":2},\"stack\":[0,2,0],\"stack_left_out\":0}");
    expect("call", "thread=1&depth=2&call=0&clock=cpu", 200, "\"clock\":\"cpu\",");
    expect("call", "thread=1&depth=2&call=0&clock=wait", 400, "clock must be one of wall cpu");
    expect("call", "thread=1&at=25000", 200, "\"depth\":2,\"call\":0,");
    expect("call", "method=1&ordinal=1", 200, "\"thread\":1,\"depth\":1,\"call\":1,");
    expect("call", "thread=1&depth=0&call=0", 200, "\"parent\":null,");
    static const struct {
        const char *step;
        const char *from;
        int status;
        const char *part;
    } steps[] = {
        {"parent", "thread=1&depth=1&call=0", 200, "\"thread\":1,\"depth\":0,\"call\":0,"},
        {"parent", "thread=1&depth=0&call=0", 404, "no call that way"},
        {"child", "thread=1&depth=0&call=0", 200, "\"thread\":1,\"depth\":1,\"call\":0,"},
        {"next-sibling", "thread=1&depth=1&call=0", 200, "\"thread\":1,\"depth\":1,\"call\":1,"},
        {"prev-sibling", "thread=1&depth=1&call=0", 404, "no call that way"},
        {"next", "thread=2&depth=0&call=0", 200, "\"thread\":1,\"depth\":1,\"call\":1,"},
        {"prev", "thread=1&depth=1&call=1", 200, "\"thread\":2,\"depth\":0,\"call\":0,"},
        {"next-in-thread", "thread=1&depth=1&call=0", 200, "\"thread\":1,\"depth\":2,"},
        {"prev-in-thread", "thread=1&depth=1&call=1", 200, "\"thread\":1,\"depth\":2,"},
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char query[128];
        (void)snprintf(query, sizeof(query), "%s&step=%s", steps[i].from, steps[i].step);
        expect("call", query, steps[i].status, steps[i].part);
    }
    expect("call", "thread=1&depth=9&call=0", 404, "no such call");
    expect("call", "thread=9&depth=0&call=0", 404, "no thread has the id 9");
    expect("call", "depth=0&call=0", 400, "parameter \\\"thread\\\" is missing");
    expect("call", "thread=1&at=200000", 404, "no call is open there then");
    expect("call", "thread=1&depth=0&call=0&step=up", 400, "step must be one of parent child");
}

static void search_counts_by_thread(void **state)
{
    (void)state;
    expect("search", "q=baz", 200,
           "{\"complete\":true,\"count\":1,\"calls\":2,\"ranks\":[1],"
           "\"threads\":[{\"id\":1,\"calls\":1},{\"id\":2,\"calls\":1}]}");
    expect("search", "q=/ba./&n=1", 200, "{\"complete\":false,\"count\":2,");
    expect("search", "q=%2F(%2F", 400, "the regular expression is wrong at character 2");
    expect("search", "", 400, "parameter \\\"q\\\" is missing");
}

static void nonsense_is_refused_with_its_reason(void **state)
{
    (void)state;
    expect("nothing", "", 404, "{\"error\":\"there is no such route\"}");
    expect("top", "colour=red", 400, "{\"error\":\"unknown parameter \\\"colour\\\"\"}");
    expect("top", "n=1&n=2", 400, "parameter \\\"n\\\" is given twice");
    expect("top", "n=-1", 400, "n must be a whole number");
    expect("top", "n=%31", 200, "\"count\":3");
    expect("top", "n=%3", 400, "% must be followed by two hexadecimal digits");
    expect("top", "n=%", 400, "% must be followed by two hexadecimal digits");
    expect("top", "sort=size", 400, "sort must be one of exclusive inclusive calls");
    expect("top", "clock=moon", 400, "clock must be one of wall cpu wait");
    expect("top", "from=5&to=5", 400, "from (5) must be below to (5)");
    expect("top", "threads=7", 404, "no thread has the id 7");
    expect("top", "threads=", 400, "threads must be ids");
    expect("top", "match=%2F(a%7Caa)%2B%5B%2F", 400, "the regular expression is wrong");
    expect("top", "&&", 200, "\"count\":3");
}

static void idle_threads_are_left_out_and_told_where_asked(void **state)
{
    (void)state;
    expect("top", "clock=wait&idle=apart", 200,
           "\"sampled\":false,\"idle\":[{\"id\":2,\"wait_ns\":50000}],"
           "\"total\":{\"wall_ns\":100000,\"cpu_ns\":100000}");
    expect("tree", "clock=wait&idle=apart", 200, "\"idle\":[{\"id\":2,");
    expect("detail", "clock=wait&idle=apart", 200, "\"idle\":[{\"id\":2,");
    expect("calls", "clock=wait&idle=apart&method=1", 200, "\"idle\":[{\"id\":2,");
    expect("top", "clock=wait", 200, "\"sampled\":false,\"total\":{\"wall_ns\":150000,");
    expect("top", "clock=wait&idle=apart&threads=2", 200, "\"sampled\":false,\"total\":");
    expect("top", "idle=maybe", 400, "idle");
}

static void detail_tells_where_the_time_went(void **state)
{
    (void)state;
    expect("detail", "thread=1&depth=0&call=0&clock=wall", 200,
           "\"subject\":\"call\",\"total\":{\"wall_ns\":100000,\"cpu_ns\":100000},\"calls\":1,");
    expect("detail", "thread=1&depth=0&call=0&clock=wall", 200,
           "\"self\":{\"wall_ns\":30000,\"cpu_ns\":30000},\"parts\":[{\"rank\":1,\"calls\":1,");
    expect("detail", "thread=1&depth=0&call=0&clock=wall", 200,
           "\"longest\":{\"thread\":1,\"depth\":1,\"call\":1,\"start_ns\":50000,\"end_ns\":90000,"
           "\"ns\":40000}}");
    expect("detail", "method=baz&threads=2", 200, "\"subject\":\"method\",");
    expect("detail", "threads=2&clock=wall", 200,
           "\"waits\":[{\"rank\":1,\"calls\":1,\"inclusive\":{\"wall_ns\":50000,\"cpu_ns\":0},"
           "\"exclusive\":{\"wall_ns\":50000,\"cpu_ns\":0},"
           "\"wait\":{\"inclusive_ns\":50000,\"exclusive_ns\":50000},\"wait_ns\":50000,\"longest\":"
           "{\"thread\":2,");
    expect("detail", "from=20000&to=30000", 200, "\"subject\":\"scope\",");
    expect("detail", "thread=1&depth=0", 400, "call");
    expect("detail", "thread=1&depth=0&call=9", 404, "the thread has no such call");
    expect("detail", "thread=1&depth=0&call=0&method=0", 400, "either a call or a method");
}

static void a_beginning_has_no_hash(void **state)
{
    const struct tv_api_part part = {.read_len = 12, .len = 100};
    (void)state;
    expect("info", "", 200, "\"hash\":\"");
    asked_trace.part = &part;
    assert_null(strstr(ask("info", "", NULL), "\"hash\""));
    asked_trace.part = NULL;
}

static void the_trace_that_is_meant_answers(void **state)
{
    (void)state;
    const struct tv_api former = asked;
    const struct tv_api_trace traces[] = {
        asked_trace, {.index = asked_trace.index, .file = TV_STR("other.trace")}};
    asked.traces = traces;
    asked.trace_count = 2;
    expect("info", "", 200, "\"file\":\"x.trace\"");
    asked.meant = 1;
    expect("info", "", 200, "\"file\":\"other.trace\"");
    asked = former;
}

/* The trace is compared with itself under another name, so that nothing changed. */
static void diff_compares_the_traces_that_are_named(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, asked_trace};
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    traces[2].name = TV_STR("3");
    asked.traces = traces;
    asked.trace_count = 3;
    expect("diff", "old=2", 200,
           "{\"old\":{\"runs\":1,\"files\":[\"old.trace\"],\"calls\":5,\"total_ns\":100000},"
           "\"new\":{\"runs\":1,\"files\":[\"x.trace\"],\"calls\":5,\"total_ns\":100000},"
           "\"clock\":\"cpu\",\"by\":\"inclusive\",\"least_change_ppm\":50000,\"methods\":3,");
    expect("diff", "old=2", 200,
           "\"contexts\":{\"in_both\":5,\"gone\":0,\"added\":0,\"changed\":0,\"moved\":0},"
           "\"one_sample\":true,\"calls\":[],\"times\":[],\"undecided\":[],\"moved\":[],"
           "\"paths\":[],\"threads\":[]}");
    expect("diff", "old=2&new=3,1&clock=wall&by=exclusive&least=7.5&n=0", 200,
           "\"clock\":\"wall\",\"by\":\"exclusive\",\"least_change_ppm\":75000,");
    expect("diff", "old=2,3&new=1", 200, "\"runs\":2,\"files\":[\"old.trace\",\"x.trace\"]");
    expect("diff", "old=2&root=a.B.bar", 200, "\"calls\":2,\"total_ns\":30000");
    expect("diff", "old=2&thread=wor*", 200, "\"calls\":1,\"total_ns\":0}");
    expect("diff", "old=2&from=45000&to=95000&clock=wall", 200, "\"calls\":3,\"total_ns\":65000}");
    expect("diff", "old=2&first=bar&until=baz", 200, "\"calls\":2,");
    asked = former;
}

/* The same findings and frames on both sides; what a route needs has to be there. */
static void verbs_against_an_old_trace_are_routes(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace};
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    asked.traces = traces;
    asked.trace_count = 2;
    expect("checkdiff", "old=2", 200, "],\"old\":{\"file\":\"old.trace\",");
    expect("checkdiff", "old=2", 200, ",\"new\":{\"file\":\"x.trace\",");
    expect("insightsdiff", "old=2", 200, "{\"changes\":[");
    expect(
        "lanesdiff", "old=2", 200,
        "{\"sides\":{\"budget_ns\":16666667,\"frames\":{\"old\":{\"count\":0,\"over_budget\":0},");
    expect("lanesdiff", "old=2&budget=5", 200, "\"budget_ns\":5,");
    expect("lanesdiff", "old=2&budget=0", 400, "budget");
    static const char *const routes[] = {"checkdiff", "insightsdiff", "lanesdiff"};
    for (size_t i = 0; i < TV_COUNT_OF(routes); i++) {
        expect(routes[i], "", 400, "old");
        expect(routes[i], "old=1", 400, "itself");
        expect(routes[i], "old=2,1", 400, "one trace");
        expect(routes[i], "old=9", 404, "no trace");
        assert_true(tv_api_names_others(tv_str_from(routes[i])));
    }
    assert_false(tv_api_names_others(TV_STR("calldiff")));
    asked = former;
}

/* A lockfile as the command writes it; beside an old trace what differs. */
static void counts_are_a_lockfile(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, asked_trace};
    (void)state;
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    traces[2].name = TV_STR("3");
    asked.traces = traces;
    asked.trace_count = 3;
    expect("counts", "", 200, "{\"runs\":1,\"methods\":3,\"lock\":\"traceview counts 1\\u000a");
    expect("counts", "", 200, "\\u000a2\\u0009a.C.baz ()V");
    expect("counts", "new=2,3&mine=a.", 200, "{\"runs\":2,\"methods\":3,\"lock\":");
    expect("counts", "mine=moon.", 400, "mine is 'moon.'");
    expect("counts", "mine=moon.&old=2", 400, "mine is 'moon.'");
    expect("counts", "mine=a.*", 200, "\"methods\":3,");
    expect("counts", "per=a.B.bar", 200, "\\u000aper a.B.bar\\u000a");
    expect("counts", "old=2,3", 200,
           "{\"lock\":\"old.trace\",\"runs\":2,\"methods\":3,\"differ\":0,\"differences\":[]}");
    expect("counts", "per=moon", 404, "");
    expect("counts", "first=foo", 400, "belong together");
    expect("counts", "first=foo&until=baz&per=bar", 400, "two ways");
    expect("counts", "old=9", 404, "no trace");
    asked = former;
}

static void trend_is_of_traces_in_their_order(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, asked_trace};
    (void)state;
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    traces[2].name = TV_STR("3");
    traces[2].file = TV_STR("older.trace");
    asked.traces = traces;
    asked.trace_count = 3;
    expect(
        "trend", "old=3,2", 200,
        "{\"clock\":\"cpu\",\"points\":[{\"file\":\"older.trace\",\"calls\":5,\"total_ns\":100000},"
        "{\"file\":\"old.trace\",\"calls\":5,\"total_ns\":100000},"
        "{\"file\":\"x.trace\",\"calls\":5,\"total_ns\":100000}],\"pending\":0,\"tested\":0,"
        "\"calls\":[],\"times\":[]}");
    expect("trend", "old=3&new=2&clock=wall", 200, "{\"clock\":\"wall\",");
    expect("trend", "", 400, "old");
    expect("trend", "old=3&least=0", 400, "least");
    expect("trend", "old=9", 404, "no trace");
    asked = former;
}

/* Without old traces limits are judged alone; what broke a rule is told with its calls. */
static void rules_are_judged(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace};
    (void)state;
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    asked.traces = traces;
    asked.trace_count = 2;
    expect("rules", "text=no+calls+of+a.C.*%0Acalls+of+a.B.bar+in+1%0Acalls+growth+%3C%3D+1+%25",
           200,
           "{\"files\":[\"x.trace\"],\"status\":3,\"rules\":[{\"line\":1,\"rule\":\"no calls of "
           "a.C.*\","
           "\"level\":\"error\",\"state\":\"broken\",\"why\":\"2 calls in recording "
           "1\",\"method\":\"a.C.baz ()V\","
           "\"calls\":[{");
    expect("rules", "text=calls+of+a.B.bar+in+1%0Acalls+growth+%3C%3D+1+%25", 200,
           "\"status\":0,\"rules\":[{\"line\":1,\"rule\":\"calls of a.B.bar in "
           "1\",\"level\":\"error\",\"state\":"
           "\"kept\"},{\"line\":2,\"rule\":\"calls growth <= 1 "
           "%\",\"level\":\"error\",\"state\":\"left out\"}]}");
    expect("rules", "text=calls+growth+%3C%3D+1+%25&old=2", 200,
           "{\"files\":[\"x.trace\"],\"old_files\":[\"old.trace\"],\"status\":0,\"rules\":[{"
           "\"line\":1,\"rule\":"
           "\"calls growth <= 1 %\",\"level\":\"error\",\"state\":\"kept\"}]}");
    expect("rules", "text=", 200, "\"status\":3,\"rules\":[]}");
    expect("rules", "", 400, "text");
    expect("rules", "text=no+calls+of+a.C.*%0Amoon", 400, "line 2");
    expect("rules", "text=no+calls+of+a&day=2026-02-30", 400, "2026-12-31");
    expect("rules", "text=no+calls+of+a&old=9", 404, "no trace");
    asked = former;
}

/* An exception holds until its day, which the question says: an answer has no clock. */
static void rules_have_the_day_of_the_question(void **state)
{
    static const char allowed[] = "text=no+calls+of+a.C.baz%0A"
                                  "allow+a.C.baz+until+2026-12-31+because+old";
    char query[160];
    (void)state;
    (void)snprintf(query, sizeof(query), "%s&day=2026-12-31", allowed);
    expect("rules", query, 200, "\"state\":\"allowed\"");
    (void)snprintf(query, sizeof(query), "%s&day=2027-01-01", allowed);
    expect("rules", query, 200, "\"state\":\"broken\"");
    expect("rules", allowed, 200, "\"state\":\"broken\"");
}

/* Each kind of numbers is a look at each trace. */
static void rules_that_ask_for_too_much_are_refused(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, asked_trace};
    char query[2048] = "old=2,3&text=";
    (void)state;
    traces[1].name = TV_STR("2");
    traces[2].name = TV_STR("3");
    asked.traces = traces;
    asked.trace_count = 3;
    for (unsigned i = 0; i < 20; i++)
        (void)snprintf(query + strlen(query), 64, "no+calls+of+a+on+thread+t%u%%0A", i);
    expect("rules", query, 200, "\"no data\"");
    (void)snprintf(query + strlen(query), 64, "no+calls+of+a+on+thread+more%%0A");
    expect("rules", query, 400, "22 threads and percentiles of 3 traces are too many");
    asked = former;
}

/* Where the columns of an answer with `boxes` boxes begin, and those of its names. */
#define CHANGE_COLUMN(boxes, i) ((size_t)64 + (size_t)(i) * (boxes)*8)
#define CHANGE_NUMBERS(boxes, i) (CHANGE_COLUMN(boxes, 5) + (size_t)(i) * (((boxes)*4 + 7) / 8 * 8))
#define CHANGE_NAMES(boxes) (CHANGE_NUMBERS(boxes, 5) + ((boxes) + 7) / 8 * 8)

/* all, main's foo, bar, foo, baz, and worker's baz, which stands on nothing. */
static void flamediff_packs_the_boxes_of_both_sides(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace};
    int status;
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    asked.traces = traces;
    asked.trace_count = 2;
    const char *body = ask("flamediff", "old=2&width=100&clock=wall", &status);
    assert_int_equal(status, 200);
    assert_memory_equal(body, "TVD1", 4);
    assert_int_equal(answer_u32(4), 1); /* complete; the wall clock */
    assert_true(answer_f64(8) == 150000 && answer_f64(16) == 150000 && answer_f64(24) == 0);
    assert_int_equal(answer_u32(40), 6);
    assert_int_equal(answer_u32(48), 4); /* levels */
    assert_int_equal(answer_u32(52), 4); /* names: all, foo, bar, baz */
    assert_true(answer_f64(CHANGE_COLUMN(6, 1)) == 150000);
    assert_int_equal(answer_u32(CHANGE_NUMBERS(6, 2)), UINT32_MAX); /* the parent of all */
    assert_int_equal(answer_u32(CHANGE_NUMBERS(6, 4) + 4), 1);      /* calls */
    assert_int_equal(answer_u8(CHANGE_NUMBERS(6, 5) + 1), 3);       /* on both sides */
    assert_int_equal(answer_u32(CHANGE_NAMES(6)), UINT32_MAX);      /* the rank of all */
    assert_int_equal(answer_len(), CHANGE_NAMES(6) + 32 + 3 + 3 * 7);
    (void)ask("flamediff", "old=2&width=100&clock=wall&threads=2&view=old", &status);
    assert_true(status == 200 && answer_f64(8) == 50000 && answer_f64(16) == 50000);
    (void)ask("flamediff", "old=2&width=100&share=1&path=a.B.foo%0Aa.B.bar", &status);
    assert_true(status == 200 && answer_u32(40) == 2);
    assert_int_equal(answer_u32(4), 1 | 1 << 8); /* both have CPU time */
    (void)ask("flamediff", "old=2&width=100&view=gone", &status);
    assert_true(status == 200 && answer_u32(40) == 0);
    asked = former;
}

/* The trace beside itself: each number is what `top` and `tree` tell. */
static void before_tells_what_methods_were(void **state)
{
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace};
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    traces[1].file = TV_STR("old.trace");
    asked.traces = traces;
    asked.trace_count = 2;
    expect("before", "old=2&ranks=0", 200,
           "{\"file\":\"old.trace\",\"total\":{\"wall_ns\":150000,\"cpu_ns\":100000},\"methods\":["
           "{\"rank\":0,\"calls\":1,\"recursive_calls\":1,"
           "\"inclusive\":{\"wall_ns\":100000,\"cpu_ns\":100000},"
           "\"exclusive\":{\"wall_ns\":");
    expect("before", "old=2&ranks=1&threads=2", 200, "{\"rank\":1,\"calls\":1,");
    expect("before", "old=2&ranks=0&threads=2", 200, "\"methods\":[]}");
    expect("before", "old=2&ranks=0,2&path=0", 200, "\"methods\":[{\"rank\":2,\"calls\":1,");
    expect("before", "old=2&ranks=0,2&path=0", 200, "\"inclusive\":{\"wall_ns\":30000,");
    expect("before", "old=2&ranks=0&path=0.2", 200, "{\"rank\":0,\"calls\":1,");
    expect("before", "old=2&ranks=2&path=0&inverted=1", 200, "{\"rank\":2,\"calls\":1,");
    expect("before", "old=2", 200, "\"methods\":[]}");
    expect("before", "old=2&ranks=99", 404, "99");
    expect("before", "old=2&ranks=x", 400, "ranks");
    expect("before", "old=2&ranks=0&clock=wall", 400, "unknown parameter");
    expect("before", "old=2&ranks=0&path=99", 404, "99");
    /* Other moments of the old trace are asked as its own range is; what it lacks names its file.
     */
    expect("before", "old=2&ranks=0&from=1&to=2&old_from=0&old_to=99999999", 200,
           "\"total\":{\"wall_ns\":150000,");
    expect("before", "old=2&ranks=0&from=1&to=2", 200, "\"total\":{\"wall_ns\":1,");
    expect("before", "old=2&ranks=0&old_from=99999999", 400, "old.trace: ");
    expect("before", "old=1&ranks=0", 400, "cannot be compared with itself");
    expect("before", "ranks=0", 400, "old");
    asked = former;
}

static void flamediff_refuses_what_it_cannot_compare(void **state)
{
    static const struct {
        const char *query;
        int status;
        const char *why;
    } refused[] = {
        {"width=100", 400, "old"},
        {"old=2", 400, "width"},
        {"old=2&width=0", 400, "width"},
        {"old=2,3&width=100", 400, "with one trace"},
        {"old=1&width=100", 400, "cannot be compared with itself"},
        {"old=9&width=100", 404, "no trace \\\"9\\\" is open here"},
        {"old=2&width=100&view=other", 400, "view"},
        {"old=2&width=100&path=x", 404, "no box of that path"},
        {"old=2&width=100&threads=77", 404, "77"},
        {"old=2&width=100&calls=along:0", 400, "unknown parameter"},
        {"old=2&width=100&clock=moon", 400, "clock"},
        {"old=2&width=100&clock=wall&from=96000&to=97000&threads=2", 400, "x.trace: no time"},
    };
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, asked_trace};
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    traces[2].name = TV_STR("3");
    asked.traces = traces;
    asked.trace_count = 3;
    for (size_t i = 0; i < TV_COUNT_OF(refused); i++)
        expect("flamediff", refused[i].query, refused[i].status, refused[i].why);
    asked = former;
}

/* The inner foo, with baz in it, beside the outer one, whose boxes are foo, bar, foo and baz: both
 * begin with the call, whatever it stands on. */
static void flamediff_compares_two_calls_of_one_trace(void **state)
{
    const char *both = "old_call=1.2.0&new_call=1.0.0&width=100&clock=wall";
    int status;
    (void)state;
    (void)ask("flamediff", both, &status);
    assert_int_equal(status, 200);
    assert_true(answer_f64(16) == 100000);
    assert_int_equal(answer_u32(40), 5); /* all, foo, bar, foo, baz */
    assert_int_equal(answer_u8(CHANGE_NUMBERS(5, 5) + 1), 3);
    assert_int_equal(answer_u8(CHANGE_NUMBERS(5, 5) + 2), 2); /* bar is the outer one's alone */
    (void)ask("flamediff", "old_call=1.0.0&new_call=1.0.0&width=100", &status);
    assert_true(status == 200 && answer_f64(24) == 0);
    expect("flamediff", "old_call=1.0.0&width=100", 400, "new_call");
    expect("flamediff", "new_call=1.0.0&width=100", 400, "old_call");
    expect("flamediff", "old_call=1.0.0&new_call=1.0.99&width=100", 404, "no such call");
    expect("flamediff", "old_call=1.0.0&new_call=x&width=100", 400, "new_call is no call");
    expect("flamediff", "old_call=1.0.0&new_call=1.2.0&old=1&width=100", 400, "leave old out");
    expect("flamediff", "old_call=1.0.0&new_call=1.2.0&hide=a.&width=100", 400, "leave hide out");
}

static void calldiff_compares_two_calls(void **state)
{
    (void)state;
    expect("calldiff", "old=1.0.0&new=1.0.0", 200, "\"runs\":1,\"files\":[\"x.trace\"]");
    expect("calldiff", "old=1.0.0&new=1.0.0", 200, "\"undecided\":[],\"moved\":[],\"paths\":[]}");
    expect("calldiff", "old=1.0.0&new=1.0.0&contexts=0", 200, "\"undecided\":[]}");
    expect("calldiff", "old=1.0.0&new=1.0.0&contexts=2", 400, "contexts");
    expect("calldiff", "old=1.0.0", 400, "new");
    expect("calldiff", "old=1.0&new=1.0.0", 400, "old is no call");
    expect("calldiff", "old=1.0.0&new=1.0.0.0", 400, "new is no call");
    expect("calldiff", "old=1.0.0&new=1.0.x", 400, "new is no call");
    expect("calldiff", "old=1.0.0&new=1.0.0.", 400, "new is no call");
    expect("top", "calls=call:1.0", 400, "calls is no call");
    expect("calldiff", "old=1.0.0&new=1.0.99", 404, "no such call");
    expect("calldiff", "old=1.0.0&new=77.0.0", 404, "");
}

static void diff_refuses_what_it_cannot_compare(void **state)
{
    static const char *const refused[][2] = {
        {"", "old"},
        {"old=1", "cannot be compared with itself"},
        {"old=2&new=2", "stands twice"},
        {"old=2&least=0", "least"},
        {"old=2&least=101", "least"},
        {"old=2&least=x", "least"},
        {"old=2&by=total", "by"},
        {"old=2&clock=wait", "clock"},
        {"old=2&n=-1", "n must"},
        {"old=2&first=bar", "belong together"},
        {"old=2&first=bar&until=baz&root=foo", "no other parameter"},
        {"old=2&from=9&to=9", "must be below"},
        {"old=2&rules=x", "rules"},
    };
    static const char *const unknown[][2] = {{"old=9", "no trace \\\"9\\\" is open here"},
                                             {"old=2&new=9", "is open here"},
                                             {"old=", "is open here"},
                                             {"old=2&root=nothing", "nothing"},
                                             {"old=2&thread=nobody", "nobody"},
                                             {"old=2&first=baz&until=bar", "no call"}};
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace, {.name = TV_STR("9")}};
    (void)state;
    traces[0].name = TV_STR("1");
    traces[1].name = TV_STR("2");
    asked.traces = traces;
    asked.trace_count = 3;
    for (size_t i = 0; i < TV_COUNT_OF(refused); i++)
        expect("diff", refused[i][0], 400, refused[i][1]);
    for (size_t i = 0; i < TV_COUNT_OF(unknown); i++)
        expect("diff", unknown[i][0], 404, unknown[i][1]);
    asked = former;
}

/* Of one side only the beginning is read, so nothing of the answer is final. */
static void diff_of_a_beginning_says_so(void **state)
{
    const struct tv_api_part part = {.read_len = 12, .len = 100};
    const struct tv_api former = asked;
    struct tv_api_trace traces[] = {asked_trace, asked_trace};
    (void)state;
    traces[1].name = TV_STR("2");
    traces[1].part = &part;
    asked.traces = traces;
    asked.trace_count = 2;
    expect("diff", "old=2", 200, "{\"complete\":false,\"old\":{");
    asked = former;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_that_is_meant_answers),
        cmocka_unit_test(a_beginning_has_no_hash),
        cmocka_unit_test(diff_compares_the_traces_that_are_named),
        cmocka_unit_test(verbs_against_an_old_trace_are_routes),
        cmocka_unit_test(counts_are_a_lockfile),
        cmocka_unit_test(trend_is_of_traces_in_their_order),
        cmocka_unit_test(rules_are_judged),
        cmocka_unit_test(rules_have_the_day_of_the_question),
        cmocka_unit_test(rules_that_ask_for_too_much_are_refused),
        cmocka_unit_test(calldiff_compares_two_calls),
        cmocka_unit_test(before_tells_what_methods_were),
        cmocka_unit_test(flamediff_packs_the_boxes_of_both_sides),
        cmocka_unit_test(flamediff_refuses_what_it_cannot_compare),
        cmocka_unit_test(flamediff_compares_two_calls_of_one_trace),
        cmocka_unit_test(diff_refuses_what_it_cannot_compare),
        cmocka_unit_test(diff_of_a_beginning_says_so),
        cmocka_unit_test(info_tells_the_trace),
        cmocka_unit_test(every_answer_with_times_says_what_they_stand_on),
        cmocka_unit_test(insights_tells_the_threshold_and_what_is_above),
        cmocka_unit_test(idle_threads_are_left_out_and_told_where_asked),
        cmocka_unit_test(detail_tells_where_the_time_went),
        cmocka_unit_test(lanes_of_no_app_are_empty),
        cmocka_unit_test(levels_tells_what_hiding_leaves_of_each_thread),
        cmocka_unit_test(curve_is_of_root_calls),
        cmocka_unit_test(call_tells_its_level_and_steps_over_what_is_hidden),
        cmocka_unit_test(exports_lists_the_formats),
        cmocka_unit_test(preview_tells_what_redaction_would_do),
        cmocka_unit_test(every_answer_from_a_part_says_so),
        cmocka_unit_test(top_sorts_filters_and_cuts),
        cmocka_unit_test(top_gives_the_whole_order_as_ranks),
        cmocka_unit_test(top_tells_what_all_rows_took_together),
        cmocka_unit_test(top_groups_by_class_and_package),
        cmocka_unit_test(top_has_no_allocations_where_the_trace_tells_none),
        cmocka_unit_test(top_tells_what_stayed_where_it_is_asked),
        cmocka_unit_test(top_estimates_the_cost_of_tracing),
        cmocka_unit_test(methods_names_ranks),
        cmocka_unit_test(callers_has_four_groups_and_self),
        cmocka_unit_test(tree_answers_levels_below_a_path),
        cmocka_unit_test(tables_of_relations_and_trees_sort_as_asked),
        cmocka_unit_test(calls_answers_stats_bars_and_a_page),
        cmocka_unit_test(calls_are_sorted_as_asked),
        cmocka_unit_test(call_tells_one_and_steps),
        cmocka_unit_test(search_counts_by_thread),
        cmocka_unit_test(nonsense_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, asking_begin, asking_end);
}
