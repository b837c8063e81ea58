// Brings the selected method into sight in the tree, wherever it was selected: opens the tree along
// the method's longest call, and scrolls to its row.

import { useSignalEffect, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isAbort } from "../../state/loader";
import type { TreeRow } from "../../model/tree/tree";
import type { Tree } from "../../state/panels/tree";
import { useApp } from "../shared/context";
import type { ShowRow } from "../table/virtual-rows";

export function useTreeSight(
  tree: Tree,
  table: "tree" | "callers",
  show: Signal<ShowRow | null>,
): void {
  const { store, panels } = useApp();
  const { cursor } = panels.tables[table];
  const last = useRef<Sight>(sightOf(null));

  const open = async (rank: number, abort: AbortSignal): Promise<void> => {
    const { hide: _, ...scope } = store.listed.peek();
    const { calls } = await store.api.calls({ ...scope, method: rank, n: 1 }, abort);
    const [longest] = calls;
    if (longest === undefined) return;
    const { thread, depth, call } = longest;
    const { stack } = await store.api.call({ thread, depth, call }, abort);
    if (!abort.aborted) tree.openAlong(stack[stack.length - 1] === rank ? stack : [...stack, rank]);
  };
  useSignalEffect(() => {
    const rank = store.method.value;
    const rows = tree.rows.value;
    const isLoading = tree.isLoading.value;
    if (last.current.rank !== rank) {
      last.current.abort.abort();
      last.current = sightOf(rank);
    }
    const sight = last.current;
    if (rank === null || sight.isShown || isLoading || rows.length === 0) return;
    const isOf = (row: TreeRow | undefined): boolean =>
      row?.kind === "node" && row.node.method.rank === rank;
    const index = rows.findIndex(isOf);
    if (index >= 0) {
      sight.isShown = true;
      if (isOf(rows[cursor.peek().at])) return;
      cursor.value = { at: index, anchor: index };
      show.value = { index, rows: 1 };
    } else if (!sight.isAsked && table === "tree" && store.ops.peek().length === 0) {
      sight.isAsked = true;
      open(rank, sight.abort.signal).catch(
        (problem: unknown) => isAbort(problem) || store.report(problem),
      );
    }
  });
}

// What was done for the selected method.
interface Sight {
  readonly rank: number | null;
  readonly abort: AbortController;
  isAsked: boolean;
  isShown: boolean;
}

function sightOf(rank: number | null): Sight {
  return { rank, abort: new AbortController(), isAsked: false, isShown: false };
}
