/*
 * flame: a flame graph as one picture, of a trace or of folded stacks, or the folded stacks of a
 * trace (export/flame/flame.h).
 *
 * What FILE is shows when it is opened: a file that is no trace, but has lines of folded stacks, is
 * drawn from these. Options that one of the two cannot have are refused, not passed over. Memory is
 * bounded by the size of the file in both cases.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory/limit.h"
#include "base/units.h"
#include "cli/answers/question.h"
#include "cli/compare/diff.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "cli/file/output.h"
#include "cli/file/redact_options.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/warnings.h"
#include "compare/hand_match.h"
#include "export/flame/flame.h"
#include "export/formats.h"
#include "index/memory.h"
#include "os/memory/mapping.h"
#include "os/sandbox/landlock.h"

struct flame_options {
    struct tv_scope_options shared;
    struct tv_redact_options redact;
    const char *out;
    const char *root;
    const char *title;
    const char *min_width;
    const char *colors;
    const char *count_name;
    const char *diff;
    const char *width_of;
    struct tv_texts matched;
    bool gone;
    bool share;
    uint64_t width; /* 0: not given */
    uint64_t boxes;
    uint64_t depth;
    bool inverted;
    bool chart;
    bool icicle;
    bool by_thread;
    bool folded;
    bool aflame;
};

static const char *const width_of_words[] = {
    [TV_FLAME_DIFF_NEW] = "new", [TV_FLAME_DIFF_OLD] = "old", NULL};

/* Units that times are told in. */
static const struct {
    const char *word;
    const char *unit;
    uint64_t of_ns;
} units[] = {
    {"ms", "ms", TV_NS_PER_MS},
    {"us", "us", 1000},
    {"ns", "ns", 1},
    {"s", "s", TV_NS_PER_S},
    {"seconds", "seconds", TV_NS_PER_S},
    {"milliseconds", "milliseconds", TV_NS_PER_MS},
    {"microseconds", "microseconds", 1000},
    {"nanoseconds", "nanoseconds", 1},
};

/* Takes a number of pixels, or of percent of the width. */
static bool take_min_width(const char *text, struct tv_flame_look *look, char words[64])
{
    struct tv_str number = tv_str_from(text);
    bool is_percent = tv_str_ends_with(number, TV_STR("%"));
    number.len -= is_percent;
    if (!tv_str_to_decimal(number, &look->least_pixels))
        return false;
    if (is_percent)
        look->least_pixels *= tv_flame_box_width(look->width) / 100;
    (void)snprintf(words, 64, "%.*s%s", (int)number.len, number.at, is_percent ? "%" : " px");
    look->min_width = tv_str_from(words);
    return true;
}

/* How the options want the picture. Returns a status. */
static int take_look(const struct tv_cli *cli, const struct flame_options *options,
                     struct tv_flame_look *look, char min_width[64])
{
    *look = tv_flame_look_usual();
    look->order = options->chart      ? TV_FLAME_IN_ORDER
                  : options->inverted ? TV_FLAME_INVERTED
                                      : TV_FLAME_MERGED;
    if (options->icicle)
        look->roots = TV_FLAME_ROOTS_ABOVE;
    if (options->colors)
        look->palette = (enum tv_palette)tv_choice_position(tv_palette_words, options->colors);
    if (options->width) {
        look->fit = TV_FLAME_FIXED_WIDTH;
        look->width = (uint32_t)options->width;
    }
    look->box_limit = (size_t)options->boxes;
    look->title = tv_str_from(options->title ? options->title : "");
    if (look->width < TV_FLAME_LEAST_WIDTH)
        return tv_cli_misuse(cli, "flame: --width needs %u pixels or more", TV_FLAME_LEAST_WIDTH);
    if (options->min_width && !take_min_width(options->min_width, look, min_width))
        return tv_cli_misuse(cli, "flame: --minwidth needs pixels (0.5) or percent (0.1%%): '%s'",
                             options->min_width);
    return TV_STATUS_FINE;
}

