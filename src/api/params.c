/* Parameters of requests; see api/params.h. */
#include "api/params.h"

#include <string.h>

#include "analysis/selection/names.h"
#include "base/alloc.h"
#include "base/error.h"

/* Longest part of a user's text that an error repeats. */
#define SHOWN_LEN 60

static int shown_len(struct tv_str text)
{
    return text.len > SHOWN_LEN ? SHOWN_LEN : (int)text.len;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static enum tv_code decode(struct tv_arena *arena, struct tv_str raw, struct tv_str *out,
                           struct tv_error *err)
{
    char *at;
    size_t len = 0;
    TV_TRY(tv_arena_take(arena, raw.len + 1, &at, err));
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.at[i];
        if (c == '%') {
            bool is_whole = raw.len - i > 2;
            int high = is_whole ? hex_value(raw.at[i + 1]) : -1;
            int low = is_whole ? hex_value(raw.at[i + 2]) : -1;
            if (high < 0 || low < 0)
                return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                               "%% must be followed by two hexadecimal digits");
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        at[len++] = c;
    }
    *out = (struct tv_str){at, len};
    return TV_OK;
}

static bool is_known(struct tv_str name, const char *const *known)
{
    for (; *known; known++) {
        if (tv_str_equal(name, tv_str_from(*known)))
            return true;
    }
    return false;
}

static enum tv_code add_param(struct tv_params *params, struct tv_str pair,
                              const char *const *known, struct tv_error *err)
{
    struct tv_param param = {.name = {NULL, 0}};
    struct tv_str rest = pair;
    struct tv_str name;
    if (!tv_str_split(&rest, '=', &name))
        return TV_OK;
    TV_TRY(decode(params->arena, name, &param.name, err));
    TV_TRY(decode(params->arena, rest, &param.value, err));
    if (!is_known(param.name, known))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "unknown parameter \"%.*s\"",
                       shown_len(param.name), param.name.at);
    for (size_t i = 0; i < params->count; i++) {
        if (tv_str_equal(params->of[i].name, param.name))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "parameter \"%.*s\" is given twice",
                           shown_len(param.name), param.name.at);
    }
    if (params->count == TV_PARAM_LIMIT)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "more than %u parameters",
                       TV_PARAM_LIMIT);
    params->of[params->count++] = param;
    return TV_OK;
}

enum tv_code tv_params_parse(struct tv_params *params, struct tv_arena *arena, struct tv_str query,
                             const char *const *known, struct tv_error *err)
{
    struct tv_str pair;
    *params = (struct tv_params){.arena = arena};
    while (tv_str_split(&query, '&', &pair)) {
        if (pair.len)
            TV_TRY(add_param(params, pair, known, err));
    }
    return TV_OK;
}

bool tv_params_find(const struct tv_params *params, const char *name, struct tv_str *value)
{
    for (size_t i = 0; i < params->count; i++) {
        if (tv_str_equal(params->of[i].name, tv_str_from(name))) {
            *value = params->of[i].value;
            return true;
        }
    }
    return false;
}

enum tv_code tv_params_u64(const struct tv_params *params, const char *name, uint64_t least,
                           uint64_t most, uint64_t *value, struct tv_error *err)
{
    struct tv_str text;
    uint64_t number;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    if (!tv_str_to_u64(text, 10, &number) || number < least || number > most)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s must be a whole number from %llu to %llu, not \"%.*s\"", name,
                       (unsigned long long)least, (unsigned long long)most, shown_len(text),
                       text.at);
    *value = number;
    return TV_OK;
}

enum tv_code tv_params_truth(const struct tv_params *params, const char *name, bool *value,
                             struct tv_error *err)
{
    uint64_t number = *value;
    TV_TRY(tv_params_u64(params, name, 0, 1, &number, err));
    *value = number != 0;
    return TV_OK;
}

