// The lens: the set of calls that every panel is limited to, and what they made. It is made by steps, each of which takes some of
// the calls that are there: a box of the flame graph and a node of a tree are the calls at the end of a path; rows of the Profile
// and a search are all calls of their methods; a bar of a histogram are those that last as long; a call is itself.

import { formatCount, formatDuration, plural } from "../base/format";
import { isolated } from "../base/text";
import { shortName } from "./names";
import { callPlace, type CallName, type Lasting } from "./link-parts";
import type { CallRef, Method } from "./trace";
import { MEASURE_WORDS, theseCalls, type CallWords } from "./words";

// Methods by rank: from an outermost call down ("along"), or from callee to caller ("upwards"). `past` has the packages that were
// hidden where the path was taken from: their methods are no part of it.
interface PathStep {
  readonly kind: "along" | "upwards";
  readonly ranks: readonly number[];
  readonly past: string;
  readonly lasting?: Lasting;
}

interface MethodsStep {
  readonly kind: "methods";
  readonly ranks: readonly number[];
  readonly lasting?: Lasting;
}

interface SearchStep {
  readonly kind: "search";
  readonly text: string;
  readonly lasting?: Lasting;
}

interface CallStep extends CallRef {
  readonly kind: "within";
  readonly rank: number;
  readonly ordinal: number;
}

type Step = PathStep | MethodsStep | SearchStep | CallStep;

// The last step, and the lens that it was seen through.
export type Lens = Step & { readonly before?: Lens };

// A lens as a link has it: by names, since ranks differ from trace to trace.
type NamedStep =
  | {
      readonly kind: PathStep["kind"];
      readonly methods: readonly string[];
      readonly past: string;
      readonly lasting?: Lasting;
    }
  | { readonly kind: "methods"; readonly methods: readonly string[]; readonly lasting?: Lasting }
  | SearchStep
  | { readonly kind: "within"; readonly call: CallName };

export type NamedLens = NamedStep & { readonly before?: NamedLens };

// The most methods that a link carries; a longer link could not be sent.
export const MAX_PATH = 200;
// The most steps that the program takes.
export const MAX_STEPS = 16;

// The steps of a lens, the first one first.
export function stepsOf<L extends { readonly before?: L }>(lens: L | null): L[] {
  const steps: L[] = [];
  for (let at: L | undefined = lens ?? undefined; at !== undefined; at = at.before)
    steps.unshift(at);
  return steps;
}

function lastingText(lasting: Lasting | undefined): string {
  return lasting === undefined
    ? ""
    : `:${lasting.measure}=${Math.round(lasting.from)}-${lasting.below === null ? "" : Math.round(lasting.below)}`;
}

function stepText(step: Lens): string {
  switch (step.kind) {
    case "within":
      return `call:${callPlace(step)}`;
    case "search":
      return `search:${encodeURIComponent(step.text)}${lastingText(step.lasting)}`;
    case "methods":
      return `methods:${step.ranks.join(".")}${lastingText(step.lasting)}`;
    case "along":
    case "upwards": {
      const past = step.past === "" ? "" : `:past=${encodeURIComponent(step.past)}`;
      return `${step.kind}:${step.ranks.join(".")}${past}${lastingText(step.lasting)}`;
    }
  }
}

// The calls of the lens as the program's routes take them; empty without a lens.
export function lensCalls(lens: Lens | null): string {
  return stepsOf(lens).map(stepText).join(";");
}

export function lensQuery(lens: Lens | null): Readonly<Record<string, string>> {
  return lens === null ? {} : { calls: lensCalls(lens) };
}

// The method that all calls of the lens are of; null where they are of several.
export function lensRank(lens: Lens): number | null {
  switch (lens.kind) {
    case "within":
      return lens.rank;
    case "search":
      return null;
    case "methods":
      return lens.ranks.length === 1 ? (lens.ranks[0] ?? null) : null;
    case "along":
    case "upwards":
      return lens.ranks[lens.kind === "along" ? lens.ranks.length - 1 : 0] ?? null;
  }
}

// The methods that a lens names.
export function lensRanks(lens: Lens | null): number[] {
  return stepsOf(lens).flatMap((step) =>
    step.kind === "within" ? [step.rank] : step.kind === "search" ? [] : step.ranks,
  );
}

// Whether the lens is a call or lies in one, whose time and thread count then instead of those that are chosen.
export function isInCall(lens: Lens | null): boolean {
  return stepsOf(lens).some((step) => step.kind === "within");
}

type Known = (rank: number) => Method | undefined;

function nameOf(method: Method | undefined): string {
  return method === undefined ? "…" : shortName(method);
}

function whoseText(step: Exclude<Step, CallStep>, methodOf: Known): string {
  if (step.kind === "search") return `methods with ${isolated(step.text)}`;
  if (step.kind === "methods" && step.ranks.length !== 1)
    return plural(step.ranks.length, "method");
  return nameOf(methodOf(lensRank(step) ?? 0));
}

function lastingWords({ measure, from, below }: Lasting): string {
  const { word } = MEASURE_WORDS[measure];
  return below === null
    ? `, ${formatDuration(from)} or longer ${word}`
    : `, ${formatDuration(from)} to ${formatDuration(below)} ${word}`;
}

// "call 3 of Main.run", "14 calls of Main.run, 1.00 ms to 2.00 ms CPU time"; `counted` says how many calls there are.
function whatText(lens: Lens, counted: string, words: CallWords, methodOf: Known): string {
  if (lens.kind === "within")
    return `${words.one} ${formatCount(lens.ordinal + 1)} of ${nameOf(methodOf(lens.rank))}`;
  const lasting = lens.lasting === undefined ? "" : lastingWords(lens.lasting);
  return `${counted} of ${whoseText(lens, methodOf)}${lasting}`;
}

