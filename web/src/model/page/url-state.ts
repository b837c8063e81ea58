// The state of the page that a link carries: ranges, threads as `id:name`, methods by full name, a
// call as thread, method and ordinal. No part of it depends on the width of a window or on numbers
// that change from one opening to the next.

import type { Range } from "../../base/time";
import { CHANGE_VIEWS, type FlameChoice } from "../changes/change-flame";
import { readMatched, type Matched } from "../changes/matched";
import { isTraceName, readRuns, writeRuns, type Runs } from "../changes/runs";
import type { Sort, SortKey } from "../profile/columns";
import { BESIDE_KEYS } from "../profile/old-columns";
import {
  readCall,
  readRange,
  readThreads,
  writeCall,
  writeRange,
  writeThreads,
  type CallName,
  type ThreadName,
} from "../link-parts";
import type { GroupBy } from "../profile/group";
import { readAlign, writeAlign, type OldView } from "../timeline/beside";
import { MAX_MARKS, readMark, writeMark, type Mark } from "../timeline/marks";
import type { NamedLens } from "../lens";
import { readOp, writeOp, type NamedOp } from "../ops";
import type { Measure } from "../trace";
import { chosenParams, lensParams, readChosen, readLens } from "./lens-link";
import { readStory, writeStory, type Story } from "./story";

export const TABS = [
  "profile",
  "flame",
  "tree",
  "callers",
  "calls",
  "trace",
  "insights",
  "frames",
  "changes",
] as const;
export type Tab = (typeof TABS)[number];

export type { CallName, ThreadName } from "../link-parts";

export interface CallPair {
  readonly old: string;
  readonly new: string;
}

export interface UrlState {
  readonly view: Range | null;
  readonly crumbs: readonly Range[];
  readonly picked: Range | null;
  readonly threads: readonly ThreadName[] | null;
  readonly unfolded: readonly ThreadName[] | null;
  readonly pinned: readonly ThreadName[];
  readonly hidden: readonly ThreadName[];
  readonly order: readonly ThreadName[];
  readonly marks: readonly Mark[];
  readonly method: string | null;
  readonly call: CallName | null;
  readonly tab: Tab;
  readonly measure: Measure | null;
  readonly sort: Sort | null;
  readonly search: string;
  readonly filter: string;
  readonly without: readonly string[];
  // The packages that "my code only" hides; null: it is off.
  readonly mine: readonly string[] | null;
  readonly ops: readonly NamedOp[];
  // The methods from the flame graph's root to the box that it is zoomed to; of what changed, the names of the boxes.
  readonly zoom: readonly string[];
  // The calls that all panels are limited to; null: all.
  readonly lens: NamedLens | null;
  readonly chosenCalls: NamedLens | null;
  readonly isInverted: boolean;
  // The flame graph has one method between its callers and callees: its name, or empty for the selected one; null: it has not.
  readonly middle: string | null;
  readonly isInTime: boolean;
  readonly groupBy: GroupBy;
  readonly isCallersOfAll: boolean;
  // Whether lists of waits count threads that only waited.
  readonly isIdleCounted: boolean;
  // The trace that this one is compared with, as its source names it; null: none is.
  readonly against: string | null;
  // All runs of both sides, where there are more than these two traces; null: there are not.
  readonly runs: Runs | null;
  // Methods of that trace and of this one that are matched by hand.
  readonly matched: readonly Matched[];
  // How the flame graph shows what changed since that trace; null: it shows this one alone.
  readonly flameChoice: FlameChoice | null;
  // Two calls that are compared, the other one first, each as THREAD.DEPTH.CALL; null: none are.
  readonly beside: CallPair | null;
  // How the timeline of that trace is shown.
  readonly oldView: OldView;
  readonly story: Story | null;
  // The hash of the trace that the link was made of; null: it does not say.
  readonly trace: string | null;
}

const SORT_KEYS: readonly SortKey[] = [
  "name",
  "inclusive",
  "exclusive",
  "calls",
  "per-call",
  ...BESIDE_KEYS,
];
const GROUPINGS: readonly GroupBy[] = ["method", "class", "package"];
// The most methods of a zoomed path that a link carries; a longer link could not be sent.
const MAX_ZOOM = 200;
const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];

function readSort(text: string | null): Sort | null {
  const [key, clock, order] = (text ?? "").split(".");
  const knownKey = SORT_KEYS.find((known) => known === key);
  const knownClock = MEASURES.find((known) => known === clock);
  if (knownKey === undefined || knownClock === undefined) return null;
  return { key: knownKey, clock: knownClock, order: order === "asc" ? "asc" : "desc" };
}

