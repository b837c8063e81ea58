// The lens: the set of calls that every panel is limited to, and what they made. A box of the flame graph and a node of a tree
// are the calls at the end of a path; a call is itself.

import { formatCount, plural } from "../base/format";
import { shortName } from "./names";
import { callPlace, type CallName } from "./link-parts";
import type { CallRef, Method } from "./trace";
import { theseCalls, type CallWords } from "./words";

// Methods by rank: from a root down ("along"), or from callee to caller ("upwards"). `past` has the packages that were hidden
// where the path was taken from: their methods are no part of it.
interface PathLens {
  readonly kind: "along" | "upwards";
  readonly ranks: readonly number[];
  readonly past: string;
}

interface CallLens extends CallRef {
  readonly kind: "within";
  readonly rank: number;
  readonly ordinal: number;
}

export type Lens = PathLens | CallLens;

// A lens as a link has it: by names, since ranks differ from trace to trace.
export type NamedLens =
  | { readonly kind: PathLens["kind"]; readonly methods: readonly string[]; readonly past: string }
  | { readonly kind: "within"; readonly call: CallName };

// The most methods of a path that a link carries; a longer link could not be sent.
export const MAX_PATH = 200;

// What the program's routes take.
export function lensQuery(lens: Lens | null): Readonly<Record<string, string>> {
  if (lens === null) return {};
  if (lens.kind === "within") return { within: callPlace(lens) };
  return {
    [lens.kind]: lens.ranks.join("."),
    ...(lens.past === "" ? {} : { past: lens.past }),
  };
}

// The method that the calls of the lens are of.
export function lensRank(lens: Lens): number {
  if (lens.kind === "within") return lens.rank;
  return lens.ranks[lens.kind === "along" ? lens.ranks.length - 1 : 0] ?? 0;
}

function nameOf(method: Method | undefined): string {
  return method === undefined ? "…" : shortName(method);
}

// "only call 3 of Main.run", "only 14 calls of Main.run"; `count` is null until it is known.
export function lensText(
  lens: Lens,
  count: number | null,
  words: CallWords,
  methodOf: (rank: number) => Method | undefined,
): string {
  const name = nameOf(methodOf(lensRank(lens)));
  if (lens.kind === "within")
    return `only ${words.one} ${formatCount(lens.ordinal + 1)} of ${name}`;
  const counted = count === null ? words.many : plural(count, words.one, words.many);
  return `only ${counted} of ${name}`;
}

// Who called them, the nearest first: for whoever asks what the chip stands for.
const SHOWN_CALLERS = 12;

export function lensTitle(
  lens: Lens,
  words: CallWords,
  methodOf: (rank: number) => Method | undefined,
): string {
  const isOne = lens.kind === "within";
  const they = isOne ? "it" : "they";
  const end = `All panels show ${theseCalls(isOne, words)} and what ${they} made. Press to show all again`;
  if (isOne) return end;
  const [, ...callers] = lens.kind === "along" ? [...lens.ranks].reverse() : lens.ranks;
  if (callers.length === 0)
    return lens.kind === "along" ? `Called by no other method. ${end}` : end;
  const shown = callers.slice(0, SHOWN_CALLERS).map((rank) => nameOf(methodOf(rank)));
  const left = callers.length - shown.length;
  return `Called by ${shown.join(", by ")}${left > 0 ? ` and ${formatCount(left)} more` : ""}. ${end}`;
}

// The lens of a box or node that is seen through another lens: its path begins where that one ends. `path` leads from a root
// down, or where it is inverted from callee to caller. Null: no path says it.
export function lensOfPath(
  through: Lens | null,
  path: readonly number[],
  isInverted: boolean,
  past: string,
): Lens | null {
  if (path.length === 0) return null;
  if (through === null) return { kind: isInverted ? "upwards" : "along", ranks: path, past };
  if (through.kind === "within" || isInverted || through.past !== past) return null;
  return through.kind === "along"
    ? { ...through, ranks: [...through.ranks.slice(0, -1), ...path] }
    : { ...through, ranks: [...[...path].reverse(), ...through.ranks.slice(1)] };
}

export function sameLens(a: Lens | null, b: Lens | null): boolean {
  return JSON.stringify(lensQuery(a)) === JSON.stringify(lensQuery(b));
}
