// All calls of the selected method, in the range and threads chosen.

import { effect, signal, type Signal } from "@preact/signals";
import { callsSortQuery } from "../../model/calls/calls-columns";
import type { CallRow, CallsPage } from "../../model/trace";
import { createLazyList, type LazyList } from "./lazy-list";
import type { Store } from "../store";
import type { TableState } from "./tables";

const PAGE = 200;

export type CallsHead = Omit<CallsPage, "calls">;

// The limits of the calls listed: at least `min` and less than `max` on the clock in use.
export interface Limits {
  readonly min: number;
  readonly max: number;
}

export interface Calls extends LazyList<CallsHead, CallRow> {
  readonly limits: Signal<Limits | null>;
}

export function createCalls(store: Store, table: TableState): Calls {
  const limits = signal<Limits | null>(null);
  const pages = createLazyList<CallsHead, CallRow>(
    () => {
      const rank = store.method.value;
      if (rank === null || store.tab.value !== "calls") return null;
      // Hidden packages hide methods, and here are the calls of one method.
      const { hide: _, ...scope } = store.selected.value;
      return {
        ...scope,
        method: rank,
        ...callsSortQuery(table.sort.value, store.measure.value),
        ...limits.value,
      };
    },
    async (query, abort) => {
      const answer = await store.api.calls(query, abort);
      const { calls: rows, ...head } = answer;
      return { head, rows };
    },
    PAGE,
  );
  // The limits come from a bar of one method's histogram and mean nothing for another method.
  effect(() => {
    void store.method.value;
    void store.measure.value;
    void store.selectedCalls.value;
    limits.value = null;
  });
  return { ...pages, limits };
}
