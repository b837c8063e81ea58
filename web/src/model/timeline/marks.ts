// Marks: ranges or calls that a user wants to find again. A link carries a mark by its times and
// names.

import { sameRange, type Range } from "../../base/time";
import {
  readCall,
  readName,
  readRange,
  writeCall,
  writeName,
  writeRange,
  type CallName,
} from "../link-parts";

export interface Mark extends Range {
  // The name that the user gave the mark; at first the method's short name, or nothing.
  readonly text: string;
  readonly call: CallName | null;
}

// The most marks that there can be; a link carries them all.
export const MAX_MARKS = 50;

function sameCallName(a: CallName | null, b: CallName | null): boolean {
  if (a === null || b === null) return a === b;
  return a.thread.id === b.thread.id && a.ordinal === b.ordinal && a.method === b.method;
}

export function sameMark(a: Mark, b: Mark): boolean {
  return sameRange(a, b) && sameCallName(a.call, b.call);
}

// Adds the mark in the order of time; a mark that is there already is taken away.
export function toggleMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const left = marks.filter((known) => !sameMark(known, mark));
  if (left.length < marks.length) return left;
  return [...marks, mark].sort((a, b) => a.from - b.from || b.to - a.to).slice(0, MAX_MARKS);
}

export function renameMark(marks: readonly Mark[], mark: Mark, text: string): readonly Mark[] {
  return marks.map((known) => (sameMark(known, mark) ? { ...known, text } : known));
}

// `FROM-TOms|text` or `FROM-TOms|text|id:thread|ordinal|method`.
export function writeMark(mark: Mark): string {
  const parts = [writeRange(mark), writeName(mark.text)];
  if (mark.call !== null) parts.push(writeCall(mark.call));
  return parts.join("|");
}

export function readMark(text: string): Mark | null {
  const [times, name, ...call] = text.split("|");
  const range = readRange(times ?? null);
  if (range === null) return null;
  return { ...range, text: readName(name ?? ""), call: readCall(call.join("|")) };
}

// The places of the flags in the ruler: each at the start of its mark, or at the edge of the view.
interface Flag {
  readonly mark: Mark;
  readonly x: number;
}

export const FLAG_PX = 9;

export function flagsIn(marks: readonly Mark[], view: Range, width: number): Flag[] {
  const span = Math.max(1e-9, view.to - view.from);
  return marks
    .filter((mark) => mark.to >= view.from && mark.from <= view.to)
    .map((mark) => ({ mark, x: Math.max(0, ((mark.from - view.from) / span) * width) }));
}

// The mark whose flag is under `x`; of several the last one, which is drawn on top.
export function flagAt(flags: readonly Flag[], x: number): Mark | null {
  for (let ix = flags.length - 1; ix >= 0; ix--) {
    const flag = flags[ix];
    if (flag !== undefined && x >= flag.x - 2 && x <= flag.x + FLAG_PX + 1) return flag.mark;
  }
  return null;
}
