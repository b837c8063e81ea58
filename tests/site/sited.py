#!/usr/bin/env python3
"""Asks a site of the real program over real sockets: sited.py PROGRAM [TEST ...]. Ends with "N passed, N failed".

The tests stand in files by subject; each file has a list TESTS of functions that take the program. They run four at a
time, since most of them wait.
"""

import concurrent.futures
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))

# pylint: disable=wrong-import-position
import sited_api
import sited_deployed
import sited_fleet
import sited_manners
import sited_mappings
import sited_pages
import sited_programs
import sited_projects
import sited_proxied
import sited_push
import sited_resuming
import sited_servers
import sited_stored
import sited_strangers
import sited_team
import sited_uploads
import sited_users
import sited_versions
import sited_webhook

SUBJECTS = [sited_uploads, sited_resuming, sited_api, sited_pages, sited_strangers, sited_manners, sited_proxied,
            sited_push, sited_users, sited_mappings, sited_deployed, sited_programs,
            sited_stored, sited_versions, sited_projects, sited_team, sited_fleet, sited_servers, sited_webhook]


def run(test, program):
    try:
        test(program)
    except Exception:  # pylint: disable=broad-except
        return traceback.format_exc()
    return None


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [test for subject in SUBJECTS for test in subject.TESTS if not names or test.__name__ in names]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        failures = list(pool.map(lambda test: run(test, program), tests))
    for test, failure in zip(tests, failures):
        if failure:
            print("failed: %s\n%s" % (test.__name__, failure))
    failed = sum(map(bool, failures))
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(1 if failed or not tests else 0)


main()
