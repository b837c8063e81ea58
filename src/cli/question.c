/* Options become a query, a query becomes an answer. */
#include "cli/question.h"

#include "api/api.h"
#include "base/error.h"

const char *const tv_clock_words[] = {"wall", "cpu", "wait", NULL};

void tv_question_init(struct tv_question *question, const struct tv_cli *cli, const char *file,
                      const struct tv_index *index)
{
    *question = (struct tv_question){.cli = cli, .file = file, .index = index};
    tv_arena_init(&question->arena, cli->alloc);
    tv_buffer_init(&question->query, cli->alloc);
    tv_text_init(&question->hints, cli->alloc);
}

void tv_question_release(struct tv_question *question)
{
    tv_text_release(&question->hints);
    tv_buffer_release(&question->query);
    tv_arena_release(&question->arena);
}

static bool is_plain(char character)
{
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') || character == '.' || character == '-' ||
           character == '_' || character == ',';
}

enum tv_code tv_question_add(struct tv_question *question, const char *name, struct tv_str value,
                             struct tv_error *err)
{
    static const char digits[] = "0123456789ABCDEF";
    struct tv_buffer *query = &question->query;
    struct tv_str key = tv_str_from(name);
    if (query->len)
        TV_TRY(tv_buffer_append(query, "&", 1, err));
    TV_TRY(tv_buffer_append(query, key.at, key.len, err));
    TV_TRY(tv_buffer_append(query, "=", 1, err));
    for (size_t i = 0; i < value.len; i++) {
        unsigned char byte = (unsigned char)value.at[i];
        char escaped[] = {'%', digits[byte >> 4], digits[byte & 15]};
        if (is_plain(value.at[i]))
            TV_TRY(tv_buffer_append(query, value.at + i, 1, err));
        else
            TV_TRY(tv_buffer_append(query, escaped, sizeof(escaped), err));
    }
    return TV_OK;
}

enum tv_code tv_question_add_u64(struct tv_question *question, const char *name, uint64_t value,
                                 struct tv_error *err)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return tv_question_add(question, name, (struct tv_str){text, (size_t)len}, err);
}

/* The ids of the threads with this id, or whose names fit the pattern, as a list. */
static enum tv_code list_threads(struct tv_question *question, const char *wanted,
                                 struct tv_buffer *list, struct tv_error *err)
{
    struct tv_str pattern = tv_str_from(wanted);
    uint64_t id = UINT64_MAX;
    bool is_id = tv_str_to_u64(pattern, 10, &id);
    for (uint32_t i = 0; i < question->index->thread_count; i++) {
        const struct tv_index_thread *thread = &question->index->threads[i];
        bool is_wanted = is_id ? thread->id == id
                               : tv_str_glob(tv_index_thread_name(question->index, i), pattern);
        char text[16];
        if (!is_wanted)
            continue;
        int len = snprintf(text, sizeof(text), "%s%u", list->len ? "," : "", thread->id);
        TV_TRY(tv_buffer_append(list, text, (size_t)len, err));
    }
    if (!list->len)
        return tv_fail(err, TV_ERR_NOT_FOUND, TV_NO_OFFSET,
                       "no thread has the id or name '%s': see 'traceview info'", wanted);
    return TV_OK;
}

static enum tv_code add_threads(struct tv_question *question, const char *wanted,
                                struct tv_error *err)
{
    struct tv_buffer list;
    tv_buffer_init(&list, question->cli->alloc);
    enum tv_code code = list_threads(question, wanted, &list, err);
    if (code == TV_OK)
        code = tv_question_add(question, "threads", tv_buffer_view(&list), err);
    tv_buffer_release(&list);
    return code;
}

enum tv_code tv_question_add_view(struct tv_question *question,
                                  const struct tv_view_options *options, struct tv_error *err)
{
    if (options->from.is_given)
        TV_TRY(tv_question_add_u64(question, "from", options->from.time_ns, err));
    if (options->to.is_given)
        TV_TRY(tv_question_add_u64(question, "to", options->to.time_ns, err));
    if (options->thread)
        TV_TRY(add_threads(question, options->thread, err));
    if (options->clock)
        TV_TRY(tv_question_add(question, "clock", tv_str_from(options->clock), err));
    if (options->match)
        TV_TRY(tv_question_add(question, "match", tv_str_from(options->match), err));
    if (options->hide)
        TV_TRY(tv_question_add(question, "hide", tv_str_from(options->hide), err));
    return TV_OK;
}

enum tv_code tv_question_understand(struct tv_question *question, const char *const *known,
                                    struct tv_error *err)
{
    TV_TRY(tv_params_parse(&question->params, &question->arena, tv_buffer_view(&question->query),
                           known, err));
    return tv_params_view(&question->params, question->index, &question->view, err);
}

/* Prints the api's answer to the query. Returns a status. */
static int answer_json(const struct tv_question *question, const char *route)
{
    const struct tv_cli *cli = question->cli;
    struct tv_api api = {.alloc = cli->alloc,
                         .index = question->index,
                         .file = tv_file_label(question->file),
                         .pool = cli->pool};
    struct tv_error err = {.code = TV_OK};
    struct tv_api_response response;
    int status = TV_STATUS_FINE;
    tv_api_response_init(&response, cli->alloc);
    enum tv_code code =
        tv_api_get(&api, tv_str_from(route), tv_buffer_view(&question->query), &response, &err);
    if (code != TV_OK) {
        status = tv_cli_fail(cli, question->file, &err);
    } else {
        tv_cli_answer(cli, tv_buffer_view(&response.body));
        if (response.status != 200)
            status = response.status == 400 ? TV_STATUS_MISUSED : TV_STATUS_FAILED;
    }
    tv_api_response_release(&response);
    return status;
}

static int fail(const struct tv_question *question, const struct tv_error *err)
{
    const struct tv_cli *cli = question->cli;
    struct tv_str hints = tv_text_view(&question->hints);
    (void)tv_cli_fail(cli, question->file, err);
    if (hints.len)
        (void)fwrite(hints.at, 1, hints.len, cli->err);
    return tv_cli_status(err->code);
}

static int answer_text(const struct tv_question *question, const struct tv_question_plan *plan,
                       const void *asked)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_text out;
    int status = TV_STATUS_FINE;
    tv_text_init(&out, question->cli->alloc);
    enum tv_code code = plan->write(question, asked, &out, &err);
    if (code == TV_OK && out.code != TV_OK)
        code = tv_fail_memory(&err, out.buffer.len);
    if (code == TV_OK)
        tv_cli_answer(question->cli, tv_text_view(&out));
    else
        status = fail(question, &err);
    tv_text_release(&out);
    return status;
}

int tv_question_answer(const struct tv_cli *cli, const char *file, const struct tv_index *index,
                       const struct tv_question_plan *plan, void *asked, bool is_json)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_question question;
    int status;
    tv_question_init(&question, cli, file, index);
    enum tv_code code = plan->ask ? plan->ask(&question, asked, &err) : TV_OK;
    if (code != TV_OK)
        status = fail(&question, &err);
    else if (is_json)
        status = answer_json(&question, plan->route);
    else
        status = answer_text(&question, plan, asked);
    tv_question_release(&question);
    return status;
}

int tv_question_run(const struct tv_cli *cli, const char *file, const struct tv_question_plan *plan,
                    void *asked, bool is_json)
{
    struct tv_index index;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, file, TV_WARNINGS_TOLD, &index);
    if (status == TV_STATUS_FINE)
        status = tv_question_answer(cli, file, &index, plan, asked, is_json);
    tv_index_release(&index);
    return status;
}
