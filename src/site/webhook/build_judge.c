/*
 * Builds that are worse; see site/webhook/build_judge.h. Traces of projects that not everybody with
 * a link reads are left out: whoever gets the delivery is none of their members.
 */
#include "site/webhook/build_judge.h"

#include <string.h>

#include "api/comparisons/ruling.h"
#include "base/bytes/sha256.h"
#include "base/hex.h"
#include "base/text/percent.h"
#include "fleet/build_change.h"
#include "fleet/build_history.h"
#include "site/document/readable.h"
#include "site/jobs/counted_traces.h"

#define TRACES_MOST 20000u
/* A build is judged by at most this many times webhook-traces. */
#define LARGEST_STEP 16u
/* Bytes of a rule and of a method that are told: names may be long, and are anybody's. */
#define TEXT_TOLD 400u

void tv_build_judge_init(struct tv_build_judge *judge, const struct tv_alloc *alloc)
{
    *judge = (struct tv_build_judge){.alloc = alloc};
    tv_map_init(&judge->judged, alloc);
    tv_judged_builds_init(&judge->builds, alloc);
}

void tv_build_judge_release(struct tv_build_judge *judge)
{
    tv_judged_builds_release(&judge->builds);
    tv_map_release(&judge->judged);
}

/* Two builds of an app while they are judged. */
struct pair {
    struct tv_build_judge *judge;
    struct tv_fleet_reader *reader;
    struct tv_arena *arena;
    struct tv_str app, device;
    const struct tv_fleet_build *builds[TV_SIDE_COUNT];
    struct tv_fleet_counted *runs; /* the old ones first */
    size_t counts[TV_SIDE_COUNT];
    size_t cut[TV_SIDE_COUNT]; /* of these, those that have more methods than rows are kept of */
    struct tv_id id;
    uint64_t key; /* the beginning of the id, as a number */
    int64_t now;
};

/* --- which traces --- */

/* The traces that count for whoever has a link. */
static enum tv_code make_query(const struct tv_build_judge *judge, int64_t now,
                               struct tv_arena *arena, struct tv_trace_query *query,
                               struct tv_error *err)
{
    const struct tv_site_config *config = judge->config;
    struct tv_str *projects;
    *query = (struct tv_trace_query){.counted = &judge->rule, .is_of_all = true, .now = now};
    TV_TRY(tv_arena_take(arena, (config->project_count + 1) * sizeof(*projects), &projects, err));
    for (size_t i = 0; i < config->project_count; i++) {
        if (config->projects[i].read == TV_PROJECT_LINK)
            projects[query->project_count++] = tv_str_from(config->projects[i].name);
    }
    query->projects = config->projects ? projects : NULL;
    return TV_OK;
}

static size_t count_of_device(const struct tv_fleet_build *build, struct tv_str device)
{
    size_t count = 0;
    for (size_t i = 0; i < build->count; i++)
        count += build->traces[i]->run && tv_str_equal(build->traces[i]->device, device);
    return count;
}

/* The device that most traces of a build are of; the first by name of several. Only the first
 * traces are looked at, so that a build of thousands costs no more. */
static size_t choose_device(struct pair *pair)
{
    const struct tv_fleet_build *build = pair->builds[TV_SIDE_NEW];
    const size_t from =
        build->count > TV_FLEET_COMPARED_MOST ? build->count - TV_FLEET_COMPARED_MOST : 0;
    size_t most = 0;
    for (size_t i = from; i < build->count; i++) {
        const struct tv_str device = build->traces[i]->device;
        if (most && tv_str_equal(device, pair->device))
            continue;
        const size_t count = count_of_device(build, device);
        if (count > most || (count && count == most && tv_str_compare(device, pair->device) < 0)) {
            most = count;
            pair->device = device;
        }
    }
    return most;
}

/* How many traces of a build that has `count` are judged: the largest step that `count` reaches. 0:
 * none. */
static size_t choose_step(const struct tv_site_config *config, size_t count)
{
    size_t step = (size_t)config->webhook_traces;
    if (count < step)
        return 0;
    for (unsigned times = 1; times < LARGEST_STEP && 2 * step <= count; times *= 2)
        step *= 2;
    return step;
}

