// The calling context tree, asked for level by level as it is opened, with callees downwards (Tree)
// or callers upwards (Callers).

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { sortRows, type TableColumn, type TableSort } from "../../model/table/table";
import { timeOn, type Measure, type Times, type TreeLevel } from "../../model/trace";
import { flattenTree, pathKey, type TreePath, type TreeRow } from "../../model/tree/tree";
import { treeColumns } from "../../model/tree/tree-columns";
import { isAbort, messageOf } from "../loader";
import type { Store } from "../store";
import { besideKey, besideKind, besideTrace } from "./before";
import { loadLevel, type Way } from "./tree-levels";

const NODES = 200;
const MORE_TIMES = 10;
// The most siblings that are listed; the filter finds others.
const MOST_NODES = 20_000;
// A node that opens also opens its largest callee, and so on down, as long as the callee takes at
// least this share of the level.
const FOLLOW_SHARE = 0.9;
const FOLLOW_DEPTH = 24;

export interface Tree {
  readonly isInverted: boolean;
  readonly rows: ReadonlySignal<readonly TreeRow[]>;
  readonly columns: ReadonlySignal<readonly TableColumn<TreeRow>[]>;
  readonly total: ReadonlySignal<Times>;
  // The same for the inclusive times of methods in Callers.
  readonly methodTotal: ReadonlySignal<Times>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
  toggle(path: TreePath): void;
  // Opens the path that holds most of the time.
  openHeaviest(path: TreePath): void;
  // Opens the tree along a stack, from the root on. Methods of the stack that the tree does not have
  // there, as hidden ones, are left out.
  openAlong(stack: readonly number[]): void;
  isOpen(path: TreePath): boolean;
  // Lists more of the children of the path.
  loadMore(path: TreePath): void;
  closeAll(): void;
}

interface TreeOptions {
  readonly isInverted: boolean;
  // The path below which the rows begin; null asks for nothing.
  base(): TreePath | null;
  sort(): TableSort | null;
}