enum tv_code tv_params_decimal(const struct tv_params *params, const char *name, double *value,
                               struct tv_error *err)
{
    struct tv_str text;
    struct tv_str whole;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    struct tv_str rest = text;
    double sum = 0;
    double step = 1;
    bool is_number = tv_str_split(&rest, '.', &whole) && whole.len + rest.len > 0;
    for (size_t i = 0; is_number && i < whole.len; i++) {
        is_number = whole.at[i] >= '0' && whole.at[i] <= '9';
        sum = sum * 10 + (whole.at[i] - '0');
    }
    for (size_t i = 0; is_number && i < rest.len; i++) {
        is_number = rest.at[i] >= '0' && rest.at[i] <= '9';
        step /= 10;
        sum += (rest.at[i] - '0') * step;
    }
    if (!is_number || text.len > 20)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%s must be a decimal number, not \"%.*s\"", name, shown_len(text), text.at);
    *value = sum;
    return TV_OK;
}

enum tv_code tv_params_choice(const struct tv_params *params, const char *name,
                              const char *const *words, size_t word_count, unsigned *choice,
                              struct tv_error *err)
{
    struct tv_str text;
    char list[128];
    size_t len = 0;
    if (!tv_params_find(params, name, &text))
        return TV_OK;
    for (size_t i = 0; i < word_count; i++) {
        if (tv_str_equal(text, tv_str_from(words[i]))) {
            *choice = (unsigned)i;
            return TV_OK;
        }
        size_t word_len = strlen(words[i]);
        if (len + word_len + 1 < sizeof(list)) {
            memcpy(list + len, words[i], word_len);
            list[len + word_len] = ' ';
            len += word_len + 1;
        }
    }
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "%s must be one of %.*s, not \"%.*s\"", name,
                   len ? (int)len - 1 : 0, list, shown_len(text), text.at);
}

enum tv_code tv_params_list(const struct tv_params *params, const char *name, char separator,
                            uint64_t **values, size_t *count, struct tv_error *err)
{
    struct tv_str text;
    struct tv_str part;
    size_t parts = 1;
    if (!tv_params_find(params, name, &text) || !text.len)
        return TV_OK;
    for (size_t i = 0; i < text.len; i++)
        parts += text.at[i] == separator;
    TV_TRY(tv_arena_take(params->arena, parts * sizeof(**values), values, err));
    *count = 0;
    for (struct tv_str rest = text; tv_str_split(&rest, separator, &part);) {
        if (!tv_str_to_u64(part, 10, &(*values)[*count]))
            return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                           "%s must be whole numbers separated by \"%c\", not \"%.*s\"", name,
                           separator, shown_len(part), part.at ? part.at : "");
        (*count)++;
    }
    return TV_OK;
}

enum tv_code tv_params_missing(const char *name, struct tv_error *err)
{
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "parameter \"%s\" is missing", name);
}

enum tv_code tv_params_has_measure(const struct tv_index *index, enum tv_measure measure,
                                   struct tv_error *err)
{
    const uint32_t *has = index->info->has_clock;
    /* A dump of all methods has no times at all; its calls are worth an answer. */
    if (!has[TV_CLOCK_WALL] && !has[TV_CLOCK_CPU])
        return TV_OK;
    bool needs_wall = measure != TV_MEASURE_CPU;
    bool needs_cpu = measure != TV_MEASURE_WALL;
    if ((needs_wall && !has[TV_CLOCK_WALL]) || (needs_cpu && !has[TV_CLOCK_CPU]))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "this trace has no %s clock",
                       has[TV_CLOCK_WALL] ? "CPU" : "wall");
    return TV_OK;
}

enum tv_code tv_params_measure(const struct tv_params *params, const char *name,
                               const struct tv_index *index, enum tv_measure *measure,
                               struct tv_error *err)
{
    static const char *const words[] = {"wall", "cpu", "wait"};
    unsigned choice = (unsigned)*measure;
    TV_TRY(tv_params_choice(params, name, words, TV_COUNT_OF(words), &choice, err));
    TV_TRY(tv_params_has_measure(index, (enum tv_measure)choice, err));
    *measure = (enum tv_measure)choice;
    return TV_OK;
}

