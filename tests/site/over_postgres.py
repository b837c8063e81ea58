#!/usr/bin/env python3
"""Sites whose rows are in PostgreSQL: what they keep, and what they do while the server is away.

    over_postgres.py PROGRAM [TEST ...]
    over_postgres.py PROGRAM --crowd     what cluster.py tests, with rows in PostgreSQL

A cluster is made for it (tests/support/postgres.py). Ends with "N passed, N failed".
"""

import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import ports  # noqa: E402
import postgres  # noqa: E402
import sited_fleet  # noqa: E402
import sited_webhook  # noqa: E402
from crowd import FAILURES, NO_LIMITS, content  # noqa: E402
from running import DATA, FORM, PATIENCE_S, ROOT, Site, bearer, equal, has, read, sha256, wait_until  # noqa: E402

PASSWORD = "Blaubeer-7d5f1c"
# A request is answered within so many seconds, whatever the database does. The machine may be busy.
LONGEST_S = 5.0


class Proxy:
    """Brings connections on a TCP port to the cluster's socket; while `is_hole`, what comes in vanishes."""

    def __init__(self, cluster, port=0):
        self.path = cluster.folder + "/.s.PGSQL.%d" % cluster.port
        self.is_hole = False
        self.is_open = True
        self.listening = socket.create_server(("127.0.0.1", port))
        self.port = self.listening.getsockname()[1]
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                client = self.listening.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            while self.is_hole:
                time.sleep(0.01)
            try:
                server.connect(self.path)
                while self.is_open:
                    for one in select.select([client, server], [], [], 0.05)[0]:
                        data = one.recv(65536)
                        if not data:
                            return
                        while self.is_hole:
                            time.sleep(0.01)
                        (server if one is client else client).sendall(data)
            except OSError:
                return

    def end(self):
        self.is_hole = self.is_open = False
        self.listening.shutdown(socket.SHUT_RDWR)    # which ends the accept that waits, and frees the port
        self.threads[0].join()
        self.listening.close()


class World:
    """A database of its own in the cluster, and the folder of its files."""

    cluster = None

    def __init__(self):
        self.database = "db" + uuid.uuid4().hex
        self.url = self.cluster.make(self.database)
        self.temporary = tempfile.TemporaryDirectory(prefix="traceview-over-")
        self.files = self.temporary.name + "/files"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def site(self, program, *options, url=None, **others):
        return Site(program, "--files", self.files, *NO_LIMITS[:-2], *options, store=url or self.url, **others)

    def command(self, program, action, *words, url=None):
        done = subprocess.run([program, "store", action, url or self.url, *words, "--files", self.files],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        return done.returncode, done.stdout + done.stderr

    def ask(self, statement):
        return self.cluster.ask(statement, self.database).strip()


def traces_are_kept_shown_and_deleted(program):
    with World() as world, world.site(program, "--list") as site:
        trace = site.ready(site.put(content(1), title="Über 'uns'", label_app="shop", listed="1"))
        equal((trace["state"], trace["title"], trace["sha256"]), ("ready", "Über 'uns'", sha256(content(1))))
        equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(1))
        equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        equal([row["id"] for row in site.ask("/api/v1/traces?q=%C3%BCber+UNS").json["traces"]], [])    # ASCII alone folds
        equal([row["id"] for row in site.ask("/api/v1/traces?q=UNS").json["traces"]], [trace["id"]])
        equal(world.ask("SELECT count(*) FROM traceview.traces"), "1")
        equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        equal(site.ask("/api/v1/traces/" + trace["id"]).status, 404)
        equal(world.ask("SELECT count(*) FROM traceview.traces"), "0")
        assert not os.path.exists(world.files + "/store.sqlite")


def hostile_searches_are_answered(program):
    """What no text of PostgreSQL can have is in no trace: the answer is an empty list, and no problem of the site's."""
    with World() as world, world.site(program, "--list") as site:
        site.ready(site.put(content(1), title="a\\b", label_app="shop", listed="1"))
        for search, count in (("a%00b", 0), ("%00", 0), ("%FF", 0), ("app:%00", 0), ("app:%FF", 0), ("%ED%A0%80", 0), ("app:%22%7D", 0),
                              ("x%00:y", 0), ("a%5Cb", 1), ("%25", 0), ("_", 0), ("%5C", 1), ("%27%3B--", 0),
                              # The year 0 is none, so these are words.
                              ("from:0000-01-01", 0),
                              ("until:0000-12-31", 0), ("until:9999-12-31", 1), ("from:2026-02-31", 1)):
            answer = site.ask("/api/v1/traces?q=" + search)
            equal((search, answer.status, len(answer.json.get("traces", ()))), (search, 200, count))
        assert "cannot use" not in site.read_log(), site.read_log()


def commands_work_on_it(program):
    with World() as world:
        status, said = world.command(program, "stats")
        equal(status, 1)
        has(said, "there is no store in that database")
        with world.site(program) as site:
            trace = site.ready(site.put(content(2)))
            status, said = world.command(program, "stats", "--json")
            equal(status, 0)
            has(said, '"traces":1')
            status, said = world.command(program, "check")
            equal(status, 0)
            has(said, "faults: 0\n")
            status, said = world.command(program, "list")
            has(said, trace["id"])
            equal(world.command(program, "delete", trace["id"])[0], 0)
        status, said = world.command(program, "gc", "--now")
        equal(status, 0)
        equal(world.ask("SELECT files FROM traceview.totals"), "0")
        status, said = world.command(program, "backup", world.temporary.name + "/copy")
        equal(status, 1)
        has(said, "copy the folder of the files, then run pg_dump --schema=traceview, then copy the files that came since")
        assert not os.path.exists(world.temporary.name + "/copy")