/* Adds the traces of a side, from the newest or from the oldest on. */
static void add_side(struct pair *pair, enum tv_side side, size_t most)
{
    const struct tv_fleet_build *build = pair->builds[side];
    size_t *count = &pair->counts[side];
    struct tv_fleet_counted *to = pair->runs + (side == TV_SIDE_NEW ? pair->counts[0] : 0);
    *count = 0;
    for (size_t i = 0; i < build->count && *count < most; i++) {
        const struct tv_fleet_trace *trace =
            build->traces[side == TV_SIDE_NEW ? build->count - 1 - i : i];
        if (trace->run && tv_str_equal(trace->device, pair->device))
            to[(*count)++] = (struct tv_fleet_counted){trace->run, trace->id};
    }
}

/* --- the delivery --- */

/* The id of a delivery is the same for the same builds, whichever process judges them. */
static void make_id(struct pair *pair)
{
    uint8_t digest[TV_SHA256_LEN];
    uint8_t text[3 * TV_SHA256_LEN];
    tv_sha256(pair->app, text);
    tv_sha256(pair->builds[TV_SIDE_OLD]->name, text + TV_SHA256_LEN);
    tv_sha256(pair->builds[TV_SIDE_NEW]->name, text + 2 * (size_t)TV_SHA256_LEN);
    tv_sha256((struct tv_str){(const char *)text, sizeof(text)}, digest);
    memcpy(&pair->key, digest, sizeof(pair->key));
    tv_hex_put(pair->id.hex, digest, (sizeof(pair->id.hex) - 1) / 2);
    pair->id.hex[sizeof(pair->id.hex) - 1] = '\0';
}

static bool is_worse_by(const struct tv_ruling *ruling, size_t place)
{
    return ruling->verdicts[place].state == TV_RULE_BROKEN && ruling->verdicts[place].is_error;
}

/* The beginning of a long text, and how many more bytes there are. */
static enum tv_code write_cut(struct tv_json *json, const char *key, struct tv_str text,
                              const struct tv_alloc *alloc, struct tv_error *err)
{
    struct tv_buffer shown;
    struct tv_out out;
    if (text.len <= TEXT_TOLD) {
        tv_json_key_str(json, key, text);
        return TV_OK;
    }
    tv_buffer_init(&shown, alloc);
    tv_out_init(&out, tv_buffer_sink(&shown));
    tv_out_shown(&out, text, TEXT_TOLD);
    enum tv_code code = tv_out_finish(&out, err);
    tv_json_key_str(json, key, tv_buffer_view(&shown));
    tv_buffer_release(&shown);
    return code;
}

static enum tv_code write_rule(const struct tv_ruling *ruling, size_t place, struct tv_json *json,
                               struct tv_error *err)
{
    const struct tv_rule *rule = &ruling->rules.of[place];
    struct tv_buffer text;
    struct tv_out out;
    tv_buffer_init(&text, ruling->alloc);
    enum tv_code code = tv_ruling_method(ruling, place, &text, err);
    tv_json_open_object(json);
    if (code == TV_OK)
        code = write_cut(json, "rule", rule->text, ruling->alloc, err);
    tv_json_key_u64(json, "line", rule->line);
    tv_json_key_text(json, "level", tv_ruling_level(ruling, place));
    if (code == TV_OK && text.len)
        code = write_cut(json, "method", tv_buffer_view(&text), ruling->alloc, err);
    text.len = 0;
    tv_out_init(&out, tv_buffer_sink(&text));
    tv_ruling_write_why(ruling, place, &out);
    if (code == TV_OK)
        code = tv_out_finish(&out, err);
    tv_json_key_str(json, "why", tv_buffer_view(&text));
    tv_json_close_object(json);
    tv_buffer_release(&text);
    return code;
}