static const char too_much[] = "the graph takes too much memory: take a shorter part";

/* The unit of a trace's times that --countname names. */
static enum tv_code take_unit(const struct flame_options *options, struct tv_flame_look *look,
                              struct tv_error *err)
{
    size_t i = 0;
    while (options->count_name && i < TV_COUNT_OF(units) &&
           strcmp(options->count_name, units[i].word) != 0)
        i++;
    if (i == TV_COUNT_OF(units))
        return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                       "--countname of a trace is a unit of time: s, ms, us or ns");
    look->unit = tv_str_from(units[i].unit);
    look->unit_of = units[i].of_ns;
    return TV_OK;
}

/* Folded stacks and AFlame answer the same question in another format, so one function writes all
 * three. If the file of a saved index was cut short meanwhile, numbers may be zeros that nobody
 * recorded: the last step checks that, and fails. */
static enum tv_code write_trace(struct tv_asking *asking, const struct flame_options *options,
                                const struct tv_trace_flame *flame, struct tv_export_result *result,
                                struct tv_error *err)
{
    const struct tv_export *format = options->aflame   ? &tv_export_aflame
                                     : options->folded ? &tv_export_folded
                                                       : &tv_export_flame;
    struct tv_output_file output;
    TV_TRY(tv_output_open_beside(&output, asking->cli, options->out, TV_OUTPUT_TEXT, asking->file,
                                 err));
    enum tv_code code = tv_export_run(format, asking->index, &flame->shared, asking->cli->alloc,
                                      asking->cli->pool, tv_output_sink(&output), result, err);
    code = tv_memory_tell(&asking->limit, code, asking->index, too_much, err);
    if (code == TV_OK)
        code = tv_mapping_check(asking->index->block, err);
    return tv_output_close(&output, code, err);
}

/* A root is a method of the trace, so it is looked up before the picture is drawn. */
static enum tv_code fill_trace(struct tv_asking *asking, const struct flame_options *options,
                               struct tv_trace_flame *flame, uint32_t *root, struct tv_error *err)
{
    TV_TRY(take_unit(options, &flame->look, err));
    TV_TRY(tv_question_scope(asking, &options->shared, &flame->shared.scope, err));
    if (!options->root)
        return TV_OK;
    TV_TRY(tv_question_method(asking, options->root, root, err));
    flame->root = root;
    return TV_OK;
}

/* The old side of a comparison. The names of its frames are of its asking's memory, which is
 * bounded by the length of its file. */
struct old_side {
    struct tv_flame_base base;
    struct tv_asking asking;
    enum tv_measure measure;
};

/* Takes the stacks of the old trace. */
static enum tv_code take_old(struct old_side *old_side, const struct flame_options *options,
                             const struct tv_flame_look *look, struct tv_error *err)
{
    struct tv_asking *asking = &old_side->asking;
    struct tv_trace_flame flame = {
        .shared = {.levels = (uint32_t)options->depth, .file = tv_file_label(asking->file)},
        .look = *look,
        .is_by_thread = options->by_thread,
        .base = &old_side->base};
    struct tv_buffer nothing;
    struct tv_export_result result;
    uint32_t root;
    TV_TRY(fill_trace(asking, options, &flame, &root, err));
    old_side->measure = flame.shared.scope.measure;
    old_side->base.diff = (struct tv_flame_diff_opts){
        .view = options->gone ? TV_FLAME_DIFF_GONE
                : options->width_of
                    ? (enum tv_flame_diff_view)tv_choice_position(width_of_words, options->width_of)
                    : TV_FLAME_DIFF_NEW,
        .is_by_share = options->share};
    tv_buffer_init(&nothing, asking->cli->alloc);
    enum tv_code code =
        tv_export_run(&tv_export_flame_base, asking->index, &flame.shared, asking->cli->alloc,
                      asking->cli->pool, tv_buffer_sink(&nothing), &result, err);
    tv_buffer_release(&nothing);
    code = tv_memory_tell(&asking->limit, code, asking->index, too_much, err);
    return code == TV_OK ? tv_mapping_check(asking->index->block, err) : code;
}