def a_copy_in_the_order_that_backup_tells_is_whole(program):
    with World() as world, World() as other:
        with world.site(program) as site:
            trace = site.ready(site.put(content(3)))
            subprocess.run(["cp", "-r", world.files, other.files], check=True)
            late = site.ready(site.put(content(4)))
            dump = world.cluster.run("pg_dump", "-h", world.cluster.folder, "-p", str(world.cluster.port), "-U", "postgres", "--schema=traceview",
                                     world.database)
            subprocess.run(["cp", "-rn", world.files + "/.", other.files], check=True)
        copied = world.temporary.name + "/dump"
        with open(copied, "w", encoding="utf-8") as file:
            file.write(dump)
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-f", copied, other.url], check=True,
                       stdout=subprocess.DEVNULL)
        status, said = other.command(program, "check")
        has(said, "faults: 0\n")
        equal(status, 0)
        equal(other.command(program, "take")[0], 0)
        with other.site(program) as site:
            for kept, number in ((trace, 3), (late, 4)):
                equal(site.ask("/api/v1/traces/%s/raw" % kept["id"], headers=bearer(kept)).body, content(number))


def an_earlier_store_is_brought_up_by_whoever_comes(program):
    """A store of the first version of the schema, which several processes open at once."""
    with World() as world:
        with world.site(program, "--list") as site:
            site.put(content(51), listed="1", label_app="shop", label_device="Pixel")
        world.ask("DROP TABLE traceview.jobs, traceview.program_tokens, traceview.deliveries, traceview.tallies, traceview.build_figures; ALTER TABLE traceview.schema_version DROP COLUMN least;"
                  " DROP FUNCTION traceview.note_labels CASCADE; ALTER TABLE traceview.traces DROP COLUMN label_text; ALTER TABLE traceview.parts DROP COLUMN so_far;"
                  " UPDATE traceview.schema_version SET version=1")
        said = [None] * 6

        def open_it(place):
            said[place] = world.command(program, "make")

        together(open_it, len(said))
        equal([status for status, _ in said], [0] * len(said))
        equal(world.ask("SELECT version FROM traceview.schema_version"), "8")
        with world.site(program, "--list") as site:
            for words, found in (("pixel shop", 1), ("pixel mail", 0)):
                equal(len(site.ask("/api/v1/traces?" + urllib.parse.urlencode({"q": words})).json["traces"]), found)
            equal(site.ready(site.put(content(50)))["state"], "ready")


def a_store_moves_from_a_folder_and_back(program):
    """Both sites run while it is copied, and the first one takes uploads; then all is as it was there."""
    with World() as world:
        folder, back = world.temporary.name + "/laptop", world.temporary.name + "/back"

        def copy(*words):
            done = subprocess.run([program, "store", "copy", "--json", *words], capture_output=True, text=True,
                                  timeout=PATIENCE_S, check=False)
            assert done.returncode == 0, done
            return json.loads(done.stdout)

        with Site(program, *NO_LIMITS[:-2], "--list", store=folder) as laptop:
            kept = [(number, laptop.put(content(number), title="Nr. %d" % number, listed="1")) for number in range(60, 90)]
            ending, late = threading.Event(), []

            def upload():
                while not ending.wait(0.1):
                    late.append((100 + len(late), laptop.put(content(100 + len(late)))))

            thread = threading.Thread(target=upload)
            thread.start()
            try:
                first = copy(folder, world.url, "--files", world.files)
            finally:
                ending.set()
                thread.join()
            assert first["traces"] >= 30 and first["files"] == first["traces"], first
            equal(laptop.ask("/api/v1/traces/" + kept[0][1]["id"], "DELETE", bearer(kept[0][1])).status, 204)
            equal(laptop.ask("/api/v1/traces/" + kept[1][1]["id"], "PATCH", dict(bearer(kept[1][1]), **FORM), "title=anew").status, 200)
        last = copy(folder, world.url, "--files", world.files, "--delete")
        equal((last["deleted"], last["changed"], last["others"], last["faults"]), (1, 1, 0, []))
        equal(last["there"] + last["traces"], 29 + len(late))
        with world.site(program, "--list") as site:
            for number, trace in kept[1:] + late:
                equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(number)))
            equal(site.ready(kept[2][1])["state"], "ready")
            equal(site.trace(kept[1][1])["title"], "anew")
            equal(site.ask("/api/v1/traces/" + kept[0][1]["id"]).status, 404)
            new = site.put(content(95))
            returned = copy(world.url, back, "--files", world.files)
            equal(returned["traces"], 30 + len(late))
        with Site(program, *NO_LIMITS[:-2], store=back) as site:
            equal(sha256(site.ask("/api/v1/traces/%s/raw" % new["id"], headers=bearer(new)).body), sha256(content(95)))
        for words in (["check", back], ["check", world.url, "--files", world.files]):
            done = subprocess.run([program, "store", *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            equal(done.returncode, 0)
        print("# %d traces were brought while %d came, %d of these with them; %d by the second copy"
              % (first["traces"], len(late), first["traces"] - 30, last["traces"]))


def a_copy_that_is_killed_is_gone_on_with(program):
    with World() as world:
        folder = world.temporary.name + "/laptop"
        with Site(program, *NO_LIMITS[:-2], "--role", "server", store=folder) as laptop:
            kept = [(number, laptop.put(content(number))) for number in range(200, 260)]
        words = [program, "store", "copy", "--json", folder, world.url, "--files", world.files]
        killed = 0
        for pause in (0.1, 0.2, 0.3, 0.4):
            with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(pause)
                process.kill()
                killed += process.wait() < 0
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        equal(done.returncode, 0)
        figures = json.loads(done.stdout)
        equal(figures["traces"] + figures["there"], len(kept))
        status, said = world.command(program, "check")
        has(said, "faults: 0\n")
        equal(status, 0)
        with world.site(program, "--role", "server") as site:
            for number, trace in kept:
                equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(number)))
        print("# killed %d times; the last one found %d of %d there" % (killed, figures["there"], len(kept)))