enum tv_code tv_params_thread_of_id(const struct tv_index *index, uint64_t id, uint32_t *thread_ix,
                                    struct tv_error *err)
{
    *thread_ix = id > UINT32_MAX ? TV_NONE : tv_index_thread_of_id(index, (uint32_t)id);
    if (*thread_ix == TV_NONE)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no thread has the id %llu",
                       (unsigned long long)id);
    return TV_OK;
}

static enum tv_code take_threads(const struct tv_params *params, const struct tv_index *index,
                                 struct tv_selection *selection, struct tv_error *err)
{
    uint64_t *ids = NULL;
    size_t id_count = 0;
    uint8_t *is_chosen;
    uint32_t *threads;
    struct tv_str text;
    if (!tv_params_find(params, "threads", &text))
        return TV_OK;
    TV_TRY(tv_params_list(params, "threads", ',', &ids, &id_count, err));
    if (!id_count)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "threads must be ids separated by commas");
    TV_TRY(tv_arena_take(params->arena, index->thread_count + 1u, &is_chosen, err));
    TV_TRY(tv_arena_take(params->arena, (index->thread_count + (size_t)1) * sizeof(*threads),
                         &threads, err));
    for (size_t i = 0; i < id_count; i++) {
        uint32_t thread_ix;
        TV_TRY(tv_params_thread_of_id(index, ids[i], &thread_ix, err));
        is_chosen[thread_ix] = 1;
    }
    selection->threads = threads;
    for (uint32_t i = 0; i < index->thread_count; i++) {
        if (is_chosen[i])
            threads[selection->thread_count++] = i;
    }
    return TV_OK;
}

static enum tv_code take_range(const struct tv_params *params, const struct tv_index *index,
                               struct tv_selection *selection, struct tv_error *err)
{
    uint64_t axis_len = tv_axis_len_ns(index);
    selection->from_ns = 0;
    selection->to_ns = axis_len;
    TV_TRY(tv_params_u64(params, "from", 0, INT64_MAX, &selection->from_ns, err));
    TV_TRY(tv_params_u64(params, "to", 0, INT64_MAX, &selection->to_ns, err));
    selection->has_range = selection->from_ns > 0 || selection->to_ns < axis_len;
    if (selection->has_range && !index->info->has_clock[tv_index_axis(index)])
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "this trace has no times to take a range of");
    if (selection->has_range && selection->from_ns >= selection->to_ns)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "from (%llu) must be below to (%llu)",
                       (unsigned long long)selection->from_ns,
                       (unsigned long long)selection->to_ns);
    return TV_OK;
}

enum tv_code tv_params_view(const struct tv_params *params, const struct tv_index *index,
                            struct tv_view *view, struct tv_error *err)
{
    *view = (struct tv_view){.measure = tv_index_default_clock(index) == TV_CLOCK_CPU
                                            ? TV_MEASURE_CPU
                                            : TV_MEASURE_WALL};
    TV_TRY(take_range(params, index, &view->selection, err));
    TV_TRY(take_threads(params, index, &view->selection, err));
    TV_TRY(tv_params_measure(params, "clock", index, &view->measure, err));
    (void)tv_params_find(params, "match", &view->match);
    (void)tv_params_find(params, "hide", &view->hide);
    return TV_OK;
}

enum tv_code tv_params_sort(const struct tv_params *params, const struct tv_index *index,
                            const struct tv_view *view, enum tv_sort_key key,
                            struct tv_profile_sort *sort, struct tv_error *err)
{
    static const char *const keys[] = {"exclusive", "inclusive", "calls",
                                       "per-call",  "name",      "rank"};
    static const char *const orders[] = {"desc", "asc"};
    unsigned choice = (unsigned)key;
    TV_TRY(tv_params_choice(params, "sort", keys, TV_COUNT_OF(keys), &choice, err));
    unsigned order =
        choice == TV_SORT_NAME || choice == TV_SORT_RANK ? TV_ASCENDING : TV_DESCENDING;
    TV_TRY(tv_params_choice(params, "order", orders, TV_COUNT_OF(orders), &order, err));
    *sort = (struct tv_profile_sort){
        .key = (enum tv_sort_key)choice, .measure = view->measure, .order = (enum tv_order)order};
    return tv_params_measure(params, "by", index, &sort->measure, err);
}