/* Errors first, then warnings that are broken as well. */
static enum tv_code write_rules(const struct tv_ruling *ruling, size_t most, struct tv_json *json,
                                struct tv_error *err)
{
    size_t told = 0, broken = 0;
    tv_json_key(json, "rules");
    tv_json_open_array(json);
    for (unsigned turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < ruling->rules.count; i++) {
            if (ruling->verdicts[i].state != TV_RULE_BROKEN ||
                is_worse_by(ruling, i) != (turn == 0))
                continue;
            broken++;
            if (told == most)
                continue;
            TV_TRY(write_rule(ruling, i, json, err));
            told++;
        }
    }
    tv_json_close_array(json);
    tv_json_key_u64(json, "broken", broken);
    return TV_OK;
}

/* Where both builds stand side by side. */
static enum tv_code write_page(const struct pair *pair, struct tv_json *json, struct tv_error *err)
{
    const struct tv_site_config *config = pair->judge->config;
    struct tv_buffer page;
    struct tv_out out;
    tv_buffer_init(&page, pair->judge->alloc);
    tv_out_init(&out, tv_buffer_sink(&page));
    tv_out_add(&out, "%s%s/apps/diff?app=", config->public_url, config->base_path);
    tv_percent_put(&out, pair->app);
    tv_out_add(&out, "&old=");
    tv_percent_put(&out, pair->builds[TV_SIDE_OLD]->name);
    tv_out_add(&out, "&new=");
    tv_percent_put(&out, pair->builds[TV_SIDE_NEW]->name);
    if (pair->device.len) {
        tv_out_add(&out, "&device=");
        tv_percent_put(&out, pair->device);
    }
    enum tv_code code = tv_out_finish(&out, err);
    tv_json_key_str(json, "page", tv_buffer_view(&page));
    tv_buffer_release(&page);
    return code;
}

static enum tv_code write_body(const struct pair *pair, const struct tv_ruling *ruling, size_t most,
                               struct tv_buffer *body, struct tv_error *err)
{
    char room[TV_READABLE_MOST];
    struct tv_json json;
    tv_json_init(&json, tv_buffer_sink(body));
    tv_json_open_object(&json);
    tv_json_key_text(&json, "event", "build.worse");
    tv_json_key_text(&json, "id", pair->id.hex);
    tv_json_key_str(&json, "created", tv_readable_moment(room, pair->now));
    tv_json_key_str(&json, "app", pair->app);
    for (unsigned side = 0; side < TV_SIDE_COUNT; side++) {
        tv_json_key(&json, tv_side_words[side]);
        tv_json_open_object(&json);
        tv_json_key_str(&json, "build", pair->builds[side]->name);
        tv_json_key_u64(&json, "compared", pair->counts[side]);
        tv_json_key_u64(&json, "cut", pair->cut[side]);
        tv_json_close_object(&json);
    }
    if (pair->device.len)
        tv_json_key_str(&json, "device", pair->device);
    TV_TRY(write_rules(ruling, most, &json, err));
    TV_TRY(write_page(pair, &json, err));
    tv_json_close_object(&json);
    return tv_json_finish(&json, err);
}

/* With fewer rules where their texts take too much room. */
static enum tv_code tell(const struct pair *pair, const struct tv_ruling *ruling,
                         struct tv_error *err)
{
    const struct tv_store_db *db = &pair->judge->store->db;
    struct tv_buffer body;
    tv_buffer_init(&body, pair->judge->alloc);
    enum tv_code code = TV_OK;
    for (size_t most = TV_JUDGED_RULES_TOLD;; most /= 2) {
        body.len = 0;
        code = write_body(pair, ruling, most, &body, err);
        if (code != TV_OK || body.len <= TV_STORE_DELIVERY_MOST || most == 1)
            break;
    }
    const struct tv_delivery delivery = {.id = pair->id,
                                         .app = pair->app,
                                         .build = pair->builds[TV_SIDE_NEW]->name,
                                         .body = tv_buffer_view(&body)};
    if (code == TV_OK)
        code = db->add_delivery(db->ctx, &delivery, pair->now, err);
    tv_buffer_release(&body);
    return code;
}

/* --- judging --- */

