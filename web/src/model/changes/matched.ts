// Methods that are matched by hand: an old one that has another name, and the new one that it became, each by its whole name.

import type { Change, Changes } from "./changes";
import { formatCount } from "../../base/format";

export interface Matched {
  readonly old: string;
  readonly new: string;
}

export type MatchedSide = keyof Matched;

export function otherSide(side: MatchedSide): MatchedSide {
  return side === "old" ? "new" : "old";
}

// The most that a question takes.
const MOST_MATCHED = 64;

// Reads the parameters `matched` and `as` of a link, which come by turns. A method is matched once.
export function readMatched(olds: readonly string[], news: readonly string[]): readonly Matched[] {
  const seen = { old: new Set<string>(), new: new Set<string>() };
  return olds.slice(0, MOST_MATCHED).flatMap((old, ix) => {
    const now = news[ix] ?? "";
    const isNone = old === "" || now === "" || `${old}${now}`.includes("\n");
    if (isNone || seen.old.has(old) || seen.new.has(now)) return [];
    seen.old.add(old);
    seen.new.add(now);
    return [{ old, new: now }];
  });
}

// As questions take them; undefined: there are none.
export function matchedQuery(matched: readonly Matched[]): string | undefined {
  return matched.length === 0 ? undefined : matched.flatMap((one) => [one.old, one.new]).join("\n");
}

// The name of a method on the other side.
export function partnerName(
  matched: readonly Matched[],
  side: MatchedSide,
  name: string,
): string | null {
  const found = matched.find((one) => one[side] === name);
  return found === undefined ? null : found[otherSide(side)];
}

export function withMatch(matched: readonly Matched[], added: Matched): readonly Matched[] {
  const others = matched.filter((one) => one.old !== added.old && one.new !== added.new);
  return [...others, added].slice(-MOST_MATCHED);
}

// Which side has a method that the other one lacks; null: both have it.
export function loneSide(change: Change): MatchedSide | null {
  if (change.old.calls[1] === 0 && change.new.calls[1] > 0) return "new";
  if (change.new.calls[1] === 0 && change.old.calls[1] > 0) return "old";
  return null;
}

// "com.example.Foo.load (I)V": the name alone, and what stands around it.
function partsOf(method: string): { name: string; around: string; signature: string } {
  const end = method.indexOf(" (");
  const whole = end < 0 ? method : method.slice(0, end);
  const at = whole.lastIndexOf(".");
  return {
    name: whole.slice(at + 1),
    around: whole.slice(0, Math.max(0, at)),
    signature: end < 0 ? "" : method.slice(end + 1),
  };
}

// How near two numbers are, from 0 to 1.
function nearness(a: number, b: number): number {
  const most = Math.max(a, b);
  return most <= 0 ? 1 : Math.min(a, b) / most;
}

// How much a method is like one of the other side: by name, signature, class, calls and time.
function likeness(change: Change, side: MatchedSide, other: Change): number {
  const [a, b] = [partsOf(change.method), partsOf(other.method)];
  const [own, their] = [change[side], other[otherSide(side)]];
  return (
    (a.name === b.name ? 3 : 0) +
    (a.signature === b.signature ? 2 : 0) +
    (a.around === b.around ? 2 : 0) +
    3 * nearness(own.calls[1], their.calls[1]) +
    2 * nearness(own.time, their.time)
  );
}

// Methods of the other side without a partner, those first that are most like the method.
export function partnersOf(changes: Changes, change: Change): readonly Change[] {
  const side = loneSide(change);
  if (side === null) return [];
  const rated = changes.list
    .filter((other) => loneSide(other) === otherSide(side))
    .map((other) => ({ other, value: likeness(change, side, other) }));
  rated.sort((a, b) => b.value - a.value || (a.other.method < b.other.method ? -1 : 1));
  return rated.map(({ other }) => other);
}

export function matchedText(matched: readonly Matched[]): string {
  const [only] = matched;
  if (matched.length !== 1 || only === undefined)
    return `${formatCount(matched.length)} methods matched by hand`;
  const name = (method: string): string => partsOf(method).name;
  return `matched: ${name(only.old)} → ${name(only.new)}`;
}