def a_copy_into_what_cannot_be_says_why(program):
    with World() as world, World() as other:
        with world.site(program) as site:
            site.put(content(270))
        for words, reason in (
                ([world.url, other.url, "--files", world.files], "need a folder for the files"),
                ([world.url, other.url, "--files", world.files, "--to-files", world.files], "there are files"),
                ([world.url, world.files, "--files", world.files], "there are files"),
                ([world.url, other.url.replace("postgres@", "nobody@"), "--files", world.files, "--to-files", other.files],
                 "the database of the store is away")):
            done = subprocess.run([program, "store", "copy", *words], capture_output=True, text=True, timeout=PATIENCE_S,
                                  check=False)
            equal(done.returncode, 1)
            has(done.stderr, reason)
        status, said = world.command(program, "check")
        has(said, "faults: 0\n")
        equal(status, 0)


def tree_with_make(program, folder):
    """A folder in which `make run` runs this program: what `make` would install and build is there."""
    os.makedirs(folder + "/build/release")
    os.mkdir(folder + "/scripts")
    os.mkdir(folder + "/bin")
    for name in ("build/release/traceview", "bin/traceview"):
        os.symlink(program, os.path.join(folder, name))
    shutil.copy(ROOT + "/Makefile", folder)
    shutil.copy(ROOT + "/scripts/run", folder + "/scripts")
    for name in ("install", "build"):
        os.symlink("/bin/true", "%s/scripts/%s" % (folder, name))
    shutil.copy(os.path.join(DATA, "recipes.trace.zst"), folder + "/app.trace")


def the_story_of_a_site_that_grows(program):
    """The blocks of docs/growing.md, one behind the other, in one shell that ends at the first command that fails."""
    page = read(os.path.join(ROOT, "docs", "growing.md")).decode("utf-8")
    with World() as world:
        folder, password = world.temporary.name, world.temporary.name + "/database-password"
        tree_with_make(program, folder)
        with open(password, "w", encoding="utf-8") as file:
            file.write(PASSWORD + "\n")
        held = {number: ports.Port() for number in ("8192", "8201", "8202")}

        def here(text):
            for number, port in held.items():
                text = text.replace(number, str(port.number))
            text = text.replace("postgres://traceview@db.example.org/traceview", world.url.replace("postgres@/", "keeper@/"))
            return text.replace("/etc/traceview", folder).replace("/srv/traceview", folder + "/srv")
        conf = re.search(r"^```ini site.conf\n(.*?)^```$", page, re.M | re.S)[1]
        with open(folder + "/site.conf", "w", encoding="utf-8") as file:
            file.write(here(conf))
        blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)
        equal(len(blocks), 8)
        script = "set -eu\ntrap 'kill $(jobs -p)' EXIT\n" + here("".join(blocks)).replace("STORE=", "STORE='").replace(" FILES=", "' FILES=")
        environment = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"], XDG_DATA_HOME=folder + "/data", no_proxy="*",
                           TRACEVIEW_SITE_LISTEN="127.0.0.1:%d" % held["8192"].number)
        for key in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            environment.pop(key, None)
        run = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False,
                             timeout=PATIENCE_S)
        equal((run.returncode, run.stderr[-1500:] if run.returncode else ""), (0, ""))
        for said in ("traces brought: 2\n", "traces and mappings that were there: 2\n", "faults: 0\n", '"app":"shop"', '"state":"'):
            has(run.stdout, said)
        for port in held.values():
            port.close()


def tls_is_used_where_the_address_asks_for_it(program):
    if not shutil.which("openssl"):
        print("skipped: TLS to PostgreSQL: openssl is not installed")
        return
    with World() as world:
        url = "postgres://postgres@127.0.0.1:%d/%s?sslmode=require" % (world.cluster.port, world.database)
        with world.site(program, "--list", url=url) as site:
            for number in range(3):
                equal(site.ready(site.put(content(51 + number), note="x" * 9000))["state"], "ready")
            equal(len(site.ask("/api/v1/traces").json["traces"]), 0)    # a long answer, but nothing of others
            equal(world.ask("SELECT bool_and(ssl) AND count(*)>0 FROM pg_stat_ssl JOIN pg_stat_activity USING(pid)"
                          " WHERE application_name='traceview' AND datname=current_database()"), "t")