/* Both sides are of one clock: times on two of them do not compare. */
static enum tv_code check_clocks(const struct old_side *old_side, enum tv_measure measure,
                                 struct tv_error *err)
{
    if (!old_side || old_side->measure == measure)
        return TV_OK;
    return tv_fail(err, TV_ERR_ARGUMENT, TV_NO_OFFSET,
                   "shows %s time where nothing else is asked for, and %s %s time: give --clock",
                   tv_measure_words[measure], old_side->asking.file,
                   tv_measure_words[old_side->measure]);
}

/* Draws a trace. Returns a status. `flame` points at `root`, `redact` and `shown`, so they stand
 * here until the answer is out. `old_side` NULL: nothing is compared. */
static int of_trace(const struct tv_cli *cli, const char *name, const struct tv_index *index,
                    const struct flame_options *options, const struct tv_flame_look *look,
                    struct old_side *old_side)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_asking asking;
    struct tv_export_result result;
    struct tv_progress shown;
    const struct tv_redact_opts redact = tv_redact_opts_of(&options->redact);
    struct tv_trace_flame flame = {.shared = {.levels = (uint32_t)options->depth,
                                              .file = tv_file_label(name),
                                              .redact = options->redact.is_on ? &redact : NULL,
                                              .tell = tv_progress_tell,
                                              .ctx = &shown},
                                   .look = *look,
                                   .is_by_thread = options->by_thread,
                                   .base = old_side ? &old_side->base : NULL};
    uint32_t root;
    tv_asking_init(&asking, cli, name, index);
    tv_progress_init(&shown, asking.cli, name);
    tv_progress_phase(&shown, "writing", 100);
    enum tv_code code = fill_trace(&asking, options, &flame, &root, &err);
    if (code == TV_OK)
        code = check_clocks(old_side, flame.shared.scope.measure, &err);
    if (code == TV_OK)
        code = write_trace(&asking, options, &flame, &result, &err);
    tv_progress_clear(&shown);
    int status = code == TV_OK ? tv_warn_of_export(asking.cli, name, NULL, &result)
                               : tv_asking_fail(&asking, &err);
    tv_asking_release(&asking);
    return status;
}

/* What only a trace has, and was asked of folded stacks; NULL: nothing. Folded stacks have neither
 * threads nor times; an option that would change nothing must not look as if it had. */
