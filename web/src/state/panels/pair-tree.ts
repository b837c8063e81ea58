// The tree of two calls, asked for level by level as it is opened: one question to each call. At first the way of most of
// the change is open.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { placeOfCall } from "../../model/link-parts";
import { pairColumns } from "../../model/pair/pair-columns";
import {
  mostChanged,
  otherPath,
  pairChange,
  pairLevel,
  pairRoot,
  type PairLevel,
  type PairRow,
} from "../../model/pair/pair-tree";
import type { CallPair } from "../../model/page/url-state";
import { sortRows, type TableColumn, type TableSort } from "../../model/table/table";
import type { TreeLevel } from "../../model/trace";
import { flattenTree, pathKey, type TreePath } from "../../model/tree/tree";
import { isAbort, messageOf } from "../loader";
import type { Store } from "../store";

// All siblings: what changed most may be the one with the least time.
const MOST_SIBLINGS = 20_000;
const FOLLOW_SHARE = 0.5;
const FOLLOW_DEPTH = 12;

export const PAIR_SORT: TableSort = { column: "change-incl", order: "desc" };

export interface PairTree {
  readonly rows: ReadonlySignal<readonly PairRow[]>;
  readonly columns: ReadonlySignal<readonly TableColumn<PairRow>[]>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
  isOpen(path: TreePath): boolean;
  // Opens a node and the way of most of its change, or closes it.
  toggle(path: TreePath): void;
  closeAll(): void;
}

export function createPairTree(
  store: Store,
  isShown: () => boolean,
  sort: () => TableSort | null,
): PairTree {
  const levels = signal<ReadonlyMap<string, PairLevel>>(new Map());
  const opened = signal<ReadonlySet<string>>(new Set());
  const error = signal<string | null>(null);
  const running = signal(0);
  let abort = new AbortController();
  let asked: CallPair | null = null;
  // The method of the other call, with which its paths begin.
  let otherRank = 0;

  // What a call has at a path; null where it has nothing there.
  const ask = async (call: string, path: TreePath, signal: AbortSignal): Promise<TreeLevel> => {
    const { thread, depth, call: number } = placeOfCall(call);
    const level = await store.api.tree(
      {
        calls: `call:${thread}.${depth}.${number}`,
        n: MOST_SIBLINGS,
        ...(path.length === 0 ? {} : { path: path.join(".") }),
      },
      signal,
    );
    store.names.learn(level.nodes.map(({ method }) => method));
    return level;
  };

  const askBoth = async (pair: CallPair, path: TreePath, signal: AbortSignal) => {
    const node = path.length === 0 ? undefined : nodeAt(path);
    const has = (side: "this" | "other"): boolean => path.length <= 1 || node?.[side] !== null;
    const [own, other] = await Promise.all([
      has("this") ? ask(pair.new, path, signal) : null,
      has("other") ? ask(pair.old, otherPath(path, otherRank), signal) : null,
    ]);
    if (path.length > 0 || own === null || other === null) return pairLevel(own, other);
    otherRank = other.nodes[0]?.method.rank ?? 0;
    return pairRoot(own, other);
  };

  const nodeAt = (path: TreePath) =>
    levels
      .peek()
      .get(pathKey(path.slice(0, -1)))
      ?.nodes.find(({ method }) => method.rank === path[path.length - 1]);

  const fetchLevel = async (path: TreePath): Promise<PairLevel | null> => {
    const key = pathKey(path);
    const have = levels.peek().get(key);
    if (have !== undefined || asked === null) return have ?? null;
    const mine = abort;
    running.value += 1;
    try {
      const level = await askBoth(asked, path, mine.signal);
      if (mine !== abort) return null;
      levels.value = new Map(levels.peek()).set(key, level);
      error.value = null;
      return level;
    } catch (problem) {
      if (!isAbort(problem) && mine === abort) error.value = messageOf(problem);
      return null;
    } finally {
      running.value -= 1;
    }
  };

  // Opens the node, and below it the one that most of its change is in.
  const follow = async (path: TreePath, left: number): Promise<void> => {
    const mine = abort;
    const node = nodeAt(path);
    if (node?.hasChildren !== true) return;
    opened.value = new Set(opened.peek()).add(pathKey(path));
    const level = await fetchLevel(path);
    const measure = store.measure.peek();
    if (level === null || left === 0 || mine !== abort) return;
    const whole = pairChange(node, "inclusive", measure) ?? 0;
    const next = mostChanged(level, whole, FOLLOW_SHARE, measure);
    if (next !== null) await follow([...path, next.rank], left - 1);
  };

  effect(() => {
    const pair = store.beside.value;
    if (pair === null || !isShown() || pair === asked) return;
    untracked(() => {
      asked = pair;
      abort.abort();
      abort = new AbortController();
      levels.value = new Map();
      opened.value = new Set();
      error.value = null;
      void fetchLevel([]).then((level) => {
        const rank = level?.nodes[0]?.method.rank;
        return rank === undefined ? undefined : follow([rank], FOLLOW_DEPTH);
      });
    });
  });

  const columns = computed(() =>
    pairColumns(store.measure.value, store.info.value?.sampled === true),
  );

  return {
    rows: computed(() =>
      flattenTree([], levels.value, opened.value, (siblings) =>
        sortRows(siblings, columns.value, sort() ?? PAIR_SORT),
      ),
    ),
    columns,
    isLoading: computed(() => running.value > 0),
    error,
    isOpen: (path) => opened.value.has(pathKey(path)),
    toggle: (path) => {
      const next = new Set(opened.peek());
      if (next.delete(pathKey(path))) opened.value = next;
      else void follow(path, FOLLOW_DEPTH);
    },
    closeAll: () => (opened.value = new Set()),
  };
}