enum tv_code tv_params_rank(const struct tv_index *index, uint64_t rank, uint32_t *method_ix,
                            struct tv_error *err)
{
    if (rank >= index->method_count)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no method has the rank %llu",
                       (unsigned long long)rank);
    *method_ix = index->method_of_rank[rank];
    return TV_OK;
}

enum tv_code tv_params_path(const struct tv_params *params, const char *name,
                            const struct tv_index *index, size_t limit, struct tv_method_path *path,
                            struct tv_error *err)
{
    uint64_t *ranks = NULL;
    size_t count = 0;
    uint32_t *methods;
    TV_TRY(tv_params_list(params, name, '.', &ranks, &count, err));
    if (count > limit)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET, "a path of %zu methods; at most %zu",
                       count, limit);
    TV_TRY(tv_arena_take(params->arena, (count + 1) * sizeof(*methods), &methods, err));
    for (size_t i = 0; i < count; i++)
        TV_TRY(tv_params_rank(index, ranks[i], &methods[i], err));
    *path = (struct tv_method_path){methods, count};
    return TV_OK;
}

/* By whole name first, then by "class.name" when no two share it. */
static enum tv_code find_by_name(const struct tv_params *params, const struct tv_index *index,
                                 struct tv_str name, uint32_t *method_ix, struct tv_error *err)
{
    struct tv_buffer text;
    enum tv_code code = TV_OK;
    uint32_t short_hit = TV_NONE;
    uint32_t short_hits = 0;
    tv_buffer_init(&text, params->arena->alloc);
    *method_ix = TV_NONE;
    /* In order of rank, so that among equal names the heaviest is meant. */
    for (uint32_t rank = 0; rank < index->method_count && *method_ix == TV_NONE; rank++) {
        uint32_t at = index->method_of_rank[rank];
        code = tv_method_text(index, at, &text, err);
        if (code != TV_OK)
            break;
        struct tv_str whole = tv_buffer_view(&text);
        if (tv_str_equal(whole, name))
            *method_ix = at;
        size_t tail = tv_method_signature(index, at).len + 1;
        if (whole.len > tail && whole.len - tail == name.len && tv_str_starts_with(whole, name)) {
            short_hit = short_hit == TV_NONE ? at : short_hit;
            short_hits++;
        }
    }
    tv_buffer_release(&text);
    if (code == TV_OK && *method_ix == TV_NONE && short_hits > 1)
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "%u methods are called \"%.*s\": add the signature", short_hits,
                       shown_len(name), name.at);
    if (code == TV_OK && *method_ix == TV_NONE)
        *method_ix = short_hit;
    return code;
}

enum tv_code tv_params_method(const struct tv_params *params, const char *name,
                              const struct tv_index *index, uint32_t *method_ix,
                              struct tv_error *err)
{
    struct tv_str text;
    uint64_t number;
    if (!tv_params_find(params, name, &text) || !text.len)
        return tv_params_missing(name, err);
    if (tv_str_to_u64(text, 10, &number))
        return tv_params_rank(index, number, method_ix, err);
    *method_ix = TV_NONE;
    if (tv_str_starts_with(text, TV_STR("0x")) &&
        tv_str_to_u64((struct tv_str){text.at + 2, text.len - 2}, 16, &number))
        *method_ix = tv_index_method_of_id(index, number);
    if (*method_ix == TV_NONE)
        TV_TRY(find_by_name(params, index, text, method_ix, err));
    if (*method_ix == TV_NONE)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET, "no method is called \"%.*s\"",
                       shown_len(text), text.at);
    return TV_OK;
}