static const char *excess_option(const struct flame_options *options)
{
    const struct tv_scope_options *shared = &options->shared;
    const struct {
        bool is_given;
        const char *name;
    } given[] = {
        {shared->threads.count > 0, "thread"}, {shared->processes.count > 0, "process"},
        {shared->from.is_given, "from"},       {shared->to.is_given, "to"},
        {shared->clock != NULL, "clock"},      {shared->matches.count > 0, "match"},
        {shared->hides.count > 0, "hide"},     {options->depth > 0, "depth"},
        {options->redact.is_on, "redact"},     {options->by_thread, "by-thread"},
        {options->folded, "folded"},           {options->diff != NULL, "diff"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(given); i++) {
        if (given[i].is_given)
            return given[i].name;
    }
    return NULL;
}

/* What the thread in the Landlock domain takes and gives. */
struct folded_run {
    const struct tv_folded_flame *flame;
    const struct tv_alloc *alloc;
    struct tv_sink sink;
    struct tv_folded found;
    struct tv_error *err;
    enum tv_code code;
};

static void draw_folded(void *ctx)
{
    struct folded_run *run = ctx;
    run->code = tv_flame_of_folded(run->flame, run->alloc, run->sink, &run->found, run->err);
}

/* A frame can be two bytes of the file, and takes 60 bytes and more of a tree; packed, it can be
 * next to nothing. */
static struct tv_made_of made_of_folded(const struct tv_cli *cli, const struct tv_file *file)
{
    return (struct tv_made_of){.len = 2 * (uint64_t)file->len,
                               .packed_len = file->packed_len,
                               .is_trusted = cli->shared.unpack_all};
}

/* Draws folded stacks in a Landlock domain, with an allocator whose limit follows from the file's
 * length. The output is opened before: in the domain no file can be. That the kernel has no
 * Landlock is no failure, as with traces. */
static enum tv_code write_folded(const struct tv_cli *cli, const char *name,
                                 const struct tv_opened *opened,
                                 const struct flame_options *options,
                                 const struct tv_folded_flame *flame, struct tv_folded *found,
                                 struct tv_error *err)
{
    const struct tv_landlock domain = tv_landlock_for_readers();
    struct tv_limit limit;
    struct tv_output_file output;
    TV_TRY(tv_output_open_beside(&output, cli, options->out, TV_OUTPUT_TEXT, name, err));
    const struct tv_made_of of = made_of_folded(cli, &opened->file);
    tv_limit_init(&limit, cli->alloc, tv_memory_of_index(&of));
    struct folded_run run = {.flame = flame,
                             .alloc = &limit.alloc,
                             .sink = tv_output_sink(&output),
                             .found = *found,
                             .err = err};
    (void)tv_landlock_run(&domain, draw_folded, &run);
    *found = run.found;
    enum tv_code code =
        tv_limit_tell(&limit, run.code,
                      tv_memory_is_liftable(&of)
                          ? "the graph takes more memory than few files of this size need: "
                            "give --unpack-all if you trust it"
                          : too_much,
                      err);
    code = tv_opened_check(opened, code, err);
    return tv_output_close(&output, code, err);
}

/* Draws folded stacks. Returns a status. */
static int of_folded(const struct tv_cli *cli, const char *name, const struct tv_opened *opened,
                     const struct flame_options *options, const struct tv_flame_look *look)
{
    struct tv_error err = {.code = TV_OK};
    const char *excess = excess_option(options);
    const struct tv_folded_flame flame = {
        .text = {(const char *)opened->file.bytes, opened->file.len},
        .file = strcmp(name, "-") == 0 ? TV_STR("standard input") : tv_file_label(name),
        .root = tv_str_from(options->root ? options->root : ""),
        .look = *look};
    struct tv_folded found = {.bad_lines = 0};
    if (excess)
        return tv_cli_misuse(cli, "flame: %s has folded stacks, and --%s is for traces", name,
                             excess);
    enum tv_code code = write_folded(cli, name, opened, options, &flame, &found, &err);
    if (code != TV_OK) {
        (void)tv_cli_fail(cli, name, &err);
        return tv_cli_status(code);
    }
    if (found.bad_lines)
        tv_cli_note(cli, name, "ignored %llu line%s with invalid format, line %llu first",
                    (unsigned long long)found.bad_lines, found.bad_lines == 1 ? "" : "s",
                    (unsigned long long)found.first_bad_line);
    return TV_STATUS_FINE;
}

/* Whether a file that is no trace has folded stacks. Stacks may begin with "[unknown]", which makes
 * them look like JSON; any other kind that is known by its name is that kind. */
static bool is_folded(enum tv_code code, const struct tv_opened *opened)
{
    const struct tv_str text = {(const char *)opened->file.bytes, opened->file.len};
    return text.len && (code == TV_ERR_FORMAT || (code == TV_ERR_FOREIGN && text.at[0] == '[')) &&
           tv_folded_begins(text);
}

/* What is no trace may be folded stacks: the file is tried as a trace first, because a trace says
 * by its first bytes that it is one. The file is let go as soon as the index stands, so that both
 * are not in memory while the picture is made; releasing it twice does no harm. */
static int draw(const struct tv_cli *cli, const char *name, const struct flame_options *options,
                const struct tv_flame_look *look, struct old_side *old_side)
{
    struct tv_error err = {.code = TV_OK};
    struct tv_index_cache cached;
    struct tv_opened opened;
    struct tv_index index;
    bool was_saved;
    int status;
    tv_index_init(&index);
    tv_opened_init(&opened, cli->alloc);
    enum tv_code code = tv_load_or_open(cli, name, &cached, &opened, &index, &was_saved, &err);
    if (code == TV_OK) {
        tv_opened_release(&opened);
        tv_warn_of_trace(cli, name, &index);
        status = of_trace(cli, name, &index, options, look, old_side);
    } else if (is_folded(code, &opened)) {
        struct tv_flame_look samples = *look;
        samples.unit = tv_str_from(options->count_name ? options->count_name : "samples");
        status = of_folded(cli, name, &opened, options, &samples);
    } else {
        status = tv_cli_fail(cli, name, &err);
    }
    tv_opened_release(&opened);
    tv_index_release(&index);
    return status;
}

/* Takes the stacks of the old trace, under the names that its methods are matched by. */
static enum tv_code take_matched(struct old_side *old_side, const struct flame_options *options,
                                 const struct tv_flame_look *look, struct tv_hand_matches *matches,
                                 struct tv_error *err)
{
    struct tv_asking *asking = &old_side->asking;
    const struct tv_index *index = asking->index;
    struct tv_matched_index matched;
    if (!matches->count)
        return take_old(old_side, options, look, err);
    tv_matched_index_init(&matched, asking->cli->alloc);
    enum tv_code code = tv_matched_index_make(&matched, matches, index, err);
    if (code == TV_OK)
        code = tv_hand_matches_check(matches, TV_SIDE_OLD, err);
    asking->index = &matched.index;
    if (code == TV_OK)
        code = take_old(old_side, options, look, err);
    asking->index = index;
    tv_matched_index_release(&matched);
    return code;
}

/* Draws a trace beside an old one, of which only the stacks stay in memory. */
static int draw_beside(const struct tv_cli *cli, const char *name,
                       const struct flame_options *options, const struct tv_flame_look *look,
                       struct tv_hand_matches *matches)
{
    struct tv_error err = {.code = TV_OK};
    struct old_side old_side;
    struct tv_index index;
    tv_index_init(&index);
    int status = tv_load_for_verb(cli, options->diff, TV_WARNINGS_TOLD, &index);
    if (status == TV_STATUS_FINE) {
        tv_asking_init(&old_side.asking, cli, options->diff, &index);
        tv_flame_base_init(&old_side.base, old_side.asking.cli->alloc);
        if (take_matched(&old_side, options, look, matches, &err) != TV_OK)
            status = tv_asking_fail(&old_side.asking, &err);
        tv_index_release(&index);
        tv_index_init(&index);
        if (status == TV_STATUS_FINE)
            status = draw(cli, name, options, look, &old_side);
        tv_flame_base_release(&old_side.base);
        tv_asking_release(&old_side.asking);
    }
    tv_index_release(&index);
    return status;
}

static int draw_change(const struct tv_cli *cli, const char *name,
                       const struct flame_options *options, const struct tv_flame_look *look)
{
    struct tv_hand_matches matches;
    int status = TV_STATUS_FINE;
    if (tv_output_replaces(options->out, options->diff))
        return tv_cli_misuse(cli, "flame: %s is what is compared with: name another file",
                             options->out);
    tv_hand_matches_init(&matches, cli->alloc);
    if (options->matched.count)
        status =
            tv_diff_take_matches(cli, "flame: --matched", &options->matched, &name, 1, &matches);
    if (status == TV_STATUS_FINE)
        status = draw_beside(cli, name, options, look, &matches);
    tv_hand_matches_release(&matches);
    return status;
}

/* Options that a comparison cannot have, or that only it has. NULL: there are none. */
static const char *misuse_of_diff(const struct flame_options *options)
{
    if (!options->diff &&
        (options->width_of || options->gone || options->share || options->matched.count))
        return "flame: --width-of, --gone, --share and --matched are for --diff OLD";
    if (!options->diff)
        return NULL;
    if (options->inverted || options->chart || options->folded)
        return "flame: --diff is of merged stacks: leave --inverted, --flamechart and --folded out";
    if (options->redact.is_on)
        return "flame: --redact names methods of two traces differently: leave --diff out";
    if (options->colors)
        return "flame: --diff has colours of its own: leave --colors out";
    if (options->gone && (options->width_of || options->share))
        return "flame: --gone is as wide as the old trace, and all of one colour: leave --width-of "
               "and --share out";
    return NULL;
}

/* What only a picture has, and was asked of folded stacks; NULL: nothing. */
static const char *picture_option(const struct flame_options *options)
{
    const struct {
        bool is_given;
        const char *name;
    } given[] = {
        {options->inverted, "inverted"},   {options->chart, "flamechart"},
        {options->icicle, "icicle"},       {options->by_thread, "by-thread"},
        {options->title != NULL, "title"}, {options->width > 0, "width"},
        {options->root != NULL, "root"},   {options->count_name != NULL, "countname"},
    };
    for (size_t i = 0; i < TV_COUNT_OF(given); i++) {
        if (given[i].is_given)
            return given[i].name;
    }
    return NULL;
}

/* Refuses the name of a file that would promise what is not in it. Returns a status. */
static int check_name(const struct tv_cli *cli, const char *out)
{
    static const struct tv_str pictures[] = {{".png", 4},  {".jpg", 4}, {".jpeg", 5},
                                             {".webp", 5}, {".gif", 4}, {".pdf", 4}};
    const struct tv_str name = tv_str_from(out);
    const struct tv_export *format = tv_export_of_file(name);
    for (size_t i = 0; i < TV_COUNT_OF(pictures); i++) {
        const size_t len = pictures[i].len;
        if (name.len > len &&
            tv_str_equal_folded((struct tv_str){name.at + name.len - len, len}, pictures[i]))
            return tv_cli_misuse(cli,
                                 "flame: pictures are SVG, which a browser shows and prints: name "
                                 "%s with .svg",
                                 out);
    }
    if (format && format != &tv_export_folded)
        return tv_cli_misuse(
            cli, "flame: 'traceview export' writes %s: pictures have names with .svg", out);
    return TV_STATUS_FINE;
}

/* Refuses what contradicts itself before the file is opened. A name that ends in .folded means
 * --folded. */
static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    struct flame_options taken = *(const struct flame_options *)values;
    const struct flame_options *options = &taken;
    taken.folded = taken.folded || tv_export_of_file(tv_str_from(taken.out)) == &tv_export_folded;
    const char *excess = options->folded ? picture_option(options) : NULL;
    struct tv_flame_look look;
    char min_width[64];
    const char *lacking = tv_redact_lacking(&options->redact);
    if (lacking)
        return tv_cli_misuse(cli, "flame: %s is for --redact", lacking);
    if (options->inverted && options->chart)
        return tv_cli_misuse(cli, "flame: --inverted has no order of time: leave --flamechart out");
    if (options->aflame && !options->folded)
        return tv_cli_misuse(cli, "flame: --aflame is for --folded");
    if (misuse_of_diff(options))
        return tv_cli_misuse(cli, "%s", misuse_of_diff(options));
    if (excess)
        return tv_cli_misuse(cli, "flame: --folded writes no picture: leave --%s out", excess);
    int status = check_name(cli, options->out);
    if (status == TV_STATUS_FINE)
        status = take_look(cli, options, &look, min_width);
    if (status != TV_STATUS_FINE)
        return status;
    return options->diff ? draw_change(cli, arguments->of[0], options, &look)
                         : draw(cli, arguments->of[0], options, &look, NULL);
}

