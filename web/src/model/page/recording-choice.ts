// How something is recorded: what there is to choose, of which a device offers what its Android has, and what is said of it.

import { formatCount } from "../../base/format";
import { HERE, type Abilities, type Rate } from "./recordable";

export type RecordingMode = "trace" | "sample" | "stream";

// Of a process that runs, after the app was started, or from its start on.
export type RecordingBegin = "now" | "activity" | "startup";

export const BEGINS: readonly (readonly [RecordingBegin, string])[] = [
  ["now", "An app that runs"],
  ["activity", "Start the app first"],
  ["startup", "The start of the app"],
];

export interface RecordingWish {
  // Of a device, or HERE.
  readonly serial: string;
  // Null: the app `name` is started.
  readonly pid: number | null;
  readonly name: string;
  readonly begin: RecordingBegin;
  // Of the app that is started; empty: the one that a launcher starts.
  readonly activity: string;
  readonly mode: RecordingMode;
  // 0: what the device has by itself.
  readonly bufferMb: number;
  // 0: until it is stopped.
  readonly durationS: number;
}

// What the user chose of the dialog, but for the device.
export interface RecordingChoice {
  readonly pid: number | null;
  readonly begin: RecordingBegin;
  // What is started.
  readonly app: string | null;
  readonly activity: string;
  readonly mode: RecordingMode;
  readonly bufferMb: number;
  readonly durationS: number;
}

export const FIRST_CHOICE: RecordingChoice = {
  pid: null,
  begin: "now",
  app: null,
  activity: "",
  mode: "trace",
  bufferMb: 64,
  durationS: 0,
};

const MODES: readonly (readonly [RecordingMode, string])[] = [
  ["trace", "Every call, into a buffer"],
  ["sample", "Samples: the stacks each millisecond"],
  ["stream", "Every call, streamed to the file"],
];

const JAVA_MODES: readonly (readonly [RecordingMode, string])[] = [
  ["trace", "Every call"],
  ["sample", "Samples: the stacks each millisecond"],
];

// What a buffer has where no other can be had.
const FIXED_BUFFER_MB = 8;
const BUFFERS_MB: readonly number[] = [FIXED_BUFFER_MB, 32, 64, 256];

// What a recording is of: this computer, or a device of these abilities, and when it begins.
export interface RecordedPlace {
  readonly place: string;
  readonly begin: RecordingBegin;
  readonly abilities: Abilities;
}

// The version of Android that has it, where this one has not; null: it has, or has not told.
function lacks({ abilities }: RecordedPlace, name: string): string | null {
  const ability = abilities.of.find((one) => one.name === name);
  return ability === undefined || ability.has ? null : ability.since;
}

function lacksMode(of: RecordedPlace, mode: RecordingMode): string | null {
  switch (mode) {
    case "trace":
      return null;
    case "sample":
      return lacks(of, of.begin === "startup" ? "startup-sampling" : "sampling");
    case "stream":
      return lacks(of, "streaming");
  }
}

export function modesOf(of: RecordedPlace): readonly (readonly [RecordingMode, string])[] {
  return of.place === HERE ? JAVA_MODES : MODES.filter(([mode]) => lacksMode(of, mode) === null);
}

// Whether the device's Android has one size of buffer alone.
export function isBufferFixed(of: RecordedPlace): boolean {
  return lacks(of, "buffer") !== null;
}

// The buffers to choose from, with the one that is chosen.
export function buffersMb(of: RecordedPlace, chosen: number): readonly number[] {
  if (isBufferFixed(of)) return [FIXED_BUFFER_MB];
  return BUFFERS_MB.includes(chosen) ? BUFFERS_MB : [...BUFFERS_MB, chosen].sort((a, b) => a - b);
}

// What is chosen, as far as it can be had there.
export function fitChoice(of: RecordedPlace, choice: RecordingChoice): RecordingChoice {
  const hasMode = modesOf(of).some(([mode]) => mode === choice.mode);
  return {
    ...choice,
    begin: of.begin,
    mode: hasMode ? choice.mode : "trace",
    bufferMb: isBufferFixed(of) ? FIXED_BUFFER_MB : choice.bufferMb,
  };
}

// What is not offered since the device's Android is too old; null: all is.
export function missingWords(of: RecordedPlace): string | null {
  if (of.place === HERE) return null;
  const buffer = lacks(of, "buffer");
  const modes = [
    ["samples", lacksMode(of, "sample")],
    ["streaming", lacksMode(of, "stream")],
  ].flatMap(([what, since]) => (since === null ? [] : [`${what} came with ${since}`]));
  const larger = buffer === null ? [] : [`larger buffers came with ${buffer}`];
  const all = [...larger, ...modes].join(", ");
  return all === "" ? null : `The device has ${of.abilities.android}: ${all}.`;
}

interface BufferAdvice {
  readonly text: string;
  // The buffer to be taken, where the chosen one has too little.
  readonly neededMb: number | null;
}

// What buffer a duration needs, as `traceview record` says it; null: nothing is to be said.
export function bufferAdvice(
  of: RecordedPlace,
  rates: readonly Rate[],
  { mode, bufferMb, durationS }: Pick<RecordingChoice, "mode" | "bufferMb" | "durationS">,
): BufferAdvice | null {
  const rate = rates.find(({ isSampled }) => isSampled === (mode === "sample"));
  if (rate === undefined || mode === "stream") return null;
  const as = rate.isOfApp ? "as it did the last time" : "as busy apps do";
  const speed = `At ${(rate.bytesPerS / 1e6).toFixed(1)} MB a second, ${as},`;
  const fullS = Math.round((bufferMb * 2 ** 20) / Math.max(1, rate.bytesPerS));
  const full = `${speed} ${bufferMb} MB are full after some ${formatCount(Math.max(1, fullS))} s`;
  if (durationS === 0) return { text: `${full}.`, neededMb: null };
  const needed = rate.buffers.find(([s]) => s >= durationS)?.[1];
  const isTooLong = needed === 0;
  if (needed === undefined || (!isTooLong && needed <= bufferMb)) return null;
  if (isTooLong || isBufferFixed(of)) return { text: `${full}: record less.`, neededMb: null };
  const text = `${speed} ${durationS} s need a buffer of ${needed} MB, and it has ${bufferMb}.`;
  return { text, neededMb: needed };
}

export const DURATIONS_S: readonly number[] = [0, 5, 10, 30];

// What a mode is good for, and what it costs.
export function modeAdvice(of: RecordedPlace, mode: RecordingMode, bufferMb: number): string {
  switch (mode) {
    case "trace":
      if (of.place === HERE)
        return "Exact counts, but short methods seem longer than they are. The program is slower while it is recorded, and goes on afterwards.";
      return `Exact counts, but short methods seem longer than they are. A full buffer of ${bufferMb} MB ends the recording${insteadWords(of)}`;
    case "sample":
      return "Hardly slows the app down, so shares of time are true; counts of calls are not.";
    case "stream":
      return "No buffer overflows, but writing slows the app down even more.";
  }
}

// What there is for a recording of more than a few seconds.
function insteadWords(of: RecordedPlace): string {
  const hasSamples = lacksMode(of, "sample") === null;
  if (isBufferFixed(of))
    return hasSamples ? ": choose samples for more than a few seconds." : " after a few seconds.";
  return `: choose a larger one${hasSamples ? ", or samples," : ""} for more than a few seconds.`;
}