export function createTree(store: Store, options: TreeOptions): Tree {
  const levels = signal<ReadonlyMap<string, TreeLevel>>(new Map());
  const opened = signal<ReadonlySet<string>>(new Set());
  const total = signal<Times>({});
  const methodTotal = signal<Times>({});
  const error = signal<string | null>(null);
  const running = signal(0);
  const limits = new Map<string, number>();
  let abort = new AbortController();
  let asked = "";

  const isBase = (path: TreePath): boolean => pathKey(path) === pathKey(options.base() ?? []);

  // Keeps the level, and those that came with it: the next is the first node's.
  const keep = (path: TreePath, level: TreeLevel): void => {
    const next = new Map(levels.peek());
    let at = path;
    for (let here: TreeLevel | undefined = level; here !== undefined; here = here.below) {
      next.set(pathKey(at), here);
      const [first] = here.nodes;
      if (first === undefined) break;
      at = [...at, first.method.rank];
    }
    levels.value = next;
  };

  const fetchLevel = async (path: TreePath, way: Way | null): Promise<TreeLevel | null> => {
    const key = pathKey(path);
    const have = levels.peek().get(key);
    if (have !== undefined) return have;
    const mine = abort;
    running.value += 1;
    try {
      const limit = limits.get(key) ?? NODES;
      const level = await loadLevel(
        store,
        path,
        options.isInverted,
        limit,
        options.sort(),
        way,
        mine.signal,
      );
      if (mine !== abort) return null;
      keep(path, level);
      if (isBase(path)) {
        const isOfOne = options.isInverted && path.length > 0;
        total.value = isOfOne ? sumOf(level, "inclusive") : level.total;
        methodTotal.value = isOfOne ? sumOf(level, "methodInclusive") : level.total;
      }
      error.value = null;
      return level;
    } catch (problem) {
      if (!isAbort(problem) && mine === abort) error.value = messageOf(problem);
      return null;
    } finally {
      running.value -= 1;
    }
  };

  // The tree counts as loading until the whole path has been opened.
  const follow = async (path: TreePath, share: number, left: number): Promise<void> => {
    running.value += 1;
    try {
      await step(path, share, left);
    } finally {
      running.value -= 1;
    }
  };

  const step = async (path: TreePath, share: number, left: number): Promise<void> => {
    opened.value = new Set(opened.peek()).add(pathKey(path));
    const level = await fetchLevel(path, { share, levels: left + 1 });
    const first = level?.nodes[0];
    if (first === undefined || left === 0 || !first.hasChildren) return;
    const measure = store.measure.peek();
    const sum = (level?.nodes ?? []).reduce(
      (all, node) => all + (timeOn(node.inclusive, measure) ?? 0),
      0,
    );
    if ((timeOn(first.inclusive, measure) ?? 0) < sum * share) return;
    await follow([...path, first.method.rank], share, left - 1);
  };

  const openAlong = async (stack: readonly number[]): Promise<void> => {
    let path: TreePath = options.base() ?? [];
    for (const rank of stack) {
      const level = await fetchLevel(path, null);
      if (level?.nodes.some((node) => node.method.rank === rank) !== true) continue;
      if (!isBase(path)) opened.value = new Set(opened.peek()).add(pathKey(path));
      path = [...path, rank];
    }
  };

  const openedBelow = (base: TreePath): string[] =>
    [...opened.peek()].filter((key) => base.length === 0 || key.startsWith(`${pathKey(base)}.`));

  // Whether the path that holds most of the time is opened at first.
  const opensFirst = (base: TreePath): boolean =>
    openedBelow(base).length === 0 && !(options.isInverted && base.length === 0);

  // Opening begins with the first node, however small its share is, so the level below it is asked for apart where
  // it is small.
  const firstWay = (base: TreePath): Way | null =>
    opensFirst(base) ? { share: FOLLOW_SHARE, levels: FOLLOW_DEPTH + 2 } : null;

  const openFirst = (level: TreeLevel | null): void => {
    const first = level?.nodes[0];
    const base = options.base();
    if (first === undefined || base === null || !opensFirst(base)) return;
    void follow([...base, first.method.rank], FOLLOW_SHARE, FOLLOW_DEPTH);
  };

  effect(() => {
    const base = options.base();
    const scope = store.filtered.value;
    const ops = store.ops.value;
    if (base === null || store.info.value === null) return;
    const key = JSON.stringify([
      scope,
      base,
      ops,
      options.sort(),
      besideTrace(store),
      besideKey(store),
    ]);
    if (key === asked) return;
    untracked(() => {
      asked = key;
      abort.abort();
      abort = new AbortController();
      levels.value = new Map();
      limits.clear();
      void fetchLevel(base, firstWay(base)).then(openFirst);
      // Nodes that were open stay open if they still exist.
      for (const path of openedBelow(base)) void fetchLevel(path.split(".").map(Number), null);
    });
  });

  const columns = computed(() =>
    treeColumns({
      clocks: store.info.value?.clocks ?? [],
      measure: store.measure.value,
      total: total.value,
      isInverted: options.isInverted,
      isSampled: store.info.value?.sampled === true,
      ...(store.ops.value.length === 0 ? besideKind(store) : {}),
    }),
  );

  return {
    isInverted: options.isInverted,
    rows: computed(() =>
      flattenTree(options.base() ?? [], levels.value, opened.value, (siblings) =>
        sortRows(siblings, columns.value, options.sort()),
      ),
    ),
    columns,
    total,
    methodTotal,
    isLoading: computed(() => running.value > 0),
    error,
    isOpen: (path) => opened.value.has(pathKey(path)),
    toggle: (path) => {
      const next = new Set(opened.peek());
      if (next.delete(pathKey(path))) opened.value = next;
      else void follow(path, FOLLOW_SHARE, FOLLOW_DEPTH);
    },
    loadMore: (path) => {
      const key = pathKey(path);
      limits.set(key, Math.min(MOST_NODES, (limits.get(key) ?? NODES) * MORE_TIMES));
      const rest = new Map(levels.peek());
      rest.delete(key);
      levels.value = rest;
      void fetchLevel(path, null);
    },
    openAlong: (stack) => void openAlong(stack),
    openHeaviest: (path) => void follow(path, 0, 60),
    closeAll: () => (opened.value = new Set()),
  };
}

// The whole that shares are of among the callers of one method: what the method itself took for them.
function sumOf(level: TreeLevel, side: "inclusive" | "methodInclusive"): Times {
  const sumOn = (measure: Measure): number =>
    level.nodes.reduce((all, node) => all + (node[side]?.[measure] ?? 0), level.rest ?? 0);
  const known = (["wall", "cpu", "wait"] as const).filter(
    (measure) => level.total[measure] !== undefined,
  );
  return Object.fromEntries(known.map((measure) => [measure, sumOn(measure)]));
}
