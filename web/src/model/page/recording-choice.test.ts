import assert from "node:assert/strict";
import { test } from "node:test";
import { HERE } from "./recordable";
import {
  bufferAdvice,
  buffersMb,
  FIRST_CHOICE,
  fitChoice,
  isBufferFixed,
  missingWords,
  modeAdvice,
  modesOf,
  type RecordedPlace,
} from "./recording-choice";

// What the command tells of each version's abilities: the API level that brought them.
const SINCE = [
  ["sampling", "Android 6", 23],
  ["startup-sampling", "Android 5", 21],
  ["buffer", "Android 7", 24],
  ["streaming", "Android 8", 26],
] as const;

function device(android: string, sdk: number): RecordedPlace {
  const of = SINCE.map(([name, since, from]) => ({ name, since, has: sdk >= from }));
  return { place: "X1", begin: "now", abilities: { android, of } };
}

const NEW = device("Android 14", 34);
const OLD = device("Android 5.1", 22);
const JAVA: RecordedPlace = { ...NEW, place: HERE, abilities: { android: "", of: [] } };
const wordsOf = (of: RecordedPlace) => modesOf(of).map(([mode]) => mode);

test("a Java program has no stream, and nothing is said of its buffer", () => {
  assert.deepEqual(wordsOf(JAVA), ["trace", "sample"]);
  assert.deepEqual(wordsOf(NEW), ["trace", "sample", "stream"]);
  assert.doesNotMatch(modeAdvice(JAVA, "trace", 64), /buffer/);
  assert.match(modeAdvice(NEW, "trace", 64), /64 MB/);
});

const RATES = [
  {
    isSampled: false,
    bytesPerS: 4.7e6,
    isOfApp: false,
    buffers: [
      [5, 32],
      [10, 64],
    ] as const,
  },
  {
    isSampled: true,
    bytesPerS: 1e5,
    isOfApp: true,
    buffers: [
      [5, 8],
      [10, 8],
    ] as const,
  },
];

test("the buffer that a duration needs is told as the command tells it", () => {
  const choice = { mode: "trace", bufferMb: 32, durationS: 10 } as const;
  assert.deepEqual(bufferAdvice(NEW, RATES, choice), {
    text: "At 4.7 MB a second, as busy apps do, 10 s need a buffer of 64 MB, and it has 32.",
    neededMb: 64,
  });
  assert.equal(bufferAdvice(NEW, RATES, { ...choice, bufferMb: 64 }), null);
  assert.equal(bufferAdvice(NEW, RATES, { ...choice, mode: "stream" }), null);
  assert.equal(bufferAdvice(NEW, RATES, { ...choice, mode: "sample" }), null);
  assert.equal(bufferAdvice(NEW, [], choice), null);
  assert.deepEqual(bufferAdvice(NEW, RATES, { ...choice, mode: "sample", durationS: 0 }), {
    text: "At 0.1 MB a second, as it did the last time, 32 MB are full after some 336 s.",
    neededMb: null,
  });
});

test("where no buffer of Android has room, none is offered", () => {
  const rates = [{ ...RATES[0]!, bytesPerS: 150e6, buffers: [[10, 0]] as const }];
  assert.deepEqual(bufferAdvice(NEW, rates, { mode: "trace", bufferMb: 1024, durationS: 10 }), {
    text: "At 150.0 MB a second, as busy apps do, 1024 MB are full after some 7 s: record less.",
    neededMb: null,
  });
});

test("the buffer that was chosen is among those to choose from", () => {
  assert.deepEqual(buffersMb(NEW, 64), [8, 32, 64, 256]);
  assert.deepEqual(buffersMb(NEW, 128), [8, 32, 64, 128, 256]);
});

test("a device is offered what its Android has, and says why the rest is missing", () => {
  assert.equal(missingWords(NEW), null);
  assert.equal(missingWords(JAVA), null);
  assert.equal(
    missingWords(OLD),
    "The device has Android 5.1: larger buffers came with Android 7, samples came with Android 6, streaming came with Android 8.",
  );
  assert.equal(
    missingWords(device("Android 7.1", 25)),
    "The device has Android 7.1: streaming came with Android 8.",
  );
  assert.deepEqual(wordsOf(OLD), ["trace"]);
  assert.deepEqual(wordsOf({ ...OLD, begin: "startup" }), ["trace", "sample"]);
  assert.deepEqual(buffersMb(OLD, 64), [8]);
  const wanted = { ...FIRST_CHOICE, mode: "stream", bufferMb: 256 } as const;
  assert.deepEqual(fitChoice(OLD, wanted), { ...wanted, mode: "trace", bufferMb: 8 });
  assert.deepEqual(fitChoice(NEW, wanted), wanted);
  assert.deepEqual([isBufferFixed(OLD), isBufferFixed(NEW)], [true, false]);
});

test("a buffer that cannot be larger is told to be short, and nothing is offered for it", () => {
  const choice = { mode: "trace", bufferMb: 8, durationS: 10 } as const;
  assert.deepEqual(bufferAdvice(OLD, RATES, choice), {
    text: "At 4.7 MB a second, as busy apps do, 8 MB are full after some 2 s: record less.",
    neededMb: null,
  });
  assert.match(modeAdvice(OLD, "trace", 8), / ends the recording after a few seconds\.$/);
  assert.match(modeAdvice(device("Android 6", 23), "trace", 8), /: choose samples for more than/);
  assert.match(modeAdvice(NEW, "trace", 8), /: choose a larger one, or samples, for more than/);
});

test("what a device has not told is offered", () => {
  const silent = { ...NEW, abilities: { android: "", of: [] } };
  assert.equal(missingWords(silent), null);
  assert.equal(wordsOf(silent).length, 3);
  assert.deepEqual(buffersMb(silent, 64), [8, 32, 64, 256]);
});
