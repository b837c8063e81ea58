// The pieces of a link: times, ranges, threads and calls as text, and back.

import type { Range } from "../base/time";
import type { CallRef, Measure } from "./trace";

export interface ThreadName {
  readonly id: number;
  readonly name: string;
}

export interface CallName {
  readonly thread: ThreadName;
  readonly method: string;
  // From 1, as people count.
  readonly ordinal: number;
}

// Times are written in milliseconds with up to six decimals: exact, and readable.
function writeTime(ns: number): string {
  return String(Math.round(ns) / 1e6);
}

export function writeRange(range: Range): string {
  return `${writeTime(range.from)}-${writeTime(range.to)}ms`;
}

export function readRange(text: string | null): Range | null {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)ms$/.exec(text ?? "");
  if (match === null) return null;
  const from = Math.round(Number(match[1]) * 1e6);
  const to = Math.round(Number(match[2]) * 1e6);
  return from < to ? { from, to } : null;
}

// How long the calls lasted: [from, below), null where there is no end.
export interface Lasting {
  readonly measure: Measure;
  readonly from: number;
  readonly below: number | null;
}

// "cpu:1-5ms", or "cpu:1-ms" where there is no end: how long calls last.
export function writeLasting({ measure, from, below }: Lasting): string {
  return `${measure}:${writeTime(from)}-${below === null ? "" : writeTime(below)}ms`;
}

export function readLasting(text: string | null): Lasting | null {
  const match = /^(wall|cpu|wait):(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)?ms$/.exec(text ?? "");
  if (match === null) return null;
  const measure = match[1] === "wall" || match[1] === "cpu" ? match[1] : "wait";
  const from = Math.round(Number(match[2]) * 1e6);
  const below = match[3] === undefined ? null : Math.round(Number(match[3]) * 1e6);
  return (below === null ? from > 0 : from < below) ? { measure, from, below } : null;
}

// A comma or a bar would end a name: they are escaped as %2C and %7C, and % as %25.
export function writeName(name: string): string {
  return name.replaceAll("%", "%25").replaceAll(",", "%2C").replaceAll("|", "%7C");
}

export function readName(text: string): string {
  return text.replaceAll("%2C", ",").replaceAll("%7C", "|").replaceAll("%25", "%");
}

function writeThread(thread: ThreadName): string {
  return `${thread.id}:${writeName(thread.name)}`;
}

function readThread(text: string): ThreadName | null {
  const match = /^(\d+):([\s\S]*)$/.exec(text);
  return match === null ? null : { id: Number(match[1]), name: readName(match[2] ?? "") };
}

export function writeThreads(threads: readonly ThreadName[]): string {
  return threads.map(writeThread).join(",");
}

export function readThreads(text: string | null): ThreadName[] | null {
  if (text === null) return null;
  return text.split(",").flatMap((part) => readThread(part) ?? []);
}

// A call of this trace, as links to two calls and the program's routes have it: "1.5.7" is thread, depth and number.
export function callPlace({ thread, depth, call }: CallRef): string {
  return `${thread}.${depth}.${call}`;
}

export function placeOfCall(text: string): { thread: number; depth: number; call: number } {
  const [thread = 0, depth = 0, call = 0] = text.split(".").map(Number);
  return { thread, depth, call };
}

export function writeCall(call: CallName): string {
  return `${writeThread(call.thread)}|${call.ordinal}|${call.method}`;
}

export function readCall(text: string | null): CallName | null {
  const parts = (text ?? "").split("|");
  const thread = readThread(parts[0] ?? "");
  const ordinal = Number(parts[1]);
  const method = parts.slice(2).join("|");
  return thread === null || !(ordinal >= 1) || method === "" ? null : { thread, method, ordinal };
}
