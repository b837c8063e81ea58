// The calling context tree, level by level as it is opened; callees downwards or callers upwards.

import { computed, effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import { flattenTree, pathKey, type TreePath, type TreeRow } from "../model/tree";
import { timeOn, type Times, type TreeLevel } from "../model/trace";
import { isAbort, messageOf } from "./loader";
import type { Store } from "./store";

const NODES = 200;
// Opening a node goes on along a path that holds nearly all of its time.
const FOLLOW_SHARE = 0.9;
const FOLLOW_DEPTH = 24;

export interface Tree {
  readonly rows: ReadonlySignal<readonly TreeRow[]>;
  readonly total: ReadonlySignal<Times>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<string | null>;
  toggle(path: TreePath): void;
  // Opens the path that holds most of the time.
  openHeaviest(path: TreePath): void;
  isOpen(path: TreePath): boolean;
  closeAll(): void;
}

export interface TreeOptions {
  readonly isInverted: boolean;
  // The path that the rows begin below; null asks for nothing.
  base(): TreePath | null;
}

export function createTree(store: Store, options: TreeOptions): Tree {
  const levels = signal<ReadonlyMap<string, TreeLevel>>(new Map());
  const opened = signal<ReadonlySet<string>>(new Set());
  const total = signal<Times>({});
  const error = signal<string | null>(null);
  const running = signal(0);
  let abort = new AbortController();
  let asked = "";

  const isBase = (path: TreePath): boolean => pathKey(path) === pathKey(options.base() ?? []);

  const fetchLevel = async (path: TreePath): Promise<TreeLevel | null> => {
    const key = pathKey(path);
    const have = levels.peek().get(key);
    if (have !== undefined) return have;
    const mine = abort;
    running.value += 1;
    try {
      const level = await store.api.tree(
        {
          ...store.scope.peek(),
          n: NODES,
          ...(path.length === 0 ? {} : { path: path.join(".") }),
          ...(options.isInverted ? { inverted: 1 } : {}),
        },
        mine.signal,
      );
      if (mine !== abort) return null;
      store.names.learn(level.nodes.map((node) => node.method));
      levels.value = new Map(levels.peek()).set(key, level);
      total.value = isBase(path)
        ? ownTotal(level, options.isInverted && path.length > 0)
        : total.peek();
      error.value = null;
      return level;
    } catch (problem) {
      if (!isAbort(problem)) error.value = messageOf(problem);
      return null;
    } finally {
      running.value -= 1;
    }
  };

  const follow = async (path: TreePath, share: number, left: number): Promise<void> => {
    opened.value = new Set(opened.peek()).add(pathKey(path));
    const level = await fetchLevel(path);
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

  const openedBelow = (base: TreePath): string[] =>
    [...opened.peek()].filter((key) => base.length === 0 || key.startsWith(`${pathKey(base)}.`));

  // At first the way to where the time is lies open.
  const openFirst = (level: TreeLevel | null): void => {
    const first = level?.nodes[0];
    const base = options.base();
    if (first === undefined || base === null || openedBelow(base).length > 0) return;
    if (options.isInverted && base.length === 0) return;
    void follow([...base, first.method.rank], FOLLOW_SHARE, FOLLOW_DEPTH);
  };

  effect(() => {
    const base = options.base();
    const scope = store.scope.value;
    if (base === null) return;
    const key = JSON.stringify([scope, base]);
    if (key === asked) return;
    untracked(() => {
      asked = key;
      abort.abort();
      abort = new AbortController();
      levels.value = new Map();
      void fetchLevel(base).then(openFirst);
      // What was open stays open, where it still exists.
      for (const path of openedBelow(base)) void fetchLevel(path.split(".").map(Number));
    });
  });

  return {
    rows: computed(() => flattenTree(options.base() ?? [], levels.value, opened.value)),
    total,
    isLoading: computed(() => running.value > 0),
    error,
    isOpen: (path) => opened.value.has(pathKey(path)),
    toggle: (path) => {
      const next = new Set(opened.peek());
      if (next.delete(pathKey(path))) opened.value = next;
      else void follow(path, FOLLOW_SHARE, FOLLOW_DEPTH);
    },
    openHeaviest: (path) => void follow(path, 0, 60),
    closeAll: () => (opened.value = new Set()),
  };
}

// What 100 % is: everything, or, among the callers of one method, that method's own time.
function ownTotal(level: TreeLevel, isOfOne: boolean): Times {
  if (!isOfOne) return level.total;
  const sumOn = (clock: "wall" | "cpu"): number =>
    level.nodes.reduce((all, node) => all + (node.inclusive[clock] ?? 0), 0);
  return {
    ...(level.total.wall === undefined ? {} : { wall: sumOn("wall") }),
    ...(level.total.cpu === undefined ? {} : { cpu: sumOn("cpu") }),
  };
}
