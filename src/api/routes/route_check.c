/*
 * check: what was odd in the file, how much it matters, and what an overflow lost. The severity is
 * the worst one of all findings, so that a script needs to look at one member only.
 */
#include "analysis/health.h"
#include "api/answers.h"
#include "api/route.h"
#include "api/routes/answer_parts.h"

/* Writes what is missing after the last record, and the buffer that would have held all of it. */
static void write_overflow(struct tv_json *json, const struct tv_overflow *overflow)
{
    tv_json_key(json, "overflow");
    tv_json_open_object(json);
    tv_json_key_u64(json, "run_ns", overflow->run_ns);
    tv_json_key_u64(json, "missing_ns", overflow->missing_ns);
    tv_json_key_u64(json, "buffer_bytes", overflow->buffer_len);
    tv_json_close_object(json);
}

/* The command prints this body too (traceview check --json), so it takes no request. */
enum tv_code tv_answer_check(const struct tv_api *api, struct tv_buffer *body, struct tv_error *err)
{
    struct tv_overflow overflow;
    struct tv_answer_writer writer;
    tv_writer_init(&writer, api, body);
    struct tv_json *json = &writer.json;
    tv_json_open_object(json);
    tv_write_text(&writer, "file", tv_api_meant(api)->file);
    tv_json_key_text(json, "format", tv_api_meant(api)->index->info->format_name);
    tv_json_key_u64(json, "records", tv_api_meant(api)->index->info->records);
    tv_write_default_basis(&writer);
    if (tv_health_overflow(tv_api_meant(api)->index, &overflow))
        write_overflow(json, &overflow);
    tv_write_findings(&writer);
    tv_json_close_object(json);
    return tv_writer_finish(&writer, err);
}

static enum tv_code run(struct tv_request *request, struct tv_error *err)
{
    return tv_answer_check(request->api, &request->response->body, err);
}

static const char *const params[] = {NULL};

const struct tv_route tv_route_check = {"check", TV_TYPE_JSON, params, run};
