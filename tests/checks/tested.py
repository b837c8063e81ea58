#!/usr/bin/env python3
"""Checks that each source file has a test file that its name leads to, and begins with what it is about.

The test of src/<folder>/<name>.c is tests/<folder>/test_<name>.c. Where several files are one subject, the test has the
beginning of their names (window_cuts.c: test_window.c) or the name of their room (analysis/flame/*.c: test_flame.c). What
is tested elsewhere stands in the table below, with where. A test that the meson.build of its folder does not name is
never run, and fails here. What a source is about is a comment of two lines or more before anything else. Ends with "N passed, N failed".
"""

import fnmatch
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Sources -> the test that has them, below tests/.
ELSEWHERE = {
    "adb/connection.c": "adb/test_client.c",
    "adb/devices.c": "adb/test_client.c",
    "adb/fetch.c": "adb/test_client.c",
    "adb/processes.c": "adb/test_client.c",
    "adb/server.c": "adb/test_client.c",
    "adb/shell.c": "adb/test_client.c",
    "adb/start.c": "adb/test_client.c",
    "adb/sync.c": "adb/test_client.c",
    "api/api.c": "api/test_routes.c",
    "api/comparisons/*.c": "api/test_routes.c",
    "api/routes/route_*.c": "api/test_routes.c",    # the packed ones: test_pack.c
    "api/pack_window.c": "api/test_pack.c",
    "api/routes/comparison_json.c": "api/test_routes.c",
    "api/route_table.c": "api/test_routes.c",
    "analysis/selection/method_by_name.c": "api/test_query.c",
    "analysis/selection/thread_order.c": "api/test_routes.c",
    "analysis/calls/set_calls.c": "analysis/selection/test_call_set.c",
    "analysis/selection/regex.c": "analysis/selection/test_name_pattern.c",
    "engine/answer_formats.c": "engine/answers.mjs",
    "engine/answer_routes.c": "engine/answers.mjs",    # the module, beside a native engine
    "engine/wasm_copy.c": "engine/answers.mjs",
    "engine/regex_host.c": "engine/answers.mjs",
    "engine/wasm.c": "engine/answers.mjs",
    "engine/wasm_alloc.c": "engine/answers.mjs",
    "os/wasi/*.c": "npm/beside.py",    # the command as WebAssembly, beside the program
    "engine/wasm_files.c": "engine/answers.mjs",
    "api/routes/answer_parts.c": "api/test_routes.c",
    "api/lean_query.c": "api/test_routes.c",
    "api/trace_pair.c": "api/test_routes.c",
    "api/routes/write_call.c": "api/test_routes.c",
    "site/fleet/*.c": "site/sited_fleet.py",    # questions are asked of a site
    "site/jobs/counted_traces.c": "site/sited_fleet.py",
    "site/jobs/row_files.c": "site/sited_fleet.py",
    "site/jobs/row_keeper.c": "site/sited_fleet.py",
    "site/document/fleet_data.c": "site/document/test_documents.c",
    "fleet/rows_clickhouse.c": "site/over_clickhouse.py",
    "fleet/rows_postgres.c": "fleet/test_rows_db.c",    # each engine is asked the same
    "fleet/rows_remote.c": "fleet/test_rows_db.c",
    "fleet/rows_sqlite.c": "fleet/test_rows_db.c",
    "fleet/rows_values.c": "fleet/test_rows_db.c",
    "fleet/build_change.c": "site/sited_fleet.py",
    "fleet/build_history.c": "site/sited_fleet.py",
    "fleet/method_history.c": "site/sited_fleet.py",
    "cli/*.c": "cli/run.py",    # the command line is tested by files
    "export/folded_frame.c": "export/tools/test_folded.c",
    "export/format_table.c": "export/test_export.c",
    "export/tables/csv_rows.c": "export/tables/test_text_rows.c",
    "export/tables/jsonl_rows.c": "export/tables/test_text_rows.c",
    "export/tables/trace_columns.c": "export/tables/test_trace_tables.c",
    "format/low_overhead/all_methods.c": "format/low_overhead/test_low_overhead.c",
    "format/packed_runs.c": "format/test_packed.c",    # the two halves of packed records
    "format/packed_patterns.c": "format/test_packed.c",
    "format/packed_steps.c": "format/test_packed.c",
    "http/connection.c": "http/test_httpd.c",    # the parts of a server, on real sockets
    "http/exchange.c": "http/test_httpd.c",
    "http/form.c": "site/sited_uploads.py",    # its parser needs a connection
    "http/request_workers.c": "http/test_httpd.c",
    "http/reply.c": "http/test_httpd.c",
    "http/body_sender.c": "http/test_httpd.c",
    "index/build/build.c": "index/test_index.c",
    "index/build/builder.c": "index/test_index.c",
    "index/build/node_sums.c": "index/build/test_context_tree.c",    # what nodes add up to
    "index/build/segment_groups_write.c": "index/test_segment_groups.c",
    "index/build/records/*.c": "index/build/records/test_call_stack.c",    # the rules of records, to the end
    "jvm/allocations.c": "record/jvm.py",
    "jvm/agent.c": "record/jvm.py",    # what asks a virtual machine is seen from outside
    "jvm/async_stacks.c": "record/jvm.py",
    "jvm/control.c": "record/jvm.py",
    "jvm/debug_class.c": "record/jvm.py",
    "jvm/machine.c": "record/jvm.py",
    "jvm/methods.c": "record/jvm.py",
    "jvm/rewrite.c": "record/jvm.py",
    "jvm/rewriter.c": "record/jvm.py",
    "jvm/safepoints.c": "record/jvm.py",
    "jvm/stacks.c": "record/jvm.py",
    "jvm/threads.c": "record/jvm.py",
    "jvm/waits.c": "record/jvm.py",
    "python/profile.c": "record/python.py",
    "cli/file/page_mapping.c": "server/served.py",    # beside the viewer that gives it
    "os/process/child.c": "record/recorded.py",
    "os/clock.c": "server/served.py",    # what asks the system is seen from outside
    "os/java/java.c": "record/jvm.py",
    "os/java/java_list.c": "record/jvm.py",
    "os/symbols/libdw.c": "record/recorded.py",
    "os/library.c": "record/recorded.py",    # libdw, and libcurl in cli/pushing.py
    "os/network/libcurl.c": "cli/pushing.py",
    "os/random_sleep.c": "site/disconnects.py",    # is in no build but those of sanitizers
    "served/single_file.c": "cli/reports.py",    # the template and the engine are only in a whole program
    "os/standard_files.c": "cli/run.py",
    "os/process/stop_request.c": "adb/devices.py",    # keys and signals that end a recording
    "os/symbols/unwind.c": "record/recorded.py",
    "os/network/web.c": "cli/pushing.py",    # against a server that misbehaves
    "os/symbols/source_lines.c": "record/recorded.py",    # files and lines of functions
    "os/symbols/symbols.c": "record/recorded.py",    # names of functions of compiled programs
    "record/api.c": "record/test_recorder.c",
    "record/calls.c": "record/recorded.py",    # of programs as they are
    "record/carried/contexts.c": "record/recorded.py",    # in place of the C library's swapcontext()
    "record/cold.c": "record/test_recorder.c",    # the lock, handlers and forks
    "record/cost.c": "record/recorded.py",    # what tracing costs is told
    "record/dump.c": "record/recorded.py",    # rings
    "record/instrumented/code_file.c": "record/recorded.py",    # files that are replaced
    "record/instrumented/exec.c": "record/recorded.py",    # in place of the C library's exec()
    "record/instrumented/hooks.c": "record/recorded.py",    # programs as they are
    "record/instrumented/jumps.c": "record/recorded.py",
    "record/instrumented/signals.c": "record/recorded.py",
    "record/memory.c": "record/test_buffer.c",
    "record/numbers.c": "record/recorded.py",
    "record/output.c": "record/test_recorder.c",    # closed descriptors and full disks
    "record/recording.c": "record/recorded.py",    # files are tested by who reads them
    "record/ring.c": "record/recorded.py",
    "record/session.c": "record/test_recorder.c",    # full buffers and disks
    "record/summary.c": "record/recorded.py",
    "record/threads.c": "record/test_recorder.c",
    "store/backup.c": "store/test_store.c",
    "store/check.c": "store/test_store.c",
    "store/concatenation.c": "store/test_store_files.c",
    "store/folder.c": "store/test_store.c",
    "store/folder_files.c": "store/test_store_files.c",
    "store/gc.c": "store/test_store.c",
    "store/keep.c": "store/test_store.c",
    "store/merge_join.c": "store/test_store.c",
    "store/row_check.c": "store/test_store_db.c",
    "postgres/*.c": "store/test_store_db.c",    # with a server that goes away: site/over_postgres.py
    "s3/request_errand.c": "store/test_store_files.c",    # with Swift; with a proxy that misbehaves: site/over_s3.py
    "s3/bucket.c": "store/test_store_files.c",
    "s3/errands.c": "store/test_store_files.c",
    "s3/multipart.c": "store/test_store_files.c",
    "s3/request.c": "site/over_s3.py",
    "store/s3_files.c": "store/test_store_files.c",
    "store/job_end.c": "store/test_store_db.c",    # what implementations have in common
    "store/tried_mappings.c": "store/test_store_db.c",
    "store/quota_rules.c": "store/test_store_db.c",
    "store/upload_progress.c": "store/test_store_db.c",
    "store/postgres/*.c": "store/test_store_db.c",
    "sqlite/select.c": "served/test_query.c",
    "sqlite/spooled.c": "served/test_export_database.c",
    "sqlite/sql.c": "store/test_store_db.c",
    "store/sqlite/*.c": "store/test_store_db.c",
    "store/sqlite/schema.c": "store/test_schema.c",
    "site/upload/upload_row.c": "site/sited_uploads.py",    # requests and answers: against the program
    "cli/site/pushed_diff.c": "site/sited_push.py",
    "cli/site/stored_traces.c": "site/sited_stored.py",
    "site/answer/deliveries.c": "site/sited_webhook.py",
    "site/webhook/build_judge.c": "site/sited_webhook.py",
    "site/answer/program_tokens.c": "site/sited_programs.py",
    "site/request/project_rights.c": "site/sited_projects.py",
    "site/request/program_token.c": "site/sited_programs.py",
    "site/request/admission.c": "site/sited_strangers.py",
    "site/upload/aflame.c": "site/sited_uploads.py",
    "site/request/trace_change.c": "site/sited_api.py",
    "site/config/config.c": "site/config/test_settings.c",
    "site/answer/mappings.c": "site/sited_mappings.py",
    "site/request/requested_mapping.c": "site/sited_mappings.py",
    "site/answer/events.c": "site/sited_pages.py",
    "site/answer/health.c": "site/sited_api.py",
    "site/request/requested_trace.c": "site/sited_api.py",
    "site/request/trace_list.c": "site/sited_api.py",
    "site/request/document_site.c": "site/sited_pages.py",
    "site/document/template_data.c": "site/document/test_documents.c",
    "site/document/problems.c": "site/document/test_documents.c",
    "http/path_pattern.c": "http/test_routes.c",
    "site/run/run.c": "site/sited.py",
    "site/run/sample.c": "site/sited.py",
    "site/config/setting_value.c": "site/config/test_settings.c",
    "site/site.c": "site/sited.py",
    "site/answer/compare.c": "site/sited_pages.py",
    "site/answer/site_documents.c": "site/sited_pages.py",
    "site/request/request_log.c": "site/sited_strangers.py",
    "site/answer/trace_documents.c": "site/sited_pages.py",
    "site/answer/traces.c": "site/sited_api.py",
    "site/upload/uploads.c": "site/sited_resuming.py",
    "server/ask.c": "server/served.py",
    "served/ask.c": "server/served.py",
    "served/exports.c": "server/test_exports.c",
    "os/process/helper_process.c": "server/recorded_by_page.py",
    "server/helper_thread.c": "server/recorded_by_page.py",
    "server/first_answer.c": "server/test_viewer.c",
    "server/loader.c": "server/changing.py",
    "served/page.c": "server/served.py",
    "server/run.c": "server/served.py",
    "server/settings.c": "server/served.py",
}