def a_missing_libpq_is_told(program):
    """The program runs without it, and says what to install."""
    found = [line.split("=>")[1].split()[0] for line in
             subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
             if "libpq.so.5 " in line]
    if os.getuid() != 0 or not shutil.which("unshare") or not found:
        print("skipped: a program without libpq: only root can take the library away from a process")
        return
    with World() as world:
        hide = "".join("mount --bind /dev/null %s && " % path for path in found)
        for words, status, reason in (
                (["store", "stats", world.url, "--files", world.files], 1, "libpq is not installed (libpq.so.5; Debian: libpq5)"),
                (["--version"], 0, "traceview")):
            done = subprocess.run(["unshare", "-m", "sh", "-c", hide + 'exec "$@"', "sh", program, *words],
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            if "unshare" in done.stderr or "mount" in done.stderr:
                print("skipped: a program without libpq: this kernel lets nobody take the library away")
                return
            equal(done.returncode, status)
            has(done.stdout + done.stderr, reason)


def figures_of_an_earlier_store_are_those_of_the_last_index(program):
    """Which build found them was not kept: it is that of the index that was made last."""
    with World() as world:
        with world.site(program) as site:
            first, second = (site.ready(site.put(content(place))) for place in (52, 53))
            told = site.ask("/api/v1/traces/" + first["id"]).json["figures"]
        world.ask("UPDATE traceview.jobs SET build='1.2-0a1b2c3d' WHERE raw IN (SELECT raw FROM traceview.traces WHERE id='%s');"
                  " INSERT INTO traceview.figures SELECT raw, duration_ns, threads, worst_frame_ns, startup_ns FROM traceview.build_figures;"
                  " DROP TABLE traceview.build_figures; DROP INDEX traceview.jobs_by_place, traceview.jobs_by_who;"
                  " UPDATE traceview.schema_version SET version=6" % second["id"])
        with world.site(program, "--role", "server") as site:
            equal([site.ask("/api/v1/traces/" + trace["id"]).json["figures"] for trace in (first, second)], [told, None])
        with world.site(program) as site:
            equal(site.ready(second)["state"], "ready")
            equal(site.ask("/api/v1/traces/" + second["id"]).json["figures"]["threads"], told["threads"])
        equal(world.ask("SELECT count(*) FROM traceview.build_figures"), "3")


def a_later_store_is_left_alone(program):
    with World() as world:
        with world.site(program):
            pass
        world.ask("UPDATE traceview.schema_version SET version=99, least=99")
        status, said = world.command(program, "stats")
        equal(status, 1)
        has(said, "written by a later version of traceview: its schema is 99")
        done = subprocess.run([program, "serve", "--store", world.url, "--files", world.files], capture_output=True,
                              text=True, timeout=PATIENCE_S, check=False)
        equal(done.returncode, 1)
        has(done.stderr, "later version")


def a_user_who_may_not_change_tables_serves(program):
    """As where a job brings the store up, and servers have no more rights than they need."""
    with World() as world:
        equal(world.command(program, "make")[0], 0)
        world.ask("CREATE ROLE serving LOGIN; GRANT USAGE ON SCHEMA traceview TO serving;"
                  " GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA traceview TO serving")
        with world.site(program, "--list", url=world.url.replace("postgres@", "serving@")) as site:
            trace = site.ready(site.put(content(5)))
            equal(trace["state"], "ready")
            equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
            status, said = world.command(program, "gc", "--now", url=world.url.replace("postgres@", "serving@"))
            equal(status, 0)
            has(said, "files removed: ")
            assert "cannot use" not in site.read_log(), site.read_log()
        world.ask("UPDATE traceview.schema_version SET version=2; ALTER TABLE traceview.schema_version DROP COLUMN least")
        status, said = world.command(program, "make", url=world.url.replace("postgres@", "serving@"))
        equal(status, 1)
        has(said, "must be owner of table schema_version")
        for action in ("stats", "check", "list", "gc", "retry"):    # no look and no change brings it up
            status, said = world.command(program, action)
            equal((status, said.count("\n")), (1, 1))
            has(said, "is of an earlier version of traceview (schema 2, and this program's is ")
        equal(world.ask("SELECT version FROM traceview.schema_version"), "2")


def an_empty_database_beside_files_is_refused(program):
    with World() as world, World() as empty:
        with world.site(program) as site:
            site.ready(site.put(content(5)))
        status, said = world.command(program, "stats", url=empty.url)
        equal(status, 1)
        has(said, "is empty or new, but there are files")


def a_second_database_beside_the_files_is_refused(program):
    """A dump beside the files of the site that it is of: gc of each would remove what came to the other."""
    with World() as world, World() as other:
        with world.site(program) as site:
            trace = site.ready(site.put(content(7)))
            dump = world.cluster.run("pg_dump", "-h", world.cluster.folder, "-p", str(world.cluster.port), "-U", "postgres", "--schema=traceview",
                                     world.database)
            subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", other.url], input=dump, text=True, check=True, stdout=subprocess.DEVNULL)
            late = site.ready(site.put(content(8)))
            for action, *words in (("make",), ("gc", "--now"), ("delete", trace["id"]), ("retry",)):
                status, said = world.command(program, action, *words, url=other.url)
                equal((action, status, said.count("\n")), (action, 1, 1))
                has(said, "the files are of the database postgres ")
                has(said, "where that one is gone, run 'traceview store take'\n")
            refused = subprocess.run([program, "serve", "--store", other.url, "--files", world.files, "--listen", "127.0.0.1:0"], capture_output=True,
                                     text=True, timeout=PATIENCE_S, check=False)
            equal((refused.returncode, refused.stderr.count("\n")), (1, 1))
            has(refused.stderr, "store take")
            for action in ("stats", "list", "check"):    # which remove nothing
                has((0, 3), world.command(program, action, url=other.url)[0])
            equal(site.ask("/api/v1/traces/%s/raw" % late["id"], headers=bearer(late)).body, content(8))
            equal(world.command(program, "gc", "--now")[0], 0)
        # Taken over on purpose, by the dump and back; a store without the mark, of before, gets it at its first start.
        equal(world.command(program, "take", url=other.url)[0], 0)
        equal(world.command(program, "gc")[0], 1)
        with world.site(program, url=other.url) as site:
            equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(7))
        os.remove(world.files + "/files/owner")
        with world.site(program) as site:
            equal(site.ready(late)["state"], "ready")
        has(read(world.files + "/files/owner").decode(), "postgres ")
        equal(world.command(program, "gc", url=other.url)[0], 1)


def a_user_without_the_functions_of_the_cluster_is_fine(program):
    with World() as world:
        world.ask("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public; CREATE ROLE narrow LOGIN; GRANT CREATE ON DATABASE \"%s\" TO narrow" % world.database)
        for _ in range(2):
            equal(world.command(program, "make", url=world.url.replace("postgres@", "narrow@"))[0], 0)
        assert re.fullmatch(rb"postgres \d+", read(world.files + "/files/owner")), read(world.files + "/files/owner")