static const struct flame_options defaults = {.out = "-", .boxes = TV_FLAME_BOXES};

static const struct tv_option option_table[] = {
    {.letter = 'o',
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, out),
     .argument = "OUT",
     .help = "the file to write (standard output)",
     .group = TV_GROUP_OUTPUT},
    {.name = "inverted",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, inverted),
     .help = "methods by own time at the roots, on top of them their callers"},
    {.name = "flamechart",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, chart),
     .help = "calls in the order of time, thread by thread, and not merged"},
    {.name = "icicle",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, icicle),
     .help = "the roots at the top"},
    {.name = "by-thread",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, by_thread),
     .help = "a box for each thread; else threads are merged"},
    {.name = "folded",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, folded),
     .help = "no picture, as by a name .folded: 'thread;caller;callee NANOSECONDS'"},
    {.name = "aflame",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, aflame),
     .help = "folded stacks as AFlame made them: ended calls, wall time in us"},
    {.name = "diff",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, diff),
     .argument = "OLD",
     .help = "what changed from this trace: orange is more time, blue is less"},
    {.name = "width-of",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct flame_options, width_of),
     .argument = "SIDE",
     .help = "with --diff: boxes are as wide as in the new trace (default) or the old",
     .choices = width_of_words},
    {.name = "share",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, share),
     .help = "with --diff: colours by the share of all, and not by the time"},
    {.name = "gone",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct flame_options, gone),
     .help = "with --diff: what OLD has called and FILE does not"},
    {.name = "matched",
     .kind = TV_OPTION_TEXTS,
     .field = offsetof(struct flame_options, matched),
     .argument = "OLD=NEW",
     .help = "with --diff: the old method OLD is the new method NEW; may be repeated"},
    {.name = "title",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, title),
     .argument = "TEXT",
     .help = "the title (Flame Graph, Icicle Graph or Flame Chart)",
     .group = TV_GROUP_OUTPUT},
    {.name = "width",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct flame_options, width),
     .argument = "PIXELS",
     .help = "how wide (1200, and as wide as the window)",
     .most = TV_FLAME_MOST_WIDTH,
     .group = TV_GROUP_OUTPUT},
    {.name = "minwidth",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, min_width),
     .argument = "PIXELS",
     .help = "leave out narrower boxes: pixels, or percent with a % (0.1)",
     .group = TV_GROUP_OUTPUT},
    {.name = "boxes",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct flame_options, boxes),
     .argument = "COUNT",
     .help = "at most so many boxes, the widest; 0 is no limit (20000)",
     .most = UINT32_MAX,
     .group = TV_GROUP_OUTPUT},
    {.name = "colors",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct flame_options, colors),
     .argument = "PALETTE",
     .help = "hot, package, java or another of flamegraph.pl's (hot)",
     .choices = tv_palette_words,
     .group = TV_GROUP_OUTPUT},
    {.name = "countname",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, count_name),
     .argument = "UNIT",
     .help = "of a trace s, ms, us or ns (ms); else any word (samples)",
     .group = TV_GROUP_OUTPUT},
    {.name = "root",
     .kind = TV_OPTION_TEXT,
     .field = offsetof(struct flame_options, root),
     .argument = "METHOD",
     .help = "only below this method",
     .group = TV_GROUP_PART},
    {.name = "depth",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct flame_options, depth),
     .argument = "LEVELS",
     .help = "only so many levels of calls; 0 is all (0)",
     .most = UINT32_MAX,
     .group = TV_GROUP_PART},
    TV_REDACT_OPTIONS(struct flame_options, redact),
    TV_PART_OPTIONS(struct flame_options, TV_RANGE_END_OPTION(struct flame_options)),
};

const struct tv_verb tv_verb_flame = {
    .name = "flame",
    .summary = "a flame graph as a picture to zoom and search in",
    .arguments = "FILE",
    .argument_count = 1,
    .uses_index = true,
    .options = TV_OPTIONS(option_table),
    .defaults = &defaults,
    .values_len = TV_VALUES_LEN(struct flame_options),
    .notes = "FILE is a trace, or folded stacks of any tool. OUT is packed where its name\n"
             "ends in .gz or .zst.",
    .examples = {{"traceview flame app.trace -o app.svg", "where the time went"},
                 {"traceview flame app.trace --thread main --flamechart -o main.svg",
                  "what the main thread did, one after the other"}},
    .run = run,
};