def sources():
    for place, _, names in sorted(os.walk(os.path.join(ROOT, "src"))):
        for name in sorted(names):
            if name.endswith(".c"):
                yield os.path.relpath(os.path.join(place, name), os.path.join(ROOT, "src"))


def begins_with_what_it_is_about(source):
    with open(os.path.join(ROOT, "src", source), encoding="utf-8") as file:
        head, end, _ = file.read().partition("*/")
    return head.startswith("/*") and bool(end) and "\n" in head


def has_test(path):
    return os.path.exists(os.path.join(ROOT, "tests", path))


def named_tests(source):
    """Where the test of a source may stand, by its name."""
    folder, name = os.path.split(source)
    words = name[: -len(".c")].split("_")
    for count in range(len(words), 0, -1):
        yield "%s/test_%s.c" % (folder, "_".join(words[:count]))
    if "/" in folder:
        yield "%s/test_%s.c" % (folder, os.path.basename(folder))


def unnamed_tests():
    """Tests below tests/<folder> whose name, with their room's before it, the folder's meson.build does not have."""
    for folder in sorted(os.listdir(os.path.join(ROOT, "tests"))):
        top = os.path.join(ROOT, "tests", folder)
        if not os.path.exists(os.path.join(top, "meson.build")):
            continue
        with open(os.path.join(top, "meson.build"), encoding="utf-8") as file:
            build = file.read()
        for place, _, names in sorted(os.walk(top)):
            room = os.path.relpath(place, top)
            for name in sorted(fnmatch.filter(names, "test_*.c")):
                if "'%s'" % os.path.normpath(os.path.join(room, name[len("test_"):-len(".c")])) not in build:
                    yield os.path.relpath(os.path.join(place, name), ROOT)


def main():
    passed, failures, used = 0, [], set()
    for source in sources():
        rows = [row for row in ELSEWHERE if fnmatch.fnmatchcase(source, row)]
        used.update(rows)
        if any(map(has_test, named_tests(source))) or any(has_test(ELSEWHERE[row]) for row in rows):
            passed += 1
        else:
            failures.append("src/%s has no test: write tests/%s" % (source, next(named_tests(source))))
    for source in sources():
        if not begins_with_what_it_is_about(source):
            failures.append("src/%s: does not begin with a comment that says in two lines or more what it is about" % source)
    failures += ["%s is never run: name it in the meson.build of its folder" % test for test in unnamed_tests()]
    failures += ["%s is in the table, but there is no such source" % row for row in ELSEWHERE if row not in used]
    for failure in failures:
        print(failure)
    print("%d passed, %d failed" % (passed, len(failures)))
    sys.exit(1 if failures else 0)


main()