def a_password_comes_from_a_file_and_is_never_shown(program):
    with World() as world:
        proxy = Proxy(world.cluster)
        url = "postgres://keeper@127.0.0.1:%d/%s" % (proxy.port, world.database)
        file, wrong = world.temporary.name + "/password", world.temporary.name + "/wrong"
        for path, text in ((file, PASSWORD + "\n"), (wrong, "wrong-" + PASSWORD + "\n")):
            with open(path, "w", encoding="utf-8") as opened:
                opened.write(text)
        for bad in (url.replace("keeper@", "keeper:%s@" % PASSWORD), url + "?password=" + PASSWORD,
                    url + "?pass%77ord=" + PASSWORD, url + "?sslpassword=" + PASSWORD):
            done = subprocess.run([program, "serve", "--store", bad, "--files", world.files], capture_output=True,
                                  text=True, timeout=PATIENCE_S, check=False)
            assert done.returncode in (1, 2), done
            has(done.stderr, "a password has no place in an address")
            assert PASSWORD not in done.stdout + done.stderr, done
        done = subprocess.run([program, "serve", "--store", url, "--files", world.files, "--store-password-file", wrong],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        equal(done.returncode, 1)
        has(done.stderr, 'password authentication failed for user "keeper"')
        assert PASSWORD not in done.stdout + done.stderr, done
        # TCP, which those who answer may not begin (Landlock): a thread outside of that does.
        with world.site(program, "--store-password-file", file, url=url) as site:
            trace = site.ready(site.put(content(6)))
            equal(trace["state"], "ready")
            proxy.is_hole = True
            site.ask("/api/v1/traces/" + trace["id"])
            proxy.is_hole = False
            shown = site.read_log() + read("/proc/%d/cmdline" % site.process.pid).decode()
            assert PASSWORD not in shown, shown
        # libpq's own file does, too.
        with open(world.temporary.name + "/pgpass", "w", encoding="utf-8") as opened:
            opened.write("127.0.0.1:*:*:keeper:%s\n" % PASSWORD)
        os.chmod(opened.name, 0o600)
        with world.site(program, url=url, variables={"PGPASSFILE": opened.name}) as site:
            equal(site.trace(trace)["state"], "ready")
        proxy.end()


def a_password_that_was_changed_is_read_anew(program):
    with World() as world:
        url = world.url.replace("postgres@", "keeper@")
        file, other = world.temporary.name + "/password", "other-" + PASSWORD

        def change(password):
            world.ask("ALTER ROLE keeper PASSWORD '%s'" % password)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(password + "\n")

        change(PASSWORD)
        with world.site(program, "--rows", "asked", "--store-password-file", file, url=url) as site:
            trace = site.ready(site.put(content(8)))
            try:
                change(other)
                world.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename='keeper'")
                wait_until(lambda: site.ask("/readyz").status == 200 and site.ask("/api/v1/traces/" + trace["id"]).status == 200)
                site.ready(site.put(content(9)))    # whoever tells of jobs is in, too
                assert other not in site.read_log(), site.read_log()
            finally:
                change(PASSWORD)


def places_that_cannot_be_are_refused(program):
    with World() as world:
        for words, reason in (
                (["--store", world.url], "need a folder for the files, or a bucket: set files"),
                (["--store", world.files, "--files", world.files], "belong to a store whose rows are "),
                (["--store", "postgres://[", "--files", world.files], "this is no address of a database"),
                (["--store", world.url.replace("postgres@", "nobody@"), "--files", world.files],
                 "the database of the store is away")):
            done = subprocess.run([program, "serve", *words], capture_output=True, text=True, timeout=PATIENCE_S,
                                  check=False)
            assert done.returncode in (1, 2), done
            has(done.stderr, reason)


def workers_hear_of_jobs(program):
    """A worker that looked every 15 s would need longer."""
    with World() as world, world.site(program, "--role", "server") as server:
        with subprocess.Popen([program, "serve", "--role", "worker", "--store", world.url, "--files", world.files],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as worker:
            server.ready(server.put(content(7)))
            slowest = 0.0
            for number in range(5):
                begun = time.monotonic()
                server.ready(server.put(content(10 + number)))
                slowest = max(slowest, time.monotonic() - begun)
            worker.kill()
        print("# the slowest of five traces was ready %.2f s after its upload began" % slowest)
        assert slowest < 10, slowest


def a_worker_whose_clock_is_off_takes_nothing_from_others(program):
    """The job of one trace is another worker's all the time, which renews it. The worker here looks at what has lapsed as another trace comes."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
    with World() as world, world.site(program, "--role", "server") as server:
        library, shift, log = (world.temporary.name + name for name in ("/clock.so", "/shift", "/log"))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        held = "raw='%s'" % server.put(content(7))["sha256"]
        renew = "UPDATE traceview.jobs SET state=1, worker='other', tries=1, changed=extract(epoch FROM now()), deadline=extract(epoch FROM now())+10 WHERE " + held
        for number, (seconds, told) in enumerate(((60, "60 s ahead of"), (-60, "60 s behind"), (-3600, "3600 s behind"))):
            with open(shift, "w", encoding="utf-8") as file:
                file.write(str(seconds))
            world.ask(renew)
            with subprocess.Popen([program, "serve", "--role", "worker", "--store", world.url, "--files", world.files, "--log", log],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=dict(os.environ, LD_PRELOAD=library, TRACEVIEW_TEST_SHIFT=shift)) as worker:
                try:
                    server.ready(server.put(content(10 + number)))
                    equal(world.ask("SELECT state, worker, tries FROM traceview.jobs WHERE " + held), "1|other|1")
                    wait_until(lambda told=told: ("the clock of this machine is %s that of the database's" % told) in read(log).decode())
                finally:
                    worker.kill()


def a_clock_that_is_off_is_told(program):
    """Of a server, by /readyz, which is ready all the same."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
    with World() as world:
        library, shift = (world.temporary.name + name for name in ("/clock.so", "/shift"))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        with open(shift, "w", encoding="utf-8") as file:
            file.write("30")
        with world.site(program) as site:
            assert "clock" not in site.ask("/readyz").text
        with world.site(program, variables={"LD_PRELOAD": library, "TRACEVIEW_TEST_SHIFT": shift}) as site:
            answer = site.ask("/readyz")
            equal(answer.status, 200)
            assert re.search(r"(?m)^the clock of this machine is (29|30) s ahead of that of the database's server$", answer.text), answer.text


def pages_that_wait_hear_of_other_workers(program):
    """A stream of events is told at once what a worker elsewhere has done. One that asked each second, or each five, would wait."""
    with World() as world, world.site(program, "--role", "server") as server:
        worker = subprocess.Popen([program, "serve", "--role", "worker", "--store", world.url, "--files", world.files],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.ready(server.put(content(7)))
            late = []
            for number in range(6):
                trace = server.put(content(30 + number))
                events = server.ask("/trace/%s/api/events" % trace["id"]).text
                heard = time.time()
                has(events, "event: ready\n")
                ended = float(world.ask("SELECT max(changed) FROM traceview.jobs"))
                late.append(heard - ended)
        finally:
            worker.kill()
            worker.wait()
        # What is kept is a whole second, and so up to one earlier than it was.
        print("# the ends of %d traces were heard of at the latest %.2f s after the second in which they were" % (len(late), max(late)))
        assert sorted(late)[len(late) // 2] < 1.6, late


def the_webhook_is_told_once_by_several_processes(program):
    with sited_webhook.Receiver(500, 204) as receiver:
        url = "http://127.0.0.1:%d/" % receiver.port
        with World() as world:
            options = ("--webhook", url, "--webhook-to", "127.0.0.1")
            with sited_webhook.files() as files, world.site(program, "--rows", "asked", *files, *options) as site, \
                    world.site(program, "--rows", "asked", *files, *options):
                sited_webhook.put_worse(site)
                wait_until(lambda: sited_webhook.told(site) and sited_webhook.told(site)[0]["state"] == "delivered")
                time.sleep(6)
                equal((len(receiver.requests), sited_webhook.told(site)[0]["tries"]), (2, 2))
                wait_until(lambda: sited_webhook.counted(site, 'site_traces_total{outcome="rows_made"}') >= 8)


def a_quota_holds_for_uploads_at_once(program):
    with World() as world:
        quota = "--quota-per-address", str(3 * len(content(30)))
        with world.site(program, *quota) as one, world.site(program, *quota) as other:
            statuses = [None] * 12

            def upload(place):
                site = (one, other)[place % 2]
                statuses[place] = site.ask("/api/v1/traces?name=a.trace", "PUT", body=content(20 + place % 10)).status

            together(upload, len(statuses))
            equal(sorted(set(statuses)), [201, 429])
            equal(statuses.count(201), int(world.ask("SELECT count(*) FROM traceview.traces")))
            assert 2 <= statuses.count(201) <= 3, statuses


def all_traces_are_asked(program):
    """Questions over all traces: what they answer in SQLite, they answer in PostgreSQL."""
    def over(world):
        return lambda program, *options: world.site(program, "--list", *options)

    before = sited_fleet.Site
    try:
        for test in (sited_fleet.builds_are_compared, sited_fleet.a_method_without_a_row_may_be_called, sited_fleet.cpu_time_that_may_be_more_is_told,
                     sited_fleet.builds_have_an_order, sited_fleet.method_has_a_history, sited_fleet.pages_lead_from_builds_to_calls):
            with World() as world:
                sited_fleet.Site = over(world)
                test(program)
    finally:
        sited_fleet.Site = before


def spaces_of(world):
    return world.ask("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'traceview_rows%' ORDER BY 1").split()


def rows_go_with_their_trace(program):
    with World() as world:
        def counted():
            space, = spaces_of(world)
            return [world.ask("SELECT count(*) FROM %s.%s" % (space, table)) for table in ("runs", "methods", "method_rows", "context_rows")]

        def rows(*words):
            code, text = world.command(program, "rows", "--json", *words)
            equal((code, text[:1]), (0, "{"))
            return json.loads(text)
        with world.site(program, "--rows", "asked") as site:
            trace = sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)[0]
            sited_fleet.wait_for_rows(site, 1)
            equal(counted(), ["1", "27", "27", "27"])
            # Two versions of the program have a schema each: whoever makes one drops those before it.
            mine, = spaces_of(world)
            tables, indexes = (int(number) for number in mine[len("traceview_rows_"):].split("_"))
            later = "traceview_rows_%d_%d" % (tables, indexes + 1)
            for other in ("traceview_rows_5", "traceview_rows_%d_%d" % (tables, indexes - 1), "traceview_rows_%d_99" % (tables - 1), later, "traceview_rows_of_mine"):
                world.ask("CREATE SCHEMA %s; CREATE TABLE %s.runs AS SELECT * FROM %s.runs" % (other, other, mine))
            world.ask("DROP SCHEMA %s CASCADE" % mine)
            equal(sited_fleet.ask(site, "")["without_rows"], 1)
            equal((rows()["made"], rows()["made"], rows("--again")["made"]), (1, 0, 1))
            equal(spaces_of(world), sorted([mine, later, "traceview_rows_of_mine"]))
            world.ask("DROP SCHEMA %s CASCADE; DROP SCHEMA traceview_rows_of_mine CASCADE" % later)
            equal(counted(), ["1", "27", "27", "27"])
            site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace))
            equal(sited_fleet.ask(site, "")["traces"], 0)
            equal(rows()["dropped"] <= 1, True)
            equal(counted(), ["0", "0", "0", "0"])


def several_workers_keep_rows_at_once(program):
    """Of the same methods: they are counted by one writer at a time."""
    with World() as world, world.site(program, "--rows", "asked", "--workers", "4") as site:
        traces = sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=12)
        sited_fleet.wait_for_rows(site, 12)
        space, = spaces_of(world)
        equal(world.ask("SELECT DISTINCT runs FROM %s.methods" % space), "12")
        for trace in traces:
            site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace))
        equal(world.command(program, "rows")[0], 0)
        equal(world.ask("SELECT count(*) FROM %s.methods" % space), "0")


