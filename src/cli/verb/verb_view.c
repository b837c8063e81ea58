/*
 * view: the viewer in the browser. This file gives the viewer what loads a trace: open it, show
 * its first part, build the index, save that.
 *
 * Loads run on threads of the viewer's loader, each with a `struct loading` of its own; `struct
 * viewing` is shared and only read, but for `first`, which the load of the first trace alone takes.
 * Only the file that the user gave to the program may be a pipe, and only the user's own files are
 * trusted with --unpack-all. Bytes are read in a Landlock domain (os/sandbox/landlock.h), those of
 * files that the user did not make in a process of their own (cli/file/sandboxed_load.h).
 */
#include <stdlib.h>
#include <string.h>

#include "api/diff_query.h"
#include "base/error.h"
#include "cli/compare/run_files.h"
#include "cli/compare/run_set.h"
#include "cli/file/first_part.h"
#include "cli/file/index_cache.h"
#include "cli/file/load.h"
#include "cli/file/page_mapping.h"
#include "cli/file/renamed.h"
#include "cli/file/sandboxed_load.h"
#include "cli/site/view.h"
#include "cli/terminal/progress.h"
#include "cli/verb.h"
#include "cli/verb/view_word.h"
#include "cli/warnings.h"
#include "cli/wording.h"
#include "index/build/build.h"
#include "os/process/browser.h"
#include "os/process/starter.h"
#include "os/sandbox/landlock.h"
#include "served/page.h"
#include "server/run.h"

/* Room for an address with a view. */
#define ADDRESS_CAP (TV_VIEW_MOST + 256u)

struct view_options {
    struct tv_view_options view;
    struct tv_word_list sides[TV_SIDE_COUNT];
};

/* One viewer. */
struct viewing {
    const struct tv_cli *cli;
    const char *name; /* NULL: the start page */
    const struct tv_view_options *options;
    const char *view;             /* what the page is to show: "#...", or "" */
    struct tv_opened first;       /* what it begins with, where it opens at once */
    bool is_first_open;           /* read and changed by the load of the first trace alone */
    struct tv_index_cache cached; /* of `first` */
};

/* What a thread of the loader loads. */
struct loading {
    struct viewing *viewing;
    struct tv_page_mapping mapping; /* of the page, while the trace is read */
    struct tv_index_cache cached;
    bool is_to_be_saved;
    struct tv_starter starter; /* of children that read */
};

/* A load in progress, told to the page; that of the first trace to the terminal, too, where its
 * user was when it began. */
struct load_progress {
    const struct tv_load *load;
    const char *step;
    bool unpacks_all;   /* the user trusts their files (--unpack-all) */
    uint64_t whole_len; /* of the trace, while only its beginning is read; 0 otherwise */
    struct tv_progress shown;
};

/* While only the beginning is read the progress is still that of the whole file, or the bar would
 * jump back. */
static bool tell(void *ctx, uint64_t done, uint64_t of)
{
    struct load_progress *progress = ctx;
    of = progress->whole_len ? progress->whole_len : of;
    if (progress->load->origin->is_first)
        (void)tv_progress_tell(&progress->shown, done, of);
    return progress->load->tell(progress->load->ctx, progress->step, done, of);
}

/* The progress of unpacking is told both to the page and to the terminal. */
static enum tv_code open_origin(struct load_progress *progress, struct tv_opened *opened,
                                struct tv_error *err)
{
    const struct tv_origin *origin = progress->load->origin;
    /* What was dropped, or is named by the page, may be anything by now: only what the user gave to
     * the program may be a pipe, and only the user's own files are trusted. */
    const struct tv_open_opts opts = {.tell = tell,
                                      .ctx = progress,
                                      .unpacks_all =
                                          origin->kind == TV_ORIGIN_FILE && progress->unpacks_all,
                                      .only_regular = !origin->is_first};
    progress->step = "unpacking";
    tv_progress_unpacking(&progress->shown);
    enum tv_code code = tv_opened_open(opened, origin->path, &opts, err);
    tv_progress_clear(&progress->shown);
    return code;
}

/* Shows an index of the trace's beginning while the whole is still to be read. Whether that works
 * is of no interest: the whole is read in any case. */
