// Waits, and what of them may be none: an open call lasts to the end of the trace, and after its thread's last record nothing tells
// whether the thread worked.

import { formatDuration } from "../base/format";

// A thread that only waited, and how long in the range that was asked about.
export interface IdleThread {
  readonly id: number;
  readonly wait: number;
  readonly unrecorded: number; // of that, after its last record
}

// What the waits of a scope are of: the threads that are left out, what the others waited, and how much of that is after their
// last records, where nothing tells work from waiting.
export interface WaitFacts {
  readonly idle: readonly IdleThread[];
  readonly wait: number;
  readonly unrecorded: number;
}

// How much of waits a sentence says to be not recorded: from a hundredth on, as the command does, else 0.
export function toldUnrecorded(unrecorded: number, wait: number): number {
  return unrecorded >= wait / 100 ? unrecorded : 0;
}

// "755 ms of that not recorded"
export function unrecordedText(unrecorded: number): string {
  return `${formatDuration(unrecorded)} of that not recorded`;
}

// ", 755 ms of that not recorded" behind a time that was waited, whole or in part.
export function unrecordedNote(unrecorded: number): string {
  return unrecorded > 0 ? `, ${unrecordedText(unrecorded)}` : "";
}