def questions_wait_no_longer_than_requests(program):
    with World() as world:
        proxy = Proxy(world.cluster)
        url = "postgres://postgres@127.0.0.1:%d/%s" % (proxy.port, world.database)
        with world.site(program, "--rows", "asked", url=url) as site:
            sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)
            sited_fleet.wait_for_rows(site, 1)
            proxy.is_hole = True
            for _ in range(2):
                begun = time.monotonic()
                answer = site.ask("/api/v1/apps")
                equal(answer.status, 503)
                assert time.monotonic() - begun < LONGEST_S, time.monotonic() - begun
            proxy.is_hole = False
            wait_until(lambda: site.ask("/api/v1/apps").status == 200)
            equal(sited_fleet.ask(site, "")["traces"], 1)
        proxy.end()


def together(run, count):
    threads = [threading.Thread(target=run, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Client:
    """Uploads, reads and deletes until it is told to stop, and remembers what was answered."""

    def __init__(self, sites, number):
        self.sites, self.number = sites, number
        self.kept, self.deleted = {}, []
        self.refused = self.longest_ms = 0

    def ask(self, *words, **others):
        """None: no answer came, or 503."""
        begun = time.monotonic()
        try:
            answer = self.sites[self.number % len(self.sites)].ask(*words, **others)
        except FAILURES:
            return None
        finally:
            self.longest_ms = max(self.longest_ms, (time.monotonic() - begun) * 1000)
        if answer.status != 503:
            return answer
        assert int(answer.headers["Retry-After"]) > 0, answer.headers
        self.refused += 1
        return None

    def step(self, turn):
        body = content(1000 + self.number * 300 + turn % 40)
        answer = self.ask("/api/v1/traces?name=%d.trace" % turn, "PUT", body=body)
        if answer:
            equal(answer.status, 201)
            self.kept[answer.json["id"]] = (answer.json["owner_token"], sha256(body))
        for id_, (token, digest) in list(self.kept.items())[-1:]:
            answer = self.ask("/api/v1/traces/" + id_, headers={"Authorization": "Bearer " + token})
            if answer:
                equal((answer.status, answer.json["sha256"]), (200, digest))
        if turn % 3 == 2 and self.kept:
            id_ = next(iter(self.kept))
            answer = self.ask("/api/v1/traces/" + id_, "DELETE", {"Authorization": "Bearer " + self.kept[id_][0]})
            if answer:
                equal(answer.status, 204)
                self.deleted.append(id_)
                del self.kept[id_]
            else:
                # It is not known what became of it: asked again, it is gone or goes.
                token = self.kept.pop(id_)[0]
                while not answer:
                    time.sleep(0.05)
                    answer = self.ask("/api/v1/traces/" + id_, "DELETE", {"Authorization": "Bearer " + token})
                assert answer.status in (204, 404), answer.status
                self.deleted.append(id_)

    def run(self, until):
        turn = 0
        while time.monotonic() < until:
            self.step(turn)
            turn += 1


def restarts_in_the_middle_lose_nothing(program):
    """PostgreSQL is ended as by a loss of power, again and again, while clients upload, read and delete."""
    restarts = 6
    with World() as world, world.site(program) as one, world.site(program, "--role", "server") as other:
        clients = [Client([one, other], number) for number in range(4)]
        failures = []
        until = time.monotonic() + 3 * restarts

        def run(place):
            try:
                clients[place].run(until)
            except Exception:  # pylint: disable=broad-except
                failures.append(traceback.format_exc())

        threads = [threading.Thread(target=run, args=(place,)) for place in range(len(clients))]
        for thread in threads:
            thread.start()
        for _ in range(restarts):
            time.sleep(1.5)
            world.cluster.restart("immediate")
        for thread in threads:
            thread.join()
        assert not failures, failures[0]
        kept = {id_: of for client in clients for id_, of in client.kept.items()}
        deleted = [id_ for client in clients for id_ in client.deleted]
        print("# %d restarts: %d traces kept, %d deleted, %d requests refused with 503, the longest took %d ms"
              % (restarts, len(kept), len(deleted), sum(client.refused for client in clients),
                 max(client.longest_ms for client in clients)))
        assert len(kept) > 10 and len(deleted) > 3, (kept, deleted)
        for id_, (token, digest) in kept.items():
            equal(sha256(other.ask("/api/v1/traces/%s/raw" % id_, headers={"Authorization": "Bearer " + token}).body),
                  digest)
        for id_ in deleted:
            equal(one.ask("/api/v1/traces/" + id_).status, 404)
        wait_until(lambda: world.ask("SELECT count(*) FROM traceview.jobs WHERE state<2") == "0")
        status, said = world.command(program, "check")
        has(said, "faults: 0\n")
        equal(status, 0)


def a_black_hole_is_answered_in_seconds(program):
    with World() as world:
        proxy = Proxy(world.cluster)
        url = "postgres://postgres@127.0.0.1:%d/%s" % (proxy.port, world.database)
        with world.site(program, url=url) as site:
            trace = site.ready(site.put(content(8)))
            path = "/api/v1/traces/" + trace["id"]
            asked = [(path, "GET", None), ("/readyz", "GET", None), ("/api/v1/traces?name=a.trace", "PUT", content(9)),
                     (path, "DELETE", None), ("/api/v1/traces/%s/view/info" % trace["id"], "GET", None)]
            took = [0.0] * 24
            proxy.is_hole = True
            equal(site.ask("/healthz").status, 200)

            def ask(place):
                route, method, body = asked[place % len(asked)]
                begun = time.monotonic()
                answer = site.ask(route, method, bearer(trace), body)
                took[place] = time.monotonic() - begun
                equal((route, answer.status), (route, 503))
                assert int(answer.headers["Retry-After"]) > 0, answer.headers

            failures = []

            def guarded(place):
                try:
                    ask(place)
                except Exception:  # pylint: disable=broad-except
                    failures.append(traceback.format_exc())

            together(guarded, len(took))
            assert not failures, failures[0]
            assert max(took) < LONGEST_S, took
            later = time.monotonic()
            ask(0)
            at_once = time.monotonic() - later
            proxy.is_hole = False
            begun = time.monotonic()
            wait_until(lambda: site.ask(path).status == 200)
            back = time.monotonic() - begun
            print("# the longest of %d requests at once took %.2f s, a later one %.2f s; %.2f s after the network was back "
                  "it answered" % (len(took), max(took), at_once, back))
            assert back < LONGEST_S, back
            equal(site.ask("/readyz").status, 200)
            equal(site.put(content(9))["sha256"], sha256(content(9)))
        proxy.end()


def a_connection_that_is_never_made_is_answered_in_seconds(program):
    """The connections that are there end, and packets that would begin another one vanish, as behind a wall: here the queue of a
    listening socket is full."""
    with World() as world:
        proxy = Proxy(world.cluster)
        url = "postgres://postgres@127.0.0.1:%d/%s" % (proxy.port, world.database)
        with world.site(program, url=url) as site:
            trace = site.ready(site.put(content(8)))
            path = "/api/v1/traces/" + trace["id"]
            proxy.end()
            with socket.socket() as wall:
                wall.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                wall.bind(("127.0.0.1", proxy.port))
                wall.listen(0)
                waiting = []
                for _ in range(4):
                    waiting.append(socket.socket())
                    waiting[-1].setblocking(False)
                    waiting[-1].connect_ex(("127.0.0.1", proxy.port))
                took = []

                def ask(_):
                    begun = time.monotonic()
                    answer = site.ask(path, headers=bearer(trace))
                    took.append(time.monotonic() - begun)
                    equal((answer.status, int(answer.headers["Retry-After"]) > 0), (503, True))

                for _ in range(2):
                    together(ask, 12)
                equal(site.ask("/healthz").status, 200)
                for one in waiting:
                    one.close()
            print("# no connection was made: the longest of %d requests took %.2f s" % (len(took), max(took)))
            assert len(took) == 24 and max(took) < LONGEST_S, took
            proxy = Proxy(world.cluster, proxy.port)
            wait_until(lambda: site.ask(path, headers=bearer(trace)).status == 200)
        proxy.end()


def a_full_disk_refuses_and_harms_nothing(program):
    """What PostgreSQL says of a full disk comes from a trigger."""
    with World() as world, world.site(program) as site:
        trace = site.ready(site.put(content(40)))
        world.ask("CREATE FUNCTION traceview.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                  " RAISE EXCEPTION 'could not extend file' USING ERRCODE='53100'; END $$;"
                  " CREATE TRIGGER full_disk BEFORE INSERT ON traceview.traces FOR EACH ROW"
                  " EXECUTE FUNCTION traceview.full_disk()")
        answer = site.ask("/api/v1/traces?name=a.trace", "PUT", body=content(41))
        equal(answer.status, 507)
        has(answer.text, "disk is full")
        equal(site.trace(trace)["state"], "ready")
        world.ask("DROP TRIGGER full_disk ON traceview.traces")
        equal(site.ready(site.put(content(41)))["state"], "ready")


TESTS = [
    traces_are_kept_shown_and_deleted,
    hostile_searches_are_answered,
    commands_work_on_it,
    a_copy_in_the_order_that_backup_tells_is_whole,
    an_earlier_store_is_brought_up_by_whoever_comes,
    figures_of_an_earlier_store_are_those_of_the_last_index,
    a_later_store_is_left_alone,
    a_store_moves_from_a_folder_and_back,
    a_copy_that_is_killed_is_gone_on_with,
    a_copy_into_what_cannot_be_says_why,
    the_story_of_a_site_that_grows,
    tls_is_used_where_the_address_asks_for_it,
    a_missing_libpq_is_told,
    a_user_who_may_not_change_tables_serves,
    an_empty_database_beside_files_is_refused,
    a_second_database_beside_the_files_is_refused,
    a_user_without_the_functions_of_the_cluster_is_fine,
    a_password_comes_from_a_file_and_is_never_shown,
    a_password_that_was_changed_is_read_anew,
    places_that_cannot_be_are_refused,
    workers_hear_of_jobs,
    a_worker_whose_clock_is_off_takes_nothing_from_others,
    a_clock_that_is_off_is_told,
    pages_that_wait_hear_of_other_workers,
    all_traces_are_asked,
    rows_go_with_their_trace,
    several_workers_keep_rows_at_once,
    questions_wait_no_longer_than_requests,
    the_webhook_is_told_once_by_several_processes,
    a_quota_holds_for_uploads_at_once,
    a_black_hole_is_answered_in_seconds,
    a_connection_that_is_never_made_is_answered_in_seconds,
    a_full_disk_refuses_and_harms_nothing,
    restarts_in_the_middle_lose_nothing,
]


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [test for test in TESTS if not names or test.__name__ in names]
    if not postgres.folder_of_programs():
        print("skipped: sites over PostgreSQL: PostgreSQL is not installed (Debian: postgresql-15)")
        print("0 passed, 0 failed")
        return
    failed = 0
    if names == ["--crowd"]:
        World.cluster = postgres.Cluster()
        try:
            sys.exit(subprocess.run([sys.executable, os.path.dirname(os.path.abspath(__file__)) + "/cluster.py", program],
                                    env=dict(os.environ, TRACEVIEW_TEST_CLUSTER=World.cluster.folder),
                                    check=False).returncode)
        finally:
            World.cluster.end()
    port = ports.Port()
    World.cluster = postgres.Cluster(port=port.number)
    try:
        World.cluster.need_password("keeper", PASSWORD)
        for test in tests:
            try:
                test(program)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print("failed: %s\n%s" % (test.__name__, traceback.format_exc()))
    finally:
        World.cluster.end()
        port.close()
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main()