static uint32_t day_of(int64_t now)
{
    char room[TV_READABLE_MOST];
    uint32_t day;
    return tv_rule_read_day(tv_readable_day(room, now), &day) ? day : UINT32_MAX;
}

static enum tv_code judge_change(const struct pair *pair, const struct tv_build_change *change,
                                 struct tv_error *err)
{
    const struct tv_comparison *comparison = &change->comparison;
    const struct tv_rule_clocks clocks = {&comparison->clocks, &comparison->new_clocks, NULL};
    struct tv_ruling ruling;
    bool is_worse = false;
    tv_ruling_init(&ruling, pair->judge->alloc);
    ruling.is_unwanted = pair->judge->is_unwanted;
    enum tv_code code = tv_ruling_read(&ruling, tv_str_from(pair->judge->config->webhook_rules),
                                       pair->counts[TV_SIDE_OLD] + pair->counts[TV_SIDE_NEW], err);
    if (code == TV_OK)
        code = tv_ruling_judge(&ruling, &comparison->join, &comparison->tested_by, &clocks,
                               day_of(pair->now), err);
    for (size_t i = 0; code == TV_OK && i < ruling.rules.count; i++)
        is_worse = is_worse || is_worse_by(&ruling, i);
    if (is_worse)
        code = tell(pair, &ruling, err);
    tv_ruling_release(&ruling);
    return code;
}

/* With fewer traces of the build before, where they have too many different methods. */
static enum tv_code compare(struct pair *pair, size_t new_most, struct tv_error *err)
{
    enum tv_code code = TV_ERR_LIMIT;
    for (size_t most = TV_JUDGED_OLD_MOST; code == TV_ERR_LIMIT && most; most /= 2) {
        struct tv_build_change change;
        add_side(pair, TV_SIDE_OLD, most);
        add_side(pair, TV_SIDE_NEW, new_most);
        if (!pair->counts[TV_SIDE_OLD])
            return TV_OK;
        const struct tv_build_change_opts opts = {
            .runs = pair->runs,
            .run_counts = {pair->counts[TV_SIDE_OLD], pair->counts[TV_SIDE_NEW]},
            .kind = TV_TIME_INCLUSIVE,
            .least = TV_COMPARED_LEAST};
        tv_build_change_init(&change, pair->judge->alloc);
        code = tv_build_change_make(&change, pair->reader, &opts, err);
        memcpy(pair->cut, change.cut, sizeof(pair->cut));
        if (code == TV_OK)
            code = judge_change(pair, &change, err);
        tv_build_change_release(&change);
    }
    return code;
}

static bool lacks_rows(const struct tv_fleet_build *build)
{
    for (size_t i = 0; i < build->count; i++) {
        if (!build->traces[i]->run)
            return true;
    }
    return false;
}

/* Whether traces that come may have the newest build judged again. */
static bool is_settled(const struct pair *pair)
{
    const uint32_t judged = tv_map_get(&pair->judge->judged, pair->key);
    return judged != TV_MAP_NONE && judged >= pair->judge->config->webhook_traces * LARGEST_STEP;
}

/* Judges where there are more traces than the last time. What fails is judged again the next time.
 */
static enum tv_code judge_pair(struct pair *pair, struct tv_error *err)
{
    const struct tv_site_config *config = pair->judge->config;
    const size_t step = choose_step(config, choose_device(pair));
    uint32_t *judged;
    make_id(pair);
    TV_TRY(tv_map_slot(&pair->judge->judged, pair->key, 0, &judged, err));
    if (step <= *judged)
        return TV_OK;
    TV_TRY(tv_arena_take(pair->arena, (TV_JUDGED_OLD_MOST + step) * sizeof(*pair->runs),
                         &pair->runs, err));
    TV_TRY(compare(pair, step, err));
    *judged = (uint32_t)step;
    return TV_OK;
}

