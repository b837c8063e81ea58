/*
 * Finding out of which benchmark a trace is; see compare/benchmark.h. Members of the JSON may stand
 * in any order, so those of one object are kept until it ends.
 */
#include "compare/benchmark.h"

#include <string.h>

#include "base/text/json_read.h"

#define NAME_LEN_MOST 65535u

void tv_benchmark_traces_init(struct tv_benchmark_traces *traces, const struct tv_alloc *alloc)
{
    *traces = (struct tv_benchmark_traces){.alloc = alloc};
    tv_arena_init(&traces->texts, alloc);
}

void tv_benchmark_traces_release(struct tv_benchmark_traces *traces)
{
    tv_alloc_release(traces->alloc, &traces->of, traces->cap, sizeof(*traces->of));
    tv_arena_release(&traces->texts);
    tv_benchmark_traces_init(traces, traces->alloc);
}

struct reading {
    struct tv_benchmark_traces *traces;
    struct tv_json_reader reader;
    size_t first; /* the first trace of the benchmark that is being read */
};

/* Keeps the text of a raw string, cut to what is a name. */
static enum tv_code keep(struct reading *reading, struct tv_str raw, struct tv_str *kept,
                         struct tv_error *err)
{
    char *text;
    size_t len;
    TV_TRY(tv_arena_take(&reading->traces->texts, raw.len + 1, &text, err));
    TV_TRY(tv_json_unescape(raw, text, &len, err));
    *kept = (struct tv_str){text, len < NAME_LEN_MOST ? len : NAME_LEN_MOST};
    return TV_OK;
}

/* Reads the value of a key if it is a string, and passes over anything else. */
static enum tv_code read_text(struct reading *reading, struct tv_str *text, struct tv_error *err)
{
    enum tv_json_token token;
    TV_TRY(tv_json_read(&reading->reader, &token, err));
    return token == TV_JSON_STRING ? keep(reading, reading->reader.raw, text, err)
                                   : tv_json_read_past(&reading->reader, token, err);
}

/* The next key of the object that is open; *is_there: false at its end. */
static enum tv_code next_key(struct reading *reading, struct tv_str *key, bool *is_there,
                             struct tv_error *err)
{
    enum tv_json_token token;
    TV_TRY(tv_json_read(&reading->reader, &token, err));
    *is_there = token == TV_JSON_KEY;
    *key = reading->reader.raw;
    return TV_OK;
}

/* The next item of the list that is open, if it is an object; *is_there: false at its end. */
static enum tv_code next_object(struct reading *reading, bool *is_there, struct tv_error *err)
{
    for (;;) {
        enum tv_json_token token;
        TV_TRY(tv_json_read(&reading->reader, &token, err));
        *is_there = token != TV_JSON_ARRAY_END;
        if (!*is_there || token == TV_JSON_OBJECT)
            return TV_OK;
        TV_TRY(tv_json_read_past(&reading->reader, token, err));
    }
}

/* Whether the value of a key is a list, which is open then; anything else is passed over. */
static enum tv_code open_list(struct reading *reading, bool *is_list, struct tv_error *err)
{
    enum tv_json_token token;
    TV_TRY(tv_json_read(&reading->reader, &token, err));
    *is_list = token == TV_JSON_ARRAY;
    return *is_list ? TV_OK : tv_json_read_past(&reading->reader, token, err);
}

static enum tv_code read_output(struct reading *reading, struct tv_error *err)
{
    struct tv_benchmark_traces *traces = reading->traces;
    struct tv_str type = {NULL, 0};
    struct tv_str file = {NULL, 0};
    struct tv_str key;
    bool is_there;
    TV_TRY(next_key(reading, &key, &is_there, err));
    while (is_there) {
        if (tv_str_equal(key, TV_STR("type")))
            TV_TRY(read_text(reading, &type, err));
        else if (tv_str_equal(key, TV_STR("filename")))
            TV_TRY(read_text(reading, &file, err));
        else
            TV_TRY(tv_json_read_past(&reading->reader, TV_JSON_KEY, err));
        TV_TRY(next_key(reading, &key, &is_there, err));
    }
    if (!file.len || !tv_str_equal(type, TV_STR("MethodTrace")))
        return TV_OK;
    TV_TRY(tv_alloc_grow(traces->alloc, &traces->of, &traces->cap, traces->count + 1,
                         sizeof(*traces->of), err));
    traces->of[traces->count++] = (struct tv_benchmark_trace){.file = file};
    return TV_OK;
}