static void show_part(struct load_progress *progress, const struct tv_opened *opened,
                      const struct tv_build_opts *opts)
{
    const struct tv_load *load = progress->load;
    size_t len = tv_first_part_len(&opened->trace);
    struct tv_index part;
    struct tv_error err;
    tv_index_init(&part);
    progress->whole_len = len ? opened->trace.len : 0;
    if (len && tv_first_part_build(&part, &opened->trace, len, opts, &err) == TV_OK &&
        tv_opened_check(opened, TV_OK, &err) == TV_OK)
        load->show_part(load->ctx, &part, len, opened->trace.len);
    tv_index_release(&part);
    progress->whole_len = 0;
}

/* The building of one index, for the thread that does it. */
struct building {
    const struct tv_cli *cli;
    struct load_progress *progress;
    struct tv_opened *opened;
    struct tv_error *err;
    enum tv_code code;
    struct tv_mapping_choice choice;
};

/* Runs on a thread in a Landlock domain, as does everything that meets the bytes of a file; so what
 * it needs comes in one struct. */
static void build(void *ctx)
{
    struct building *building = ctx;
    struct load_progress *progress = building->progress;
    const struct tv_build_opts opts = {
        .pool = building->cli->pool, .progress = tell, .progress_ctx = progress};
    progress->step = "reading";
    tv_progress_reading(&progress->shown);
    struct tv_trace *trace = &building->opened->trace;
    struct tv_renamed renamed;
    enum tv_code code = tv_renamed_begin(&renamed, building->cli, trace, building->err);
    if (code == TV_OK) {
        show_part(progress, building->opened, &opts);
        code = tv_index_build(progress->load->index, trace, &opts, building->err);
    }
    building->code = tv_renamed_end(&renamed, code, &building->choice, building->err);
    tv_progress_clear(&progress->shown);
}

/* Which mapping named the methods is known only now, and decides under which name the index is
 * saved. */
static enum tv_code build_in_landlock(struct loading *loading, struct load_progress *progress,
                                      struct tv_opened *opened, struct tv_error *err)
{
    const struct tv_cli *cli = &loading->mapping.cli;
    const struct tv_landlock domain = tv_landlock_for_readers();
    struct building building = {.cli = cli, .progress = progress, .opened = opened, .err = err};
    (void)tv_landlock_run(&domain, build, &building);
    enum tv_code code = tv_opened_check(opened, building.code, err);
    code = tv_file_check(&loading->mapping.file, code, err);
    if (code != TV_OK)
        return code;
    size_t way = tv_renamed_way(cli, &building.choice);
    if (loading->is_to_be_saved)
        tv_index_cache_set_way(&loading->cached, way);
    tv_renamed_tell(cli, tv_origin_name(progress->load->origin), way, &building.choice);
    tv_page_mapping_tell(cli, way, &building.choice, progress->load->names);
    return TV_OK;
}

/* Loads one trace: a saved index where there is one, else the trace. The first trace may be open
 * already (open_first()), and is then taken from `viewing`. */
static bool find_saved(struct loading *loading, const struct tv_load *load, bool is_open)
{
    const struct viewing *viewing = loading->viewing;
    const struct tv_origin *origin = load->origin;
    bool is_file = origin->kind == TV_ORIGIN_FILE;
    /* A mapping that has just been given is to be judged, which a saved index does not tell. */
    bool is_new_mapping = origin->mapping.spool.fd >= 0;
    if (is_open)
        loading->cached = viewing->cached;
    bool is_found =
        is_file && !is_open &&
        tv_index_cache_find(&loading->cached, &loading->mapping.cli, origin->path, load->index);
    loading->is_to_be_saved = is_file && !is_found;
    if (is_found && is_new_mapping)
        tv_index_release(load->index);
    return is_found && !is_new_mapping;
}

/* What is known of the names of a saved index: which mapping they are of, and what was counted when
 * the trace was read here. */
static void tell_of_saved(const struct loading *loading, const struct tv_load *load)
{
    const struct tv_cli *cli = &loading->mapping.cli;
    tv_renamed_tell(cli, tv_origin_name(load->origin), loading->cached.way, NULL);
    if (!load->names->is_counted)
        tv_page_mapping_tell(cli, loading->cached.way, NULL, load->names);
}

static enum tv_sandbox_which sandbox_of(const struct tv_view_options *options)
{
    return options->sandbox
               ? (enum tv_sandbox_which)tv_choice_position(tv_sandbox_words, options->sandbox)
               : TV_SANDBOX_OTHERS;
}

