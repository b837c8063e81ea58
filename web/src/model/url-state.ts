// What a link carries, by name: ranges, threads as `id:name`, methods by full name, a call as thread,
// method and ordinal. Nothing in it depends on the width of a window or on internal numbers.

import type { Range } from "../base/time";
import type { Sort, SortKey } from "./columns";
import type { Measure } from "./trace";

export const TABS = ["profile", "flame", "tree", "callers", "calls", "trace"] as const;
export type Tab = (typeof TABS)[number];

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

export interface UrlState {
  readonly view: Range | null;
  readonly crumbs: readonly Range[];
  readonly picked: Range | null;
  readonly threads: readonly ThreadName[] | null;
  readonly unfolded: readonly ThreadName[] | null;
  readonly method: string | null;
  readonly call: CallName | null;
  readonly tab: Tab;
  readonly measure: Measure | null;
  readonly sort: Sort | null;
  readonly search: string;
  readonly ops: string;
}

export const EMPTY_URL_STATE: UrlState = {
  view: null,
  crumbs: [],
  picked: null,
  threads: null,
  unfolded: null,
  method: null,
  call: null,
  tab: "profile",
  measure: null,
  sort: null,
  search: "",
  ops: "",
};

// Times are written in milliseconds with up to six decimals: exact, and readable.
function writeTime(ns: number): string {
  return String(Math.round(ns) / 1e6);
}

function writeRange(range: Range): string {
  return `${writeTime(range.from)}-${writeTime(range.to)}ms`;
}

function readRange(text: string | null): Range | null {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)ms$/.exec(text ?? "");
  if (match === null) return null;
  const from = Math.round(Number(match[1]) * 1e6);
  const to = Math.round(Number(match[2]) * 1e6);
  return from < to ? { from, to } : null;
}

// A comma in a name would end it: it is escaped as %2C, and % as %25.
function writeThread(thread: ThreadName): string {
  return `${thread.id}:${thread.name.replaceAll("%", "%25").replaceAll(",", "%2C").replaceAll("|", "%7C")}`;
}

function readThread(text: string): ThreadName | null {
  const match = /^(\d+):([\s\S]*)$/.exec(text);
  if (match === null) return null;
  const name = (match[2] ?? "")
    .replaceAll("%2C", ",")
    .replaceAll("%7C", "|")
    .replaceAll("%25", "%");
  return { id: Number(match[1]), name };
}

function readThreads(text: string | null): ThreadName[] | null {
  if (text === null) return null;
  return text.split(",").flatMap((part) => readThread(part) ?? []);
}

function readCall(text: string | null): CallName | null {
  const parts = (text ?? "").split("|");
  const thread = readThread(parts[0] ?? "");
  const ordinal = Number(parts[1]);
  const method = parts.slice(2).join("|");
  return thread === null || !(ordinal >= 1) || method === "" ? null : { thread, method, ordinal };
}

const SORT_KEYS: readonly SortKey[] = ["name", "inclusive", "exclusive", "calls", "per-call"];
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
  if (state.threads !== null) params.push(["threads", state.threads.map(writeThread).join(",")]);
  if (state.unfolded !== null) params.push(["open", state.unfolded.map(writeThread).join(",")]);
  if (state.call !== null)
    params.push([
      "call",
      `${writeThread(state.call.thread)}|${state.call.ordinal}|${state.call.method}`,
    ]);
  else if (state.method !== null) params.push(["method", state.method]);
  if (state.sort !== null)
    params.push(["sort", `${state.sort.key}.${state.sort.clock}.${state.sort.order}`]);
  if (state.search !== "") params.push(["search", state.search]);
  if (state.ops !== "") params.push(["ops", state.ops]);
  return params.map(([key, value]) => `${key}=${escapeValue(value)}`).join("&");
}

// Escapes what a fragment cannot hold, and keeps the rest readable.
function escapeValue(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(2C|3A|2F|24|28|29|3B|40|7C)/g, (code) => decodeURIComponent(code))
    .replaceAll("%20", "+");
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
    method: call?.method ?? params.get("method"),
    call,
    tab: TABS.find((tab) => tab === params.get("tab")) ?? "profile",
    measure: MEASURES.find((measure) => measure === params.get("clock")) ?? null,
    sort: readSort(params.get("sort")),
    search: params.get("search") ?? "",
    ops: params.get("ops") ?? "",
  };
}
