// What can be asked about a trace: each question with its answer's type. Whoever answers is a source.

import type { PageFile } from "../model/page/single-file";
import type { BeforeAnswer } from "../model/before";
import type { ChangeFlame } from "../model/changes/change-flame";
import type { FlameAnswer } from "../model/flame/flame";
import type {
  CallDetail,
  CallsPage,
  FoundPage,
  Method,
  Overflow,
  ProfilePage,
  Relations,
  SearchAnswer,
  SetTotals,
  ThreadLevels,
  TreeLevel,
} from "../model/trace";
import type { Changes } from "../model/changes/changes";
import type { ExportFormat, ExportProgress } from "../model/page/download";
import type { RedactionPreview } from "../model/page/redaction";
import type { Detail } from "../model/detail/detail";
import type { Curve } from "../model/timeline/curve";
import type { Lanes } from "../model/timeline/lanes";
import type { Insights } from "../model/insights/insights";
import type { GroupPage } from "../model/profile/group";
import type { WindowAnswer } from "../model/timeline/boxes";
import type { WaitFacts } from "../model/waits";
import { plural } from "../base/format";
import { BadAnswer, type Fields } from "./check";
import {
  decodeGroups,
  decodeOrder,
  decodeOverflow,
  decodeProfile,
  decodeRelations,
  decodeSearch,
  decodeTree,
  leftOutOf,
} from "./decode";
import { decodeCall, decodeCalls, decodeLevels } from "./decode-calls";
import { decodeBefore, decodeChanges } from "./decode-changes";
import { decodeDetail } from "./decode-detail";
import { decodeFirst, type First } from "./decode-first";
import { decodeExporting, decodeExports, decodeExportName, decodePreview } from "./decode-exports";
import { decodeFound, decodeWaitFacts, decodeTotals } from "./decode-found";
import { decodeCurve, decodeLanes } from "./decode-lanes";
import { decodeInsights } from "./decode-insights";
import { decodeMethods } from "./decode-methods";
import { decodeChangeFlame, decodeFlame, decodeWindow } from "./packed";
import { createTurns, onceRead, Refused } from "./request";
import { withWrittenNames } from "./spelling";
import type { Abilities, Query, Source, TraceName } from "./source";

export interface Api {
  readonly can: Abilities;
  // What the page asks first: the trace and the settings. The program holds the answer back for a
  // moment when a trace is about to be there.
  first(signal: AbortSignal): Promise<First>;
  top(query: Query, signal: AbortSignal): Promise<ProfilePage>;
  // What a full buffer cost; null where none was full.
  overflow(signal: AbortSignal): Promise<Overflow | null>;
  insights(signal: AbortSignal): Promise<Insights>;
  lanes(signal: AbortSignal): Promise<Lanes>;
  // What the methods of the page of rows took together.
  set(query: Query, signal: AbortSignal): Promise<SetTotals>;
  // The threads that the answer of `top` leaves out because they only waited, and what is not recorded of its waits.
  waitFacts(query: Query, signal: AbortSignal): Promise<WaitFacts>;
  groups(query: Query, signal: AbortSignal): Promise<GroupPage>;
  order(query: Query, signal: AbortSignal): Promise<number[]>;
  found(query: Query, signal: AbortSignal): Promise<FoundPage>;
  methods(ranks: readonly number[], signal: AbortSignal): Promise<Method[]>;
  callers(query: Query, signal: AbortSignal): Promise<Relations>;
  tree(query: Query, signal: AbortSignal): Promise<TreeLevel>;
  calls(query: Query, signal: AbortSignal): Promise<CallsPage>;
  call(query: Query, signal: AbortSignal): Promise<CallDetail>;
  // How deep each thread is when packages are hidden.
  levels(query: Query, signal: AbortSignal): Promise<ReadonlyMap<number, ThreadLevels>>;
  // Where the time of a call, a method or a range went.
  detail(query: Query, signal: AbortSignal): Promise<Detail>;
  // What changed from other traces of the source to this one.
  changes(query: Query, signal: AbortSignal): Promise<Changes>;
  // What methods were in another trace of the source.
  before(query: Query, signal: AbortSignal): Promise<BeforeAnswer>;
  // What one call did beside another one.
  callChanges(query: Query, signal: AbortSignal): Promise<Changes>;
  search(query: Query, signal: AbortSignal): Promise<SearchAnswer>;
  window(query: Query, signal: AbortSignal): Promise<WindowAnswer>;
  overview(query: Query, signal: AbortSignal): Promise<WindowAnswer>;
  curve(query: Query, signal: AbortSignal): Promise<Curve>;
  flame(query: Query, signal: AbortSignal): Promise<FlameAnswer>;
  // The flame graph of what changed from another trace of the source to this one.
  changeFlame(query: Query, signal: AbortSignal): Promise<ChangeFlame>;
  exports(signal: AbortSignal): Promise<ExportFormat[]>;
  // What redaction would do to an export.
  preview(query: Query, signal: AbortSignal): Promise<RedactionPreview>;
  // The name that the file of an export would have; refused where the export would be.
  exportName(query: Query): Promise<string>;
  // Has the file of an export saved; `exporting` tells by the id what becomes of it.
  saveExport(query: Query, id: number, name: string): void;
  exporting(id: number): Promise<ExportProgress>;
  cancelExport(id: number): Promise<void>;
  // The trace as one page, which is not saved yet.
  makePage(form: Query, signal: AbortSignal): Promise<PageFile>;
  saveSettings(change: Fields): Promise<void>;
}