/* Whether the trace is read in a process of its own. The example is this program's. */
static bool is_for_child(const struct loading *loading, const struct tv_load *load)
{
    const struct tv_origin *origin = load->origin;
    const enum tv_sandbox_which which = sandbox_of(loading->viewing->options);
    const bool is_dropped = origin->kind == TV_ORIGIN_DROPPED;
    if (which == TV_SANDBOX_NEVER || (origin->kind != TV_ORIGIN_FILE && !is_dropped))
        return false;
    if (which == TV_SANDBOX_OTHERS && !is_dropped && !tv_is_of_others(origin->path))
        return false;
    const bool can = !loading->mapping.cli.mapping.name && tv_sandboxed_load_can(origin->path);
    if (!can && which == TV_SANDBOX_ALWAYS)
        tv_cli_note(loading->viewing->cli, tv_origin_name(origin),
                    "is read in this process: a process of its own reads one regular file, "
                    "without a mapping");
    return can;
}

static bool tell_of_child(void *ctx, bool is_reading, uint64_t done, uint64_t of)
{
    struct load_progress *progress = ctx;
    progress->step = is_reading ? "reading" : "unpacking";
    if (is_reading)
        tv_progress_reading(&progress->shown);
    return tell(progress, done, of);
}

static enum tv_code load_by_child(struct loading *loading, struct load_progress *progress,
                                  struct tv_error *err)
{
    const struct tv_cli *cli = &loading->mapping.cli;
    const struct tv_origin *origin = progress->load->origin;
    const struct tv_sandboxed_load child = {.cli = cli,
                                            .starter = &loading->starter,
                                            .is_trusted = progress->unpacks_all &&
                                                          origin->kind == TV_ORIGIN_FILE,
                                            .tell = tell_of_child,
                                            .ctx = progress};
    tv_progress_unpacking(&progress->shown);
    enum tv_code code = tv_sandboxed_load(&child, origin->path, progress->load->index, err);
    tv_progress_clear(&progress->shown);
    return code;
}

/* The first trace may be open already: it was, so that a missing file is told before a browser
 * starts. */
static enum tv_code load_named(struct loading *loading, const struct tv_load *load,
                               struct tv_error *err)
{
    struct viewing *viewing = loading->viewing;
    struct load_progress progress = {.load = load, .unpacks_all = viewing->cli->shared.unpack_all};
    bool is_open = load->origin->is_first && viewing->is_first_open;
    if (find_saved(loading, load, is_open)) {
        tell_of_saved(loading, load);
        return TV_OK;
    }
    tv_progress_init(&progress.shown, viewing->cli, tv_origin_name(load->origin));
    if (!is_open && is_for_child(loading, load))
        return load_by_child(loading, &progress, err);
    struct tv_opened own;
    struct tv_opened *opened = is_open ? &viewing->first : &own;
    enum tv_code code = TV_OK;
    if (is_open) {
        viewing->is_first_open = false;
    } else {
        tv_opened_init(opened, viewing->cli->alloc);
        code = open_origin(&progress, opened, err);
    }
    if (code == TV_OK)
        code = build_in_landlock(loading, &progress, opened, err);
    tv_opened_release(opened);
    return code;
}

/* Called by the viewer for every trace that is opened. The mapping is open until then; for saving
 * its sum is enough. */
static enum tv_code load(void *ctx, const struct tv_load *load, struct tv_error *err)
{
    struct loading *loading = ctx;
    enum tv_code code =
        tv_page_mapping_open(&loading->mapping, loading->viewing->cli, &load->origin->mapping, err);
    if (code == TV_OK)
        code = load_named(loading, load, err);
    tv_page_mapping_release(&loading->mapping);
    return code;
}

/* An index that cannot be saved is missed by nobody: the trace is read again. */
static void save(void *ctx, const struct tv_origin *origin, const struct tv_index *index,
                 bool (*goes_on)(void *goes_on_ctx), void *goes_on_ctx)
{
    const struct loading *loading = ctx;
    struct tv_error err;
    const struct tv_cache_watch watch = {goes_on, goes_on_ctx};
    if (loading->is_to_be_saved && tv_index_cache_save(&loading->cached, origin->path, index,
                                                       TV_SAVE_IF_WORTH, &watch, &err) != TV_OK)
        return;
}

