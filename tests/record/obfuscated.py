#!/usr/bin/env python3
"""Records a Java program as it was written and as ProGuard obfuscates it, and compares the names.

    obfuscated.py PROGRAM     the traceview of a build; the recorder's library is in the folder include beside it

With the mapping that ProGuard writes, the recording of the obfuscated program must have the same methods with the same
signatures and counts as that of the other, by --mapping and by --mappings. Where ProGuard (Debian: proguard-cli) or
javac is not installed, it says so and tests nothing. Ends with "N passed, N failed".
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import traces
from traces import expect

# No class overrides a method of Java's: ProGuard 6.2 cannot read the libraries of newer Java, and would rename it. The
# methods of Oven get one name, and differ by parameters, or by nothing but the result.
SOURCE = """
package kitchen;
public class Cook {
    static class Dish { int size; Dish(int size) { this.size = size; } }
    static class Oven {
        private int heat;
        void warm() { heat++; }
        int degrees() { return heat; }
        long exact() { return heat * 1000L; }
        void bake(Dish dish) { heat -= dish.size; }
        Dish serve(Dish dish, int[] plates) { return new Dish(plates.length + dish.size); }
        Dish[] pack(Dish[] dishes) { for (Dish dish : dishes) bake(dish); return dishes; }
    }
    static class Grill extends Oven { void bake(Dish dish) { for (int i = 0; i < 3; i++) super.bake(dish); } }
    static long cook(Oven oven, int rounds) {
        for (int i = 0; i < rounds; i++) { oven.warm(); oven.bake(new Dish(i)); }
        return oven.degrees() + oven.exact() + oven.pack(new Dish[] {oven.serve(new Dish(1), new int[2])}).length;
    }
    public static void main(String[] words) { System.out.println(cook(new Oven(), 7) + cook(new Grill(), 11)); }
}
"""
RULES = ["-ignorewarnings", "-dontnote", "-dontoptimize", "-overloadaggressively", "-repackageclasses", "''",
         "-allowaccessmodification", "-keep", "public class kitchen.Cook { public static void main(java.lang.String[]); }"]


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise AssertionError("%s: status %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done


def calls(program, folder, trace, *words):
    """Calls by whole name of the methods of the program, which are in `kitchen` or in no package; what was said, too."""
    done = run(folder, program, "top", "--json", "-n", "0", *words, trace)
    rows = json.loads(done.stdout)["methods"]
    return {row["method"]: row["calls"] for row in rows if not row["method"].startswith(("java", "jdk.", "sun."))}, done.stderr


class World:
    """Both recordings, and what is said of them."""

    def __init__(self, program, folder):
        for name in ("classes", "maps"):
            os.mkdir(os.path.join(folder, name))
        with open(os.path.join(folder, "Cook.java"), "w", encoding="utf-8") as file:
            file.write(SOURCE)
        run(folder, "javac", "--release", "8", "-Xlint:-options", "-g", "-d", "classes", "Cook.java")
        run(folder, "proguard", "-injars", "classes", "-outjars", "released.jar", "-printmapping", "maps/mapping.txt", *RULES)
        with open(os.path.join(folder, "maps", "other.txt"), "w", encoding="utf-8") as file:
            file.write("other.App -> b.q:\n    void run() -> a\n")
        for name, path in (("written.trace", "classes"), ("released.trace", "released.jar")):
            run(folder, program, "record", "-o", name, "--", "java", "-cp", path, "kitchen.Cook")
        self.written, _ = calls(program, folder, "written.trace")
        self.released, _ = calls(program, folder, "released.trace")
        self.mapped, _ = calls(program, folder, "released.trace", "--mapping", "maps/mapping.txt")
        self.chosen, self.said = calls(program, folder, "released.trace", "--mappings", "maps")


def the_obfuscated_program_has_several_methods_of_one_name(world):
    expect(world.written.get("kitchen.Cook$Oven.serve (Lkitchen/Cook$Dish;[I)Lkitchen/Cook$Dish;") == 2, sorted(world.written))
    of_one_name = [name for name in world.released if ".a (" in name]
    expect(len(of_one_name) > 3, sorted(world.released))
    # Two of them differ by nothing but the result.
    expect(len({name.rsplit(")", 1)[0] for name in of_one_name}) < len(of_one_name), sorted(of_one_name))


def with_the_mapping_names_and_counts_are_those_of_the_source(world):
    expect(world.mapped == world.written, "only as written: %s\nonly as mapped: %s" % (
        sorted(world.written.items() - world.mapped.items()), sorted(world.mapped.items() - world.written.items())))


def the_mapping_is_found_in_a_folder(world):
    expect(world.chosen == world.written, sorted(world.chosen))
    expect("names by mapping.txt of maps, which knows 100 %" in world.said, world.said)


CASES = [the_obfuscated_program_has_several_methods_of_one_name, with_the_mapping_names_and_counts_are_those_of_the_source,
         the_mapping_is_found_in_a_folder]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    missing = [tool for tool in ("proguard", "javac", "java") if not shutil.which(tool)]
    if not os.path.exists(os.path.join(os.path.dirname(program), "include", "traceview-jvm.jar")):
        missing.append("traceview-jvm.jar")
    if missing:
        print("skipped: names of an obfuscated Java program: without %s (proguard-cli, openjdk-17-jdk-headless)"
              % ", ".join(missing))
        print("1 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(traces.run(CASES, World(program, folder)))


main()
