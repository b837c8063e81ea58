// Transforms of the flame graph and the tree: what is done to stacks before they are merged.

import { partsAsWritten, quotedExpression } from "../base/text";
import type { Method } from "./trace";

export type MethodOpKind = "focus" | "merge" | "drop" | "recursion";

export type Op =
  | { readonly kind: MethodOpKind; readonly rank: number }
  | { readonly kind: "collapse"; readonly package: string };

// A transform as a link has it: with methods by name, since ranks differ from trace to trace.
export type NamedOp =
  | { readonly kind: MethodOpKind; readonly method: string }
  | { readonly kind: "collapse"; readonly package: string };

const METHOD_KINDS: readonly MethodOpKind[] = ["focus", "merge", "drop", "recursion"];

// A transform as the program takes it.
export function opText(op: Op): string {
  return op.kind === "collapse" ? `collapse:${op.package}` : `${op.kind}:${op.rank}`;
}

export function opsQuery(ops: readonly Op[]): { readonly ops?: string } {
  return ops.length === 0 ? {} : { ops: ops.map(opText).join(";") };
}

export function withOp(ops: readonly Op[], op: Op): readonly Op[] {
  return ops.some((known) => opText(known) === opText(op)) ? ops : [...ops, op];
}

export function writeOp(op: NamedOp): string {
  return op.kind === "collapse" ? `collapse:${op.package}` : `${op.kind}:${op.method}`;
}

export function readOp(text: string): NamedOp | null {
  const cut = text.indexOf(":");
  const word = text.slice(0, cut);
  const rest = text.slice(cut + 1);
  if (cut < 0 || rest === "") return null;
  if (word === "collapse") return { kind: "collapse", package: rest };
  const kind = METHOD_KINDS.find((known) => known === word);
  return kind === undefined ? null : { kind, method: rest };
}

// The longest name of a method that a link carries; the link names other methods by their id.
const LONGEST_NAME = 1000;

// What finds the method in this trace again: the name in the file, or the id, where another one has its whole name.
export function linkName(method: Method): string {
  return method.sharesWholeName === true
    ? (method.written ?? (method.id === "" ? method.method : method.id))
    : nameElsewhere(method);
}

// What finds a method of that name in another trace, whose ids are others.
export function nameElsewhere(method: Method): string {
  return method.method.length <= LONGEST_NAME || method.id === "" ? method.method : method.id;
}

// A pattern that matches exactly the method of this name. An escape in the name may have been made
// when the name was shown, so it matches itself or any one character.
export function exactPattern(name: string): string {
  const quoted = partsAsWritten(name).map(quotedExpression);
  return `/^${quoted.join("[\\s\\S]{1,10}")}$/`;
}

const WORDS: Readonly<Record<Op["kind"], string>> = {
  focus: "focus",
  merge: "merged",
  recursion: "recursion of",
  drop: "without",
  collapse: "collapsed",
};

// The transform in words, for its chip.
export function opLabel(op: Op, nameOf: (rank: number) => string | undefined): string {
  const what = op.kind === "collapse" ? op.package : (nameOf(op.rank) ?? `method ${op.rank}`);
  return `${WORDS[op.kind]} ${what}`;
}