static void loaded(void *ctx, const char *name, const struct tv_index *index)
{
    const struct viewing *viewing = ctx;
    tv_warn_of_trace(viewing->cli, name, index);
}

/* The address alone goes to stdout; what to do with it is for people. */
static void listening(void *ctx, const char *url, const char *entry_url, uint16_t port)
{
    const struct viewing *viewing = ctx;
    const struct tv_cli *cli = viewing->cli;
    struct tv_error err = {.code = TV_OK};
    const char *session = getenv("SSH_CONNECTION");
    bool is_open = false;
    char whole[ADDRESS_CAP]; /* a redirect keeps what is behind the # */
    (void)snprintf(whole, sizeof(whole), "%s%s", entry_url, viewing->view);
    (void)fprintf(cli->out, "%s%s\n", url, viewing->view);
    (void)fflush(cli->out);
    if (!tv_page_is_built())
        tv_cli_note(cli, NULL,
                    "built without its page, because node was missing: only the api answers");
    else if (!viewing->options->no_browser)
        is_open = tv_browser_open(whole, viewing->options->app ? TV_BROWSER_APP : TV_BROWSER_TAB,
                                  &err) == TV_OK;
    if (!is_open && err.code != TV_OK)
        tv_cli_note(cli, NULL, "%s: open the address above in one", err.text);
    if (!is_open && ((session && session[0]) || err.code != TV_OK))
        tv_cli_note(cli, NULL,
                    "from another machine: ssh -L %u:127.0.0.1:%u THIS-MACHINE, then the same "
                    "address there",
                    port, port);
    tv_cli_note(cli, NULL,
                viewing->options->no_browser ? "ends on Ctrl-C"
                                             : "ends when the page is closed, or on Ctrl-C");
}

/* Opens a file whose opening takes no time before there is a page, so that what is wrong with it is
 * told on the terminal. A file with a saved index is left to the loader. */
static enum tv_code open_first(struct viewing *viewing, struct tv_error *err)
{
    if (!viewing->name || !tv_file_opens_at_once(viewing->name))
        return TV_OK;
    if (tv_index_cache_is_there(&viewing->cached, viewing->cli, viewing->name))
        return TV_OK;
    const enum tv_sandbox_which which = sandbox_of(viewing->options);
    if (which != TV_SANDBOX_NEVER && tv_sandboxed_load_can(viewing->name) &&
        (which == TV_SANDBOX_ALWAYS || tv_is_of_others(viewing->name)))
        return TV_OK;
    const struct tv_open_opts opts = {.only_regular = true};
    TV_TRY(tv_opened_open(&viewing->first, viewing->name, &opts, err));
    viewing->is_first_open = true;
    return TV_OK;
}

/* Opens a trace once for nothing, where that takes no time, so that a name that is wrong is told on
 * the terminal. */
static enum tv_code try_other(const struct tv_cli *cli, const char *name, struct tv_error *err)
{
    const struct tv_open_opts opts = {.only_regular = true};
    struct tv_opened opened;
    if (!tv_file_opens_at_once(name))
        return TV_OK;
    tv_opened_init(&opened, cli->alloc);
    enum tv_code code = tv_opened_open(&opened, name, &opts, err);
    tv_opened_release(&opened);
    return code;
}

/* The starters begin before the viewer, whose threads are in Landlock domains. */
static enum tv_code run_with_starters(struct loading loading[TV_TRACES_LOADERS],
                                      const struct tv_viewer_opts *opts, struct tv_error *err)
{
    size_t count = 0;
    enum tv_code code = TV_OK;
    while (code == TV_OK && count < TV_TRACES_LOADERS) {
        code = tv_starter_start(&loading[count].starter, err);
        count += code == TV_OK;
    }
    if (code == TV_OK)
        code = tv_viewer_run(opts, err);
    while (count)
        tv_starter_stop(&loading[--count].starter);
    return code;
}

/* Everything that the viewer calls back stands in this file; the viewer itself (src/server) knows
 * nothing of terminals. */
