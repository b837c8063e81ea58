// Reads a pprof profile with pprof-format: what its samples add up to, as an array of
// [thread id, method, {number: value}]. Usage: pprof.mjs FILE
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";

const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const text = (entry) => profile.stringTable.strings[Number(entry)];
const types = profile.sampleType.map((type) => text(type.type));
const functions = new Map(profile.function.map((one) => [Number(one.id), text(one.systemName)]));
const methods = new Map(
  profile.location.map((one) => [Number(one.id), functions.get(Number(one.line[0].functionId))]),
);

function threadOf(sample) {
  const label = sample.label.find((one) => text(one.key) === "tid");
  return Number(label.num);
}

function numbersOf(threads, thread, method) {
  if (!threads.has(thread)) threads.set(thread, new Map());
  const ofThread = threads.get(thread);
  if (!ofThread.has(method)) ofThread.set(method, { calls: 0, recursive_calls: 0 });
  return ofThread.get(method);
}

function add(numbers, key, value) {
  numbers[key] = (numbers[key] ?? 0) + value;
}

const threads = new Map();
for (const sample of profile.sample) {
  const thread = threadOf(sample);
  const stack = sample.locationId.map((id) => methods.get(Number(id)));
  const inStack = new Set(stack);
  const isRecursive = stack.indexOf(stack[0], 1) > 0;
  sample.value.forEach((value, at) => {
    const leaf = numbersOf(threads, thread, stack[0]);
    if (types[at] === "calls") {
      add(leaf, isRecursive ? "recursive_calls" : "calls", Number(value));
      return;
    }
    add(leaf, `exclusive_${types[at]}_ns`, Number(value));
    for (const method of inStack)
      add(numbersOf(threads, thread, method), `inclusive_${types[at]}_ns`, Number(value));
  });
}

const totals = [];
for (const [thread, ofThread] of threads)
  for (const [method, numbers] of ofThread) totals.push([thread, method, numbers]);
process.stdout.write(JSON.stringify(totals));
