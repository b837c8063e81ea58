// Recording an app on a device, or a Java program of this computer: what there is to choose from, and how far a recording
// is, in words.

import { formatBytes, formatCount } from "../../base/format";
import { bestMatches } from "./palette";

export interface Device {
  readonly serial: string;
  readonly isReady: boolean;
  readonly state: string;
  readonly model: string;
  // What to do with a device that cannot be used.
  readonly advice: string | null;
}

export interface DeviceList {
  readonly devices: readonly Device[];
  // Why there is no list.
  readonly problem: string | null;
}

export interface AppProcess {
  readonly pid: number;
  readonly name: string;
  readonly isDebuggable: boolean;
  readonly user: number;
  readonly uptimeS: number | null;
}

export interface ProcessList {
  readonly processes: readonly AppProcess[];
  // Before Android 12 a device lists debuggable processes only.
  readonly hasProfileable: boolean;
  readonly problem: string | null;
}

// A Java program of this computer.
export interface JavaProgram {
  readonly pid: number;
  readonly name: string;
  readonly user: string;
  // "17.0.13"; empty: it does not tell.
  readonly java: string;
  readonly uptimeS: number;
  // Why it cannot be recorded.
  readonly advice: string | null;
}

export interface JavaList {
  readonly programs: readonly JavaProgram[];
  // Why none of them can be recorded: the recorder is missing, for one.
  readonly problem: string | null;
}

// Where the process is that is recorded: the serial number of a device, or this computer.
export const HERE = "";

// The places where something can be recorded, with what they are called: devices first.
export function placesOf(
  devices: DeviceList | null,
  java: JavaList | null,
): readonly (readonly [string, string])[] {
  const ready = devices?.devices.filter((device) => device.isReady) ?? [];
  const places = ready.map((device) => [device.serial, deviceLabel(device)] as const);
  const isRecorderHere = java !== null && java.problem === null;
  return isRecorderHere ? [...places, [HERE, "This computer: Java programs"] as const] : places;
}

// Whether there is something to record without starting it first.
export function hasSomething(devices: DeviceList | null, java: JavaList | null): boolean {
  return placesOf(devices, java).some(
    ([place]) => place !== HERE || java?.programs.some((program) => program.advice === null),
  );
}

// A row of the list to choose from.
export interface Recordable {
  readonly pid: number;
  readonly name: string;
  readonly kind: string;
  readonly uptimeS: number | null;
  // Why it cannot be chosen.
  readonly advice: string | null;
}

export function recordableApp(process: AppProcess): Recordable {
  const { pid, name, uptimeS, user } = process;
  const kind = process.isDebuggable ? "debuggable" : "profileable";
  return { pid, name, uptimeS, kind: user === 0 ? kind : `${kind}, user ${user}`, advice: null };
}

export function recordableProgram(program: JavaProgram): Recordable {
  const { pid, name, uptimeS, advice } = program;
  return {
    pid,
    name,
    uptimeS,
    kind: program.java === "" ? "Java" : `Java ${program.java}`,
    advice,
  };
}

export type RecordingMode = "trace" | "sample" | "stream";

export interface RecordingWish {
  // Of a device, or HERE.
  readonly serial: string;
  readonly pid: number;
  readonly name: string;
  readonly mode: RecordingMode;
  readonly bufferMb: number;
  // 0: until it is stopped.
  readonly durationS: number;
}

// What the user chose of the dialog, but for the device.
export interface RecordingChoice {
  readonly pid: number | null;
  readonly mode: RecordingMode;
  readonly bufferMb: number;
  readonly durationS: number;
}

export const FIRST_CHOICE: RecordingChoice = {
  pid: null,
  mode: "trace",
  bufferMb: 64,
  durationS: 0,
};

// What the program says while it records.
export interface RecordingStep {
  readonly phase: string;
  readonly ms: number;
  readonly bytes: number;
  readonly buffer: number;
  readonly done: number;
  readonly of: number;
  readonly isWaiting: boolean;
  readonly text: string;
}

