// How far a recording is, in words.

import { formatBytes, formatCount } from "../../base/format";

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
  // The MiB that would have been enough where the buffer was full; 0: it was not.
  readonly neededMb: number;
}

export interface Recording {
  readonly state: "idle" | "running" | "done" | "failed";
  readonly elapsedMs: number;
  readonly isStopped: boolean;
  readonly text: string;
  readonly file: string;
  readonly folder: string;
  readonly step: RecordingStep | null;
  // The address of the page that shows the trace; null: none does yet, or this one.
  readonly page: string | null;
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

// The buffer that would have had room for a recording that is done, in MiB; null: it had.
export function neededMb(recording: Recording | null): number | null {
  const needed = recording?.state === "done" ? (recording.step?.neededMb ?? 0) : 0;
  return needed > 0 ? needed : null;
}

// Why a recording failed, in a line that says what to do.
export function failureWords(recording: Recording): string {
  const { step } = recording;
  if (step !== null && step.phase === "failed" && step.text !== "") return step.text;
  return recording.text === "" ? "The recording ended without a trace." : recording.text;
}