export function writeUrl(state: UrlState): string {
  const params: [string, string][] = [];
  if (state.tab !== "profile") params.push(["tab", state.tab]);
  if (state.measure !== null) params.push(["clock", state.measure]);
  if (state.crumbs.length > 0) params.push(["range", state.crumbs.map(writeRange).join(",")]);
  if (state.view !== null) params.push(["view", writeRange(state.view)]);
  if (state.picked !== null) params.push(["picked", writeRange(state.picked)]);
  if (state.threads !== null) params.push(["threads", writeThreads(state.threads)]);
  if (state.unfolded !== null) params.push(["open", writeThreads(state.unfolded)]);
  if (state.pinned.length > 0) params.push(["pin", writeThreads(state.pinned)]);
  if (state.hidden.length > 0) params.push(["hide", writeThreads(state.hidden)]);
  if (state.order.length > 0) params.push(["order", writeThreads(state.order)]);
  for (const mark of state.marks) params.push(["mark", writeMark(mark)]);
  if (state.call !== null) params.push(["call", writeCall(state.call)]);
  else if (state.method !== null) params.push(["method", state.method]);
  if (state.sort !== null)
    params.push(["sort", `${state.sort.key}.${state.sort.clock}.${state.sort.order}`]);
  if (state.search !== "") params.push(["search", state.search]);
  if (state.filter !== "") params.push(["filter", state.filter]);
  if (state.without.length > 0) params.push(["without", state.without.join(",")]);
  if (state.mine !== null) params.push(["mine", state.mine.join(",")]);
  if (state.groupBy !== "method") params.push(["group", state.groupBy]);
  if (state.isInverted) params.push(["flame", "inverted"]);
  if (state.middle !== null) params.push(["middle", state.middle]);
  if (state.isInTime) params.push(["siblings", "time"]);
  if (state.isCallersOfAll) params.push(["callers", "all"]);
  if (state.isIdleCounted) params.push(["idle", "counted"]);
  for (const op of state.ops) params.push(["op", writeOp(op)]);
  if (state.against !== null) params.push(["against", state.against]);
  for (const { old, new: now } of state.matched) params.push(["matched", old], ["as", now]);
  if (state.runs !== null) params.push(["runs", writeRuns(state.runs)]);
  if (state.flameChoice !== null) {
    const { view, isByShare } = state.flameChoice;
    params.push(["change", isByShare ? `${view}.share` : view]);
  }
  params.push(...lensParams(state.lens), ...chosenParams(state.chosenCalls));
  if (state.beside !== null) params.push(["beside", `${state.beside.old},${state.beside.new}`]);
  params.push(...oldViewParams(state.oldView));
  if (state.story !== null) params.push(["story", writeStory(state.story)]);
  if (state.trace !== null) params.push(["trace", state.trace]);
  if (state.zoom.length <= MAX_ZOOM) for (const name of state.zoom) params.push(["zoom", name]);
  return params.map(([key, value]) => `${key}=${escapeValue(value)}`).join("&");
}

function oldViewParams({ align, isHidden }: OldView): [string, string][] {
  const params: [string, string][] = [];
  if (align.kind !== "start") params.push(["align", writeAlign(align)]);
  if (isHidden) params.push(["old", "hidden"]);
  return params;
}

// The fragment of an address, with the trace that it is about.
export function withTrace(fragment: string, hash: string | null): string {
  return writeUrl({ ...readUrl(fragment), trace: hash });
}

// Escapes the characters that a fragment cannot hold; other signs stay readable.
function escapeValue(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(2C|3A|2F|24|28|29|3B|40|7C)/g, (code) => decodeURIComponent(code))
    .replaceAll("%20", "+");
}

function pairOf(text: string | null): CallPair | null {
  const found = /^(\d+\.\d+\.\d+),(\d+\.\d+\.\d+)$/.exec(text ?? "");
  return found === null ? null : { old: found[1] ?? "", new: found[2] ?? "" };
}

// A number of a viewer's, or an id of a site's: nothing else can stand in an address.
function againstOf(text: string | null): string | null {
  return text !== null && isTraceName(text) ? text : null;
}

function flameChoiceOf(text: string | null): FlameChoice | null {
  const [word, share] = (text ?? "").split(".");
  const view = CHANGE_VIEWS.find((known) => known === word);
  return view === undefined ? null : { view, isByShare: share === "share" };
}

function packagesOf(text: string): string[] {
  return text.split(",").filter((name) => name !== "");
}

export function readUrl(fragment: string): UrlState {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const call = readCall(params.get("call"));
  return {
    view: readRange(params.get("view")),
    crumbs: (params.get("range") ?? "").split(",").flatMap((text) => readRange(text) ?? []),
    picked: readRange(params.get("picked")),
    threads: readThreads(params.get("threads")),
    unfolded: readThreads(params.get("open")),
    pinned: readThreads(params.get("pin")) ?? [],
    hidden: readThreads(params.get("hide")) ?? [],
    order: readThreads(params.get("order")) ?? [],
    marks: params
      .getAll("mark")
      .slice(0, MAX_MARKS)
      .flatMap((text) => readMark(text) ?? []),
    method: call?.method ?? params.get("method"),
    call,
    tab: TABS.find((tab) => tab === params.get("tab")) ?? "profile",
    measure: MEASURES.find((measure) => measure === params.get("clock")) ?? null,
    sort: readSort(params.get("sort")),
    search: params.get("search") ?? "",
    filter: params.get("filter") ?? "",
    without: packagesOf(params.get("without") ?? ""),
    mine: params.has("mine") ? packagesOf(params.get("mine") ?? "") : null,
    ops: params.getAll("op").flatMap((text) => readOp(text) ?? []),
    zoom: params.getAll("zoom").slice(0, MAX_ZOOM),
    lens: readLens(params),
    chosenCalls: readChosen(params),
    isInverted: params.get("flame") === "inverted",
    middle: params.get("middle"),
    isInTime: params.get("siblings") === "time",
    groupBy: GROUPINGS.find((by) => by === params.get("group")) ?? "method",
    isCallersOfAll: params.get("callers") === "all",
    isIdleCounted: params.get("idle") === "counted",
    against: againstOf(params.get("against")),
    runs: readRuns(params.get("runs")),
    matched: readMatched(params.getAll("matched"), params.getAll("as")),
    flameChoice: flameChoiceOf(params.get("change")),
    beside: pairOf(params.get("beside")),
    oldView: {
      align: readAlign(params.get("align")),
      isHidden: params.get("old") === "hidden",
    },
    story: readStory(params.get("story")),
    trace: params.get("trace"),
  };
}