int tv_view(const struct tv_cli *cli, const struct tv_view_options *options,
            const struct tv_view_of *of)
{
    struct viewing viewing = {.cli = cli, .name = of->name, .view = of->view, .options = options};
    struct loading loading[TV_TRACES_LOADERS];
    struct tv_error err = {.code = TV_OK};
    struct tv_viewer_opts opts = {.alloc = cli->alloc,
                                  .pool = cli->pool,
                                  .name = viewing.name,
                                  .spool = of->spool,
                                  .others = of->others,
                                  .other_count = of->other_count,
                                  .port = (uint16_t)options->port,
                                  .life = options->no_browser ? TV_VIEWER_UNTIL_SIGNAL
                                                              : TV_VIEWER_UNTIL_CLOSED,
                                  .load = load,
                                  .save = save,
                                  .listening = listening,
                                  .loaded = loaded,
                                  .ctx = &viewing};
    if (of->view[0] && !tv_is_view(of->view))
        return tv_cli_misuse(cli, "view takes [FILE] [NEW] [#VIEW]: '%.*s' is no view of the page",
                             tv_str_shown_len(tv_str_from(of->view)), of->view);
    if (!of->name && !tv_page_is_built() && !options->no_browser)
        return tv_cli_misuse(cli, "view needs FILE: this traceview was built without its page");
    for (size_t i = 0; i < TV_TRACES_LOADERS; i++) {
        loading[i] = (struct loading){.viewing = &viewing};
        opts.load_ctx[i] = &loading[i];
    }
    for (size_t i = 0; i < of->other_count; i++) {
        if (try_other(cli, of->others[i], &err) != TV_OK)
            return tv_cli_fail(cli, of->others[i], &err);
    }
    tv_opened_init(&viewing.first, cli->alloc);
    enum tv_code code = of->spool ? TV_OK : open_first(&viewing, &err);
    if (code == TV_OK)
        code = run_with_starters(loading, &opts, &err);
    tv_opened_release(&viewing.first);
    return code == TV_OK ? TV_STATUS_FINE : tv_cli_fail(cli, viewing.name, &err);
}

/* Both sides of a comparison: the files of the old one stand first. */
struct view_sides {
    struct tv_run_files files;
    size_t old_count;
};

/* The addresses of the traces of a side in a link: the first new one is number 1, the old ones
 * follow, and then the other new ones. */
static void add_numbers(struct tv_text *view, const struct view_sides *sides, enum tv_side side)
{
    const size_t count =
        side == TV_SIDE_OLD ? sides->old_count : sides->files.count - sides->old_count;
    for (size_t i = 0; i < count; i++) {
        const size_t of_new = i ? sides->old_count + TV_VIEWER_OTHERS + i - 1 : 1;
        if (i)
            tv_text_add(view, ",");
        tv_text_add(view, "%zu", side == TV_SIDE_OLD ? TV_VIEWER_OTHERS + i : of_new);
    }
}

/* Which traces the page compares, in its link. */
static void add_compared(struct tv_text *view, const struct view_sides *sides)
{
    if (sides->files.count == TV_SIDE_COUNT) {
        tv_text_add(view, "&against=%u", TV_VIEWER_OTHERS);
        return;
    }
    tv_text_add(view, "&runs=");
    add_numbers(view, sides, TV_SIDE_OLD);
    tv_text_add(view, "~");
    add_numbers(view, sides, TV_SIDE_NEW);
}

/* Shows a new trace, and what changed since the old ones. */
static int show_sides(const struct tv_cli *cli, const struct tv_view_options *options,
                      struct view_sides *sides, const char *asked)
{
    const char **of = sides->files.of;
    const size_t count = sides->files.count;
    struct tv_text view;
    if (count > TV_DIFF_TRACES_MOST)
        return tv_cli_misuse(cli, "view compares at most %u traces, and there are %zu",
                             TV_DIFF_TRACES_MOST, count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(of[i], "-") == 0)
            return tv_cli_misuse(cli, "view: one of several traces cannot be standard input");
    }
    if (count > TV_SIDE_COUNT && tv_run_set_check(cli, of, count) != TV_STATUS_FINE)
        return TV_STATUS_MISUSED;
    const char *first = of[sides->old_count];
    memmove(&of[1], &of[0], sides->old_count * sizeof(*of));
    of[0] = first;
    tv_text_init(&view, cli->alloc);
    tv_text_add(&view, "%s", asked[0] ? asked : "#tab=changes");
    if (!asked[0] || tv_is_view(asked))
        add_compared(&view, sides); /* else it is told that it is no view */
    tv_text_add_str(&view, (struct tv_str){"", 1});
    const struct tv_view_of shown = {.name = of[0],
                                     .others = of + 1,
                                     .other_count = count - 1,
                                     .view = (const char *)view.buffer.bytes};
    struct tv_error err = {.code = TV_OK};
    if (view.code != TV_OK)
        (void)tv_fail_memory(&err, view.buffer.len);
    int status = view.code == TV_OK ? tv_view(cli, options, &shown) : tv_cli_fail(cli, NULL, &err);
    tv_text_release(&view);
    return status;
}

