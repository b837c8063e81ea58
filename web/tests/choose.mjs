// In which order files of the browser's tests run most of the page's scripts in the least time, for whoever changes what all.mjs runs
// without --all: each line has what a file adds, what it and those above run of all that any of them runs, and their seconds.
//
//   node tests/all.mjs --all --runs=FOLDER >LOG; node tests/choose.mjs FOLDER LOG
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, log] = process.argv.slice(2);
const TOOK = /^# (\S+) took ([\d.]+) s/gm;
const secondsOf = new Map(
  [...readFileSync(log, "utf8").matchAll(TOOK)].map(([, file, s]) => [file, Number(s)]),
);

// What one file runs: by script, a byte for each character of it. `edges` alternate between where running begins and ends.
function ranOf(file) {
  const ran = new Map();
  for (const line of readFileSync(join(folder, file), "utf8").trimEnd().split("\n")) {
    const { script, length, edges } = JSON.parse(line);
    if (!ran.has(script)) ran.set(script, new Uint8Array(length));
    for (let i = 0; i < edges.length; i += 2) ran.get(script).fill(1, edges[i], edges[i + 1]);
  }
  return ran;
}

const waiting = new Map(readdirSync(folder).map((file) => [file, ranOf(file)]));
const done = new Map(); // as what one file runs, of all files that were told

// Adds what a file runs; gives how many characters that are more. Without `isKept` it only counts.
function added(ran, isKept) {
  let count = 0;
  for (const [script, marks] of ran) {
    if (!done.has(script)) done.set(script, new Uint8Array(marks.length));
    const before = done.get(script);
    for (let at = 0; at < marks.length; at += 1) {
      if (marks[at] === 0 || before[at] !== 0) continue;
      count += 1;
      if (isKept) before[at] = 1;
    }
  }
  return count;
}

const order = [];
while (waiting.size > 0) {
  const [best] = [...waiting]
    .map(([file, ran]) => ({ file, worth: added(ran, false) / (secondsOf.get(file) ?? 1) }))
    .sort((a, b) => b.worth - a.worth);
  order.push({ file: best.file, more: added(waiting.get(best.file), true) });
  waiting.delete(best.file);
}
const all = order.reduce((sum, { more }) => sum + more, 0);
let ran = 0;
let seconds = 0;
for (const { file, more } of order) {
  ran += more;
  seconds += secondsOf.get(file) ?? 0;
  const share = (count) => `${((100 * count) / all).toFixed(2)} %`.padStart(9);
  console.log(`${file.padEnd(22)}${share(more)}${share(ran)}${seconds.toFixed(0).padStart(6)} s`);
}