/* Reads each object of the list that is the value of a key. *is_list: it is one. */
static enum tv_code read_objects(struct reading *reading, bool *is_list,
                                 enum tv_code (*read_one)(struct reading *reading,
                                                          struct tv_error *err),
                                 struct tv_error *err)
{
    bool is_there;
    TV_TRY(open_list(reading, is_list, err));
    if (!*is_list)
        return TV_OK;
    TV_TRY(next_object(reading, &is_there, err));
    while (is_there) {
        TV_TRY(read_one(reading, err));
        TV_TRY(next_object(reading, &is_there, err));
    }
    return TV_OK;
}

/* "com.example.StartBenchmark.start", for all traces of the benchmark. */
static enum tv_code name_traces(struct reading *reading, struct tv_str class_name,
                                struct tv_str name, struct tv_error *err)
{
    struct tv_benchmark_traces *traces = reading->traces;
    const size_t len = class_name.len + name.len + 1;
    char *whole;
    TV_TRY(tv_arena_take(&traces->texts, len + 1, &whole, err));
    if (class_name.len)
        memcpy(whole, class_name.at, class_name.len);
    whole[class_name.len] = '.';
    if (name.len)
        memcpy(whole + class_name.len + 1, name.at, name.len);
    for (size_t i = reading->first; i < traces->count; i++)
        traces->of[i].name = class_name.len ? (struct tv_str){whole, len} : name;
    return TV_OK;
}

static enum tv_code read_benchmark(struct reading *reading, struct tv_error *err)
{
    struct tv_str class_name = {NULL, 0};
    struct tv_str name = {NULL, 0};
    struct tv_str key;
    bool is_there;
    bool is_list;
    reading->first = reading->traces->count;
    TV_TRY(next_key(reading, &key, &is_there, err));
    while (is_there) {
        if (tv_str_equal(key, TV_STR("className")))
            TV_TRY(read_text(reading, &class_name, err));
        else if (tv_str_equal(key, TV_STR("name")))
            TV_TRY(read_text(reading, &name, err));
        else if (tv_str_equal(key, TV_STR("profilerOutputs")))
            TV_TRY(read_objects(reading, &is_list, read_output, err));
        else
            TV_TRY(tv_json_read_past(&reading->reader, TV_JSON_KEY, err));
        TV_TRY(next_key(reading, &key, &is_there, err));
    }
    return name_traces(reading, class_name, name, err);
}

static enum tv_code read_all(struct reading *reading, struct tv_error *err)
{
    enum tv_json_token token;
    struct tv_str key;
    bool is_there;
    bool is_list;
    bool is_data = false;
    TV_TRY(tv_json_read(&reading->reader, &token, err));
    if (token != TV_JSON_OBJECT)
        return tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "it has no list of benchmarks");
    TV_TRY(next_key(reading, &key, &is_there, err));
    while (is_there) {
        if (tv_str_equal(key, TV_STR("benchmarks"))) {
            TV_TRY(read_objects(reading, &is_list, read_benchmark, err));
            is_data = is_data || is_list;
        } else {
            TV_TRY(tv_json_read_past(&reading->reader, TV_JSON_KEY, err));
        }
        TV_TRY(next_key(reading, &key, &is_there, err));
    }
    TV_TRY(tv_json_read(&reading->reader, &token, err));
    return is_data ? TV_OK
                   : tv_fail(err, TV_ERR_FORMAT, TV_NO_OFFSET, "it has no list of benchmarks");
}

/* What was read before a failure is not kept, so that half a file names nothing. */
enum tv_code tv_benchmark_traces_read(struct tv_benchmark_traces *traces, struct tv_str json,
                                      struct tv_error *err)
{
    const size_t before = traces->count;
    struct reading reading = {.traces = traces, .reader = tv_json_reader_of(json)};
    enum tv_code code = read_all(&reading, err);
    if (code != TV_OK)
        traces->count = before;
    return code;
}

bool tv_is_benchmark_data(struct tv_str path)
{
    return tv_str_ends_with(path, TV_STR("enchmarkData.json"));
}

static const struct tv_str endings[] = {{".trace", 6}, {".trace.gz", 9}, {".trace.zst", 10}};

bool tv_is_trace_name(struct tv_str path)
{
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        if (tv_str_ends_with(path, endings[i]))
            return true;
    }
    return false;
}

