// Two calls of the trace that are compared: their timelines, which have one view from the start of both, their tree, and what
// each of them waited for.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { formatDuration } from "../../base/format";
import { fitRange, sameRange, type Range } from "../../base/time";
import { waitText, type Detail } from "../../model/detail/detail";
import { nameApart } from "../../model/names";
import { pairSpan, type CallPairDetail, type Waiting } from "../../model/pair/pair-text";
import type { PairSide } from "../../model/pair/pair-tree";
import { sameCall, type CallDetail } from "../../model/trace";
import { createLoader, type Loaded } from "../loader";
import type { Store } from "../store";
import { createTiles, type TileCache } from "../tiles";
import { askMeanwhile } from "./meanwhile";
import { createPairTree, type PairTree } from "./pair-tree";
import type { Tables } from "./tables";

export interface SideTold extends Waiting {
  readonly detail: Detail;
}

export interface SidesTold extends Readonly<Record<PairSide, SideTold>> {
  // Of which calls.
  readonly pair: CallPairDetail;
}

export interface PairPanel {
  // From the start of both; never beyond the end of the longer one.
  readonly view: ReadonlySignal<Range>;
  // How far both stacks are scrolled, in pixels.
  readonly scrollTop: Signal<number>;
  readonly tiles: Readonly<Record<PairSide, TileCache>>;
  readonly tree: PairTree;
  // Null until it is there.
  readonly told: ReadonlySignal<SidesTold | null>;
  // What the pointer is on, in words.
  readonly pointed: Signal<string>;
  // Whether the table below is the tree of both calls, or all methods.
  readonly isTree: Signal<boolean>;
  show(view: Range): void;
}

// What ran while the longest wait of a call lasted.
async function meanwhileOf(store: Store, detail: Detail, abort: AbortSignal): Promise<string> {
  const info = store.info.peek();
  const [row] = detail.waits;
  const longest = row?.longest ?? null;
  if (info === null || row === undefined || longest === null) return "";
  if (!info.clocks.includes("cpu")) return "";
  const what = await askMeanwhile(store, info, longest, "cpu", abort);
  const ns = longest.end - longest.start;
  return `During the ${formatDuration(ns)} of the ${nameApart(row.method)} that waited longest: ${what}`;
}

async function tell(store: Store, call: CallDetail, abort: AbortSignal): Promise<SideTold> {
  const { thread, depth, call: number } = call;
  const clock = store.measure.peek();
  const detail = await store.api.detail({ thread, depth, call: number, clock }, abort);
  const text = waitText(detail, nameApart);
  return { detail, text, meanwhile: await meanwhileOf(store, detail, abort) };
}

function samePair(a: CallPairDetail, b: CallPairDetail | null): boolean {
  return b !== null && sameCall(a.new, b.new) && sameCall(a.old, b.old);
}

export function createPair(
  store: Store,
  tables: Tables,
  calls: ReadonlySignal<Loaded<CallPairDetail>>,
): PairPanel {
  const isShown = (): boolean => store.tab.value === "changes" && store.isPictured.value;
  const isTree = signal(true);
  // The pair that the answer is of: while another one is on its way, the last answer stays.
  const shown = computed(() => (store.beside.value === null ? null : calls.value.value));
  const span = computed(() => (shown.value === null ? { from: 0, to: 1 } : pairSpan(shown.value)));
  const chosen = signal<Range | null>(null);
  const scrollTop = signal(0);
  const tiles = {
    this: createTiles(store.api, store.report),
    other: createTiles(store.api, store.report),
  };
  const told = createLoader(
    () => {
      const pair = shown.value;
      if (pair === null || !isShown()) return null;
      return { pair, measure: store.measure.value };
    },
    async ({ pair }, abort): Promise<SidesTold> => {
      const [own, other] = await Promise.all([
        tell(store, pair.new, abort),
        tell(store, pair.old, abort),
      ]);
      return { pair, this: own, other };
    },
  );
  effect(() => {
    void span.value;
    chosen.value = null;
    scrollTop.value = 0;
  });
  return {
    view: computed(() => {
      const range = chosen.value;
      return range === null ? span.value : fitRange(range, span.value.to);
    }),
    scrollTop,
    tiles,
    tree: createPairTree(store, isShown, () => tables.pair.sort.value),
    told: computed(() => {
      const { value } = told.value;
      return value !== null && samePair(value.pair, shown.value) ? value : null;
    }),
    pointed: signal(""),
    isTree,
    show: (view) => {
      const next = fitRange(view, span.peek().to);
      chosen.value = sameRange(next, span.peek()) ? null : next;
    },
  };
}