// The same with what it is seen through: of the steps before, those tell nothing that a path goes on from.
function setText(lens: Lens, counted: string, words: CallWords, methodOf: Known): string {
  const before = stepsOf(lens.before ?? null).reverse();
  return [
    whatText(lens, counted, words, methodOf),
    ...before.map((step) => `in ${whatText(step, words.many, words, methodOf)}`),
  ].join(" ");
}

// "only call 3 of Main.run", "only 14 calls of Main.run in calls of Main.load"; `count` is null until it is known.
export function lensText(
  lens: Lens,
  count: number | null,
  words: CallWords,
  methodOf: Known,
): string {
  const counted = count === null ? words.many : plural(count, words.one, words.many);
  return `only ${setText(lens, counted, words, methodOf)}`;
}

// Calls that are selected with their method: how many they are, and how many the method has where these are.
export interface ChosenPart {
  readonly calls: Lens;
  readonly count: number;
  readonly all: number;
}

// "selected: 1 of 3 calls of Main.run"
export function chosenText(
  { calls, count, all }: ChosenPart,
  words: CallWords,
  methodOf: Known,
): string {
  const counted = `${formatCount(count)} of ${plural(all, words.one, words.many)}`;
  return `selected: ${setText(calls, counted, words, methodOf)}`;
}

// Who called them, the nearest first, or which methods they are of: for whoever asks what the chip stands for.
const SHOWN_NAMES = 12;

function namesText(ranks: readonly number[], between: string, methodOf: Known): string {
  const shown = ranks.slice(0, SHOWN_NAMES).map((rank) => nameOf(methodOf(rank)));
  const left = ranks.length - shown.length;
  return `${shown.join(between)}${left > 0 ? ` and ${formatCount(left)} more` : ""}`;
}

export function lensTitle(lens: Lens, words: CallWords, methodOf: Known): string {
  const isOne = lens.kind === "within";
  const they = isOne ? "it" : "they";
  return titleOf(
    lens,
    `All panels show ${theseCalls(isOne, words)} and what ${they} made. Press to show all again`,
    methodOf,
  );
}

// Of the calls that were chosen with a method.
export function chosenTitle(
  calls: Lens,
  words: CallWords,
  methodOf: Known,
  isLimitedByKey: boolean,
): string {
  const { many, heading } = words;
  const byKey = isLimitedByKey ? "; L limits all panels to them" : "";
  return titleOf(
    calls,
    `${heading}, the details and the brackets in the timeline are of these ${many}${byKey}. Press to take all ${many} of the method`,
    methodOf,
  );
}

function titleOf(lens: Lens, end: string, methodOf: Known): string {
  if (lens.kind === "methods" && lens.ranks.length > 1)
    return `Of ${namesText(lens.ranks, ", ", methodOf)}. ${end}`;
  if (lens.kind !== "along" && lens.kind !== "upwards") return end;
  const [, ...callers] = lens.kind === "along" ? [...lens.ranks].reverse() : lens.ranks;
  if (callers.length === 0)
    return lens.kind === "along" && lens.before === undefined
      ? `Called by no other method. ${end}`
      : end;
  return `Called by ${namesText(callers, ", by ", methodOf)}. ${end}`;
}

// The lens of a box or node that is seen through another lens: its path begins where that one ends. `path` leads from an outermost
// call down, or where it is inverted from callee to caller. Null: no path says it.
export function lensOfPath(
  through: Lens | null,
  path: readonly number[],
  isInverted: boolean,
  past: string,
): Lens | null {
  if (path.length === 0) return null;
  if (through === null) return { kind: isInverted ? "upwards" : "along", ranks: path, past };
  // Callers that are seen through a lens end at its calls, which no path to callers says.
  if (isInverted)
    return path.length === 1 ? narrowed(through, { kind: "methods", ranks: path }) : null;
  if (through.kind === "along" && through.lasting === undefined && through.past === past)
    return { ...through, ranks: [...through.ranks.slice(0, -1), ...path] };
  return narrowed(through, { kind: "along", ranks: path, past });
}

// The calls of a box or node as a selection: null where its method is another one, as of a caller in a graph from the bottom up, or
// where they are all calls of the method that are seen.
export function chosenOf(through: Lens | null, calls: Lens | null, rank: number): Lens | null {
  if (calls === null || lensRank(calls) !== rank) return null;
  const isAll =
    (calls.kind === "upwards" || calls.kind === "methods") &&
    calls.ranks.length === 1 &&
    calls.lasting === undefined &&
    sameLens(calls.before ?? null, through);
  return isAll || sameLens(calls, through) ? null : calls;
}

// A step from a lens; null where the lens has as many steps as the program takes.
export function narrowed(through: Lens | null, step: Lens): Lens | null {
  if (through === null) return step;
  return stepsOf(through).length >= MAX_STEPS ? null : { ...step, before: through };
}

// The calls of a method that last as long as a bar says, seen through a lens. A bar of the calls of the lens itself takes its
// place, for it is a part of it.
export function lensOfBar(through: Lens | null, rank: number, lasting: Lasting): Lens | null {
  if (through !== null && through.kind !== "within" && lensRank(through) === rank) {
    const { lasting: known } = through;
    if (known === undefined || known.measure === lasting.measure) {
      const from = Math.max(lasting.from, known?.from ?? 0);
      const below = Math.min(lasting.below ?? Infinity, known?.below ?? Infinity);
      return {
        ...through,
        lasting: { ...lasting, from, below: below === Infinity ? null : below },
      };
    }
  }
  return narrowed(through, { kind: "methods", ranks: [rank], lasting });
}

export function sameLens(a: Lens | null, b: Lens | null): boolean {
  return lensCalls(a) === lensCalls(b);
}