static int view_sides(const struct tv_cli *cli, const struct view_options *options,
                      const char *const *words, size_t word_count, const char *asked)
{
    struct view_sides sides = {.old_count = 0};
    struct tv_error err = {.code = TV_OK};
    tv_run_files_init(&sides.files, cli);
    enum tv_code code = tv_run_files_add_sides(&sides.files, word_count ? words : NULL,
                                               options->sides, &sides.old_count, &err);
    int status = code == TV_OK ? show_sides(cli, &options->view, &sides, asked)
                               : tv_cli_fail(cli, NULL, &err);
    tv_run_files_release(&sides.files);
    return status;
}

static int run(const struct tv_cli *cli, const void *values, const struct tv_arguments *arguments)
{
    const struct view_options *options = values;
    const char *const *words = arguments->of;
    const bool has_old = options->sides[TV_SIDE_OLD].count > 0;
    const bool has_sides = has_old || options->sides[TV_SIDE_NEW].count;
    const bool has_new = arguments->count > 1 && words[1][0] != '#';
    const bool has_file = arguments->count && !(has_sides && words[0][0] == '#');
    const size_t file_count = has_file ? 1 + (size_t)has_new : 0;
    const char *asked = arguments->count > file_count ? words[file_count] : "";
    if (arguments->count > file_count + 1)
        return tv_cli_misuse(cli, "view takes [FILE] [NEW] [#VIEW]: '%.*s' is too much",
                             tv_str_shown_len(tv_str_from(words[2])), words[2]);
    if (options->view.app && options->view.no_browser)
        return tv_cli_misuse(cli, "view: --app opens a window, and --no-browser opens none");
    if (has_sides && (file_count || has_old != (options->sides[TV_SIDE_NEW].count > 0)))
        return tv_cli_misuse(cli, "view needs FILE and NEW, or files behind --old and --new");
    if (has_sides || has_new)
        return view_sides(cli, options, words, file_count, asked);
    const struct tv_view_of of = {.name = file_count ? words[0] : NULL, .view = asked};
    return tv_view(cli, &options->view, &of);
}

static const struct tv_option options[] = {
    TV_SIDE_OPTIONS(struct view_options),
    {.name = "no-browser",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct view_options, view.no_browser),
     .help = "only print the address; ends on Ctrl-C alone"},
    {.name = "port",
     .kind = TV_OPTION_COUNT,
     .field = offsetof(struct view_options, view.port),
     .argument = "PORT",
     .help = "listen on this port of 127.0.0.1 (a free one)",
     .most = UINT16_MAX},
    {.name = "app",
     .kind = TV_OPTION_FLAG,
     .field = offsetof(struct view_options, view.app),
     .help = "a window of its own, where a Chromium is there"},
    {.name = "sandbox",
     .kind = TV_OPTION_CHOICE,
     .field = offsetof(struct view_options, view.sandbox),
     .argument = "WHICH",
     .help =
         "read in a process of its own: always, others (packed, downloaded, another user's: the "
         "default), never",
     .choices = tv_sandbox_words},
};

const struct tv_verb tv_verb_view = {
    .name = "view",
    .summary = "the viewer in the browser (also without the verb)",
    .arguments = "[FILE] [NEW] [#VIEW]",
    .argument_count = 3,
    .may_lack = 3,
    .uses_index = true,
    .options = TV_OPTIONS(options),
    .values_len = TV_VALUES_LEN(struct view_options),
    .notes =
        "Without FILE the page begins with the files that were opened last, and a place to drop "
        "one. With two files the older one stands first: the page shows NEW, and what changed "
        "since FILE; either may be a folder of several recordings. "
        "#VIEW is what the page's Share copies: the same view for whoever has the file. "
        "The address has a secret in it and works on this machine only. The program ends "
        "shortly after "
        "the page is closed.",
    .examples = {{"traceview app.trace", "the trace in a browser"},
                 {"traceview old.trace new.trace", "both, and what changed"}},
    .run = run,
};
