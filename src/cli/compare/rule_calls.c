/*
 * Looking up the calls that broke rules in files; see cli/compare/rule_file.h. Recordings were
 * released when the rules were judged, so those with broken rules are loaded again, each once.
 */
#include <string.h>

#include "cli/answers/drill_down.h"
#include "cli/compare/rule_file.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "os/memory/mapping.h"

/* A recording that was loaded again. */
struct looking {
    struct tv_rule_file *rules;
    struct tv_asking *asking;
};

/* The command that shows the calls: who called the method, or what its longest call did. */
static enum tv_code add_command(void *ctx, size_t place, uint32_t method, struct tv_call_ref first,
                                struct tv_buffer *out, struct tv_error *err)
{
    const struct looking *looking = ctx;
    const struct tv_ruling *ruling = &looking->rules->of;
    const struct tv_index *index = looking->asking->index;
    const struct tv_rule_verdict *verdict = &ruling->verdicts[place];
    const struct tv_rule_call *call = &ruling->calls[place].of[0];
    struct tv_text command;
    tv_text_init(&command, ruling->alloc);
    if (tv_rule_is_of_time(&ruling->rules.of[place])) {
        uint64_t durations_ns[TV_CLOCK_COUNT];
        tv_call_durations(index, first, durations_ns);
        tv_drill_down_add(&command, looking->asking,
                          verdict->clock == TV_CLOCK_CPU ? TV_MEASURE_CPU : TV_MEASURE_WALL, first,
                          call->from_ns, call->from_ns + durations_ns[tv_index_axis(index)]);
    } else {
        size_t about = ruling->rules.of[place].about;
        bool has_thread = ruling->rules.about[about].thread.len > 0;
        tv_drill_down_add_callers(&command, looking->asking, method,
                                  has_thread ? &call->thread_id : NULL);
    }
    const struct tv_str text = tv_text_view(&command);
    enum tv_code code = command.code == TV_OK ? tv_buffer_append(out, text.at, text.len, err)
                                              : tv_fail_memory(err, 0);
    tv_text_release(&command);
    return code;
}

static enum tv_code load_run(struct tv_rule_file *rules, const char *file, size_t run, size_t *left,
                             struct tv_error *err)
{
    struct tv_index_cache cached;
    struct tv_index index;
    struct tv_asking asking;
    bool was_saved;
    tv_index_init(&index);
    enum tv_code code = tv_load(rules->cli, file, &cached, &index, &was_saved, err);
    if (code == TV_OK) {
        tv_asking_init(&asking, rules->cli, file, &index);
        struct looking looking = {rules, &asking};
        code = tv_ruling_look(&rules->of, &index, run,
                              &(struct tv_rule_commands){add_command, &looking}, left, err);
        if (code == TV_OK)
            code = tv_mapping_check(index.block, err);
        tv_asking_release(&asking);
    }
    tv_index_release(&index);
    return code;
}

enum tv_code tv_rule_file_find_calls(struct tv_rule_file *rules, const char *const *files,
                                     size_t count, struct tv_error *err)
{
    size_t left = TV_RULES_WITH_CALLS;
    for (size_t run = 0; rules->file && left && run < count; run++) {
        if (tv_ruling_looks_at(&rules->of, run) && strcmp(files[run], "-") != 0)
            TV_TRY(load_run(rules, files[run], run, &left, err));
    }
    return TV_OK;
}