struct tv_str tv_trace_stem(struct tv_str path)
{
    for (size_t i = 0; i < TV_COUNT_OF(endings); i++) {
        if (tv_str_ends_with(path, endings[i]))
            return (struct tv_str){path.at, path.len - endings[i].len};
    }
    return path;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes a number from the front of a text, without the zeros before it. */
static struct tv_str take_number(struct tv_str *text)
{
    struct tv_str number = {text->at, 0};
    while (number.len < text->len && is_digit(text->at[number.len]))
        number.len++;
    *text = (struct tv_str){text->at + number.len, text->len - number.len};
    while (number.len > 1 && number.at[0] == '0')
        number = (struct tv_str){number.at + 1, number.len - 1};
    return number;
}

/* The shorter of two numbers without zeros before them is the smaller one. */
static int compare_numbers(struct tv_str a, struct tv_str b)
{
    return a.len == b.len ? tv_str_compare(a, b) : (a.len < b.len ? -1 : 1);
}

int tv_trace_names_compare(struct tv_str a, struct tv_str b)
{
    struct tv_str rest_of_a = a;
    struct tv_str rest_of_b = b;
    while (rest_of_a.len && rest_of_b.len) {
        int order = 0;
        if (is_digit(rest_of_a.at[0]) && is_digit(rest_of_b.at[0])) {
            const struct tv_str number = take_number(&rest_of_a);
            order = compare_numbers(number, take_number(&rest_of_b));
        } else {
            order =
                tv_str_compare((struct tv_str){rest_of_a.at, 1}, (struct tv_str){rest_of_b.at, 1});
            rest_of_a = (struct tv_str){rest_of_a.at + 1, rest_of_a.len - 1};
            rest_of_b = (struct tv_str){rest_of_b.at + 1, rest_of_b.len - 1};
        }
        if (order)
            return order;
    }
    if (rest_of_a.len || rest_of_b.len)
        return rest_of_a.len ? 1 : -1;
    return tv_str_compare(a, b);
}

/* The text without digits at its end, and what stands before them in the name of a run. `is_said`:
 * a word has to say that it is one. */
static struct tv_str without_run(struct tv_str text, bool is_said)
{
    static const struct tv_str words[] = {{"iter", 4}, {"run", 3}};
    struct tv_str rest = text;
    bool has_word = false;
    while (rest.len && is_digit(rest.at[rest.len - 1]))
        rest.len--;
    if (rest.len == text.len)
        return text;
    for (size_t i = 0; !has_word && i < TV_COUNT_OF(words); i++) {
        has_word = tv_str_ends_with(rest, words[i]);
        rest.len -= has_word ? words[i].len : 0;
    }
    if (is_said && !has_word)
        return text;
    bool is_apart = rest.len > 1 && strchr("-_. ", rest.at[rest.len - 1]) != NULL;
    return is_apart ? (struct tv_str){rest.at, rest.len - 1} : text;
}

/* "-methodTracing-2026-11-24-12-00-00": all behind the mark are digits and dashes. */
static struct tv_str without_date(struct tv_str text, bool *is_dated)
{
    const struct tv_str mark = TV_STR("-methodTracing-");
    size_t end = text.len;
    while (end && (is_digit(text.at[end - 1]) || text.at[end - 1] == '-'))
        end--;
    for (; end < text.len; end++) {
        const struct tv_str head = {text.at, end + 1};
        *is_dated = text.at[end] == '-' && head.len > mark.len && tv_str_ends_with(head, mark);
        if (*is_dated)
            return (struct tv_str){text.at, head.len - mark.len};
    }
    return text;
}

/* Whether a text is a date, with or without a time: "2026-11-24", "2026-11-24T12-00-00". Behind the
 * day are digits and what stands between numbers. */
static bool is_date(struct tv_str text)
{
    static const char form[] = "0000-00-00";
    if (text.len < sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const bool is_number = is_digit(text.at[i]);
        if (i < sizeof(form) - 1 ? (form[i] == '0' ? !is_number : text.at[i] != form[i])
                                 : !is_number && !strchr("-_.:T ", text.at[i]))
            return false;
    }
    return text.len == sizeof(form) - 1 || !is_digit(text.at[sizeof(form) - 1]);
}

/* The text without a date at its end, and what stands before that. A name that is a date alone
 * stays whole. */
static struct tv_str without_plain_date(struct tv_str text, bool *is_dated)
{
    for (size_t i = text.len; i-- > 0 && text.at[i] != '/';) {
        const bool begins = i == 0 || strchr("-_. /", text.at[i - 1]) != NULL;
        if (!begins || !is_date((struct tv_str){text.at + i, text.len - i}))
            continue;
        *is_dated = true;
        return i > 1 && text.at[i - 1] != '/' && text.at[i - 2] != '/'
                   ? (struct tv_str){text.at, i - 1}
                   : text;
    }
    return text;
}

/* A date tells runs apart: a number before it is of the benchmark, such as its size. */
struct tv_str tv_benchmark_of_path(struct tv_str path)
{
    bool is_dated = false;
    struct tv_str undated = without_date(tv_trace_stem(path), &is_dated);
    if (!is_dated)
        undated = without_plain_date(undated, &is_dated);
    struct tv_str name = without_run(undated, is_dated);
    /* A name that is a number alone tells nothing of a benchmark: then the number is its name. */
    return name.len && name.at[name.len - 1] != '/' ? name : undated;
}