/* Notes all builds but the newest where it is not settled (NULL: it is). */
static enum tv_code settle(struct tv_build_judge *judge, const struct tv_fleet_builds *builds,
                           struct tv_str app, const struct tv_fleet_build *open,
                           struct tv_error *err)
{
    for (size_t i = 0; i < builds->count; i++) {
        if (&builds->of[i] != open)
            TV_TRY(tv_judged_builds_settle(&judge->builds, app, builds->of[i].name, err));
    }
    if (open && lacks_rows(open))
        judge->builds.is_waiting = true;
    return TV_OK;
}

static enum tv_code judge_app(struct tv_build_judge *judge, struct tv_fleet_reader *reader,
                              const struct tv_counted_traces *found, struct tv_str app, int64_t now,
                              struct tv_error *err)
{
    struct tv_arena arena;
    struct tv_fleet_builds builds;
    struct pair pair = {.judge = judge, .reader = reader, .arena = &arena, .app = app, .now = now};
    const struct tv_fleet_build *open = NULL;
    tv_arena_init(&arena, judge->alloc);
    enum tv_code code =
        tv_fleet_builds_find(&builds, found->traces, found->count, app, &arena, err);
    if (code == TV_OK && builds.count >= 2 &&
        builds.of[builds.count - 1].first > now - TV_JUDGED_FOR_S) {
        pair.builds[TV_SIDE_NEW] = &builds.of[builds.count - 1];
        pair.builds[TV_SIDE_OLD] = &builds.of[builds.count - 2];
        code = judge_pair(&pair, err);
        open = is_settled(&pair) ? NULL : pair.builds[TV_SIDE_NEW];
    }
    if (code == TV_OK)
        code = settle(judge, &builds, app, open, err);
    tv_arena_release(&arena);
    return code;
}

static enum tv_code judge_apps(struct tv_build_judge *judge, struct tv_fleet_reader *reader,
                               const struct tv_trace_query *query, int64_t now,
                               struct tv_arena *arena, struct tv_error *err)
{
    struct tv_counted_traces found;
    struct tv_fleet_app *apps;
    size_t count;
    enum tv_code failed = TV_OK;
    TV_TRY(tv_counted_traces_find(&found, judge->store, query, reader->is_unwanted, TRACES_MOST,
                                  arena, err));
    TV_TRY(tv_counted_traces_find_runs(&found, reader, arena, err));
    if (!found.count)
        return TV_OK;
    TV_TRY(tv_fleet_apps_find(found.traces, found.count, arena, &apps, &count, err));
    for (size_t i = 0; i < count && failed != TV_ERR_CANCELLED; i++) {
        const enum tv_code code =
            judge_app(judge, reader, &found, apps[i].name, now, failed == TV_OK ? err : NULL);
        failed = failed == TV_OK || code == TV_ERR_CANCELLED ? code : failed;
    }
    return failed;
}

static enum tv_code judge_all(struct tv_build_judge *judge, const struct tv_trace_query *query,
                              int64_t now, struct tv_arena *arena, struct tv_error *err)
{
    struct tv_fleet_reader reader;
    tv_judged_builds_clear(&judge->builds, now);
    TV_TRY(tv_fleet_reader_open(&reader, judge->rows, err));
    reader.is_unwanted = judge->is_unwanted;
    reader.is_patient = true;
    const enum tv_code code = judge_apps(judge, &reader, query, now, arena, err);
    tv_fleet_reader_close(&reader);
    return code;
}

enum tv_code tv_build_judge_pass(struct tv_build_judge *judge, bool is_whole, int64_t now,
                                 struct tv_error *err)
{
    struct tv_trace_query query;
    struct tv_arena arena;
    bool is_due = is_whole;
    judge->rule = tv_site_config_rule(judge->config);
    tv_arena_init(&arena, judge->alloc);
    enum tv_code code = make_query(judge, now, &arena, &query, err);
    if (code == TV_OK && !is_due)
        code = tv_judged_builds_are_due(&judge->builds, judge->store, &query, now, &is_due, err);
    if (code == TV_OK && is_due) {
        code = judge_all(judge, &query, now, &arena, err);
        judge->builds.is_waiting = judge->builds.is_waiting || code != TV_OK;
    }
    tv_arena_release(&arena);
    return code;
}