// How answers are told to the user.
interface AnswerOptions {
  // Takes what the user should know of an answer besides its content.
  tell(text: string): void;
  // Whether methods have the names of the file, where a mapping gave them others.
  hasWrittenNames(): boolean;
}

async function askJson<T>(
  source: Source,
  trace: TraceName,
  { tell, hasWrittenNames }: AnswerOptions,
  route: string,
  query: Query,
  signal: AbortSignal,
  decode: (value: unknown) => T,
): Promise<T> {
  const answer = await source.ask(trace, route, query, signal);
  let value: unknown;
  try {
    value = await answer.json();
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new BadAnswer(`the program's answer to ${route} is no JSON`);
  }
  const leftOut = leftOutOf(value);
  if (leftOut > 0)
    tell(
      `The program's answer to “${route}” would be too long: ${plural(leftOut, "row")} of it ` +
        "are left out.",
    );
  return decode(hasWrittenNames() ? withWrittenNames(value) : value);
}

// What is asked about one of the source's traces.
export function createApi(source: Source, trace: TraceName, options: AnswerOptions): Api {
  const json = <T>(
    route: string,
    query: Query,
    signal: AbortSignal,
    decode: (value: unknown) => T,
  ): Promise<T> => askJson(source, trace, options, route, query, signal, decode);
  const packed = async <T>(
    route: string,
    query: Query,
    signal: AbortSignal,
    decode: (buffer: ArrayBuffer) => T,
  ): Promise<T> => decode(await (await source.ask(trace, route, query, signal)).arrayBuffer());
  const inTurn = createTurns();
  return {
    can: source.can,
    first: (signal) => json("first", {}, signal, decodeFirst),
    top: (query, signal) => json("top", query, signal, decodeProfile),
    overflow: (signal) => json("check", {}, signal, decodeOverflow),
    lanes: (signal) => json("lanes", {}, signal, decodeLanes),
    insights: (signal) => json("insights", {}, signal, decodeInsights),
    set: (query, signal) => json("top", query, signal, decodeTotals),
    waitFacts: (query, signal) => json("top", query, signal, decodeWaitFacts),
    groups: (query, signal) => json("top", query, signal, decodeGroups),
    order: (query, signal) => json("top", { ...query, ranks: 1, n: 1 }, signal, decodeOrder),
    found: (query, signal) => json("top", { ...query, ranks: 1, set: 1 }, signal, decodeFound),
    methods: (ranks, signal) => json("methods", { ranks: ranks.join(",") }, signal, decodeMethods),
    callers: (query, signal) => json("callers", query, signal, decodeRelations),
    tree: (query, signal) => json("tree", query, signal, decodeTree),
    calls: (query, signal) => json("calls", query, signal, decodeCalls),
    call: (query, signal) => json("call", query, signal, decodeCall),
    levels: (query, signal) => json("levels", query, signal, decodeLevels),
    detail: (query, signal) => json("detail", query, signal, decodeDetail),
    changes: (query, signal) => {
      const ask = () => onceRead(() => json("diff", query, signal, decodeChanges), signal);
      return `${query["old"]}${query["new"] ?? ""}`.includes(",") ? inTurn(ask) : ask();
    },
    before: (query, signal) => onceRead(() => json("before", query, signal, decodeBefore), signal),
    callChanges: (query, signal) => json("calldiff", query, signal, decodeChanges),
    search: (query, signal) => json("search", query, signal, decodeSearch),
    window: (query, signal) => packed("window", query, signal, decodeWindow),
    overview: (query, signal) => packed("overview", query, signal, decodeWindow),
    curve: (query, signal) => json("curve", query, signal, decodeCurve),
    flame: (query, signal) => packed("flame", query, signal, decodeFlame),
    changeFlame: (query, signal) =>
      onceRead(() => packed("flamediff", query, signal, decodeChangeFlame), signal),
    exports: (signal) => json("exports", {}, signal, decodeExports),
    preview: (query, signal) => json("preview", query, signal, decodePreview),
    exportName: (query) =>
      json("export", { ...query, check: 1 }, new AbortController().signal, decodeExportName),
    saveExport: source.saveExport,
    exporting: (id) => json("exporting", { id }, new AbortController().signal, decodeExporting),
    makePage: (form, signal) =>
      source.makePage?.(form, signal) ??
      Promise.reject(new Refused(404, "this page cannot make it")),
    cancelExport: source.cancelExport,
    saveSettings: source.saveSettings,
  };
}