export interface Recording {
  readonly state: "idle" | "running" | "done" | "failed";
  readonly elapsedMs: number;
  readonly isStopped: boolean;
  readonly text: string;
  readonly file: string;
  readonly folder: string;
  readonly step: RecordingStep | null;
}

const MODES: readonly (readonly [RecordingMode, string])[] = [
  ["trace", "Every call, into a buffer"],
  ["sample", "Samples: the stacks each millisecond"],
  ["stream", "Every call, streamed to the file (Android 8)"],
];

const JAVA_MODES: readonly (readonly [RecordingMode, string])[] = [
  ["trace", "Every call"],
  ["sample", "Samples: the stacks each millisecond"],
];

export function modesOf(place: string): readonly (readonly [RecordingMode, string])[] {
  return place === HERE ? JAVA_MODES : MODES;
}

export const BUFFERS_MB: readonly number[] = [8, 32, 64, 256];
export const DURATIONS_S: readonly number[] = [0, 5, 10, 30];

// What a mode is good for, and what it costs.
export function modeAdvice(mode: RecordingMode, place: string, bufferMb: number): string {
  switch (mode) {
    case "trace":
      if (place === HERE)
        return "Exact counts, but short methods seem longer than they are. The program is slower while it is recorded, and goes on afterwards.";
      return `Exact counts, but short methods seem longer than they are. A full buffer of ${bufferMb} MB ends the recording: choose a larger one, or samples, for more than a few seconds.`;
    case "sample":
      return "Hardly slows the app down, so shares of time are true; counts of calls are not.";
    case "stream":
      return "No buffer overflows, but writing slows the app down even more.";
  }
}

export function deviceLabel(device: Device): string {
  const model = device.model.replaceAll("_", " ");
  return model === "" ? device.serial : `${model} (${device.serial})`;
}

export function matchingProcesses<T extends { readonly name: string }>(
  processes: readonly T[],
  query: string,
): readonly T[] {
  return bestMatches(processes, query, ({ name }) => name);
}

export function uptimeWords(seconds: number | null): string {
  if (seconds === null) return "";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

// How far a recording is: one line.
export function stepWords(recording: Recording): string {
  const { step } = recording;
  if (step === null) return recording.isStopped ? "Stopping…" : "Starting…";
  switch (step.phase) {
    case "recording":
      return recordedWords(recording, step);
    case "finishing":
      return "Waiting until the file on the device is whole…";
    case "writing":
      return "Writing the trace…";
    case "pulling":
      return step.isWaiting
        ? `The device is gone: put its cable in again, and the rest follows (${formatBytes(step.done)} of ${formatBytes(step.of)} are here)`
        : `Pulling ${formatBytes(step.done)} of ${formatBytes(step.of)}`;
    default:
      return recording.isStopped ? "Stopping…" : "Starting…";
  }
}

function recordedWords(recording: Recording, step: RecordingStep): string {
  if (recording.isStopped) return "Stopping…";
  const size = step.bytes > 0 ? `, ${formatBytes(step.bytes)}` : "";
  const full =
    step.buffer > 0 && step.bytes > 0
      ? ` (${formatCount(Math.min(100, Math.round((100 * step.bytes) / step.buffer)))} % of the buffer)`
      : "";
  return `Recording ${seconds(step.ms)}${size}${full}`;
}

// The share of the pull that is here; null while nothing is pulled.
export function pulledShare(recording: Recording): number | null {
  const { step } = recording;
  if (step === null || step.phase !== "pulling" || step.of === 0) return null;
  return Math.min(1, step.done / step.of);
}

// Why a recording failed, in a line that says what to do.
export function failureWords(recording: Recording): string {
  const { step } = recording;
  if (step !== null && step.phase === "failed" && step.text !== "") return step.text;
  return recording.text === "" ? "The recording ended without a trace." : recording.text;
}
