// All calls of the selected method, in the range and threads chosen.

import { signal, type Signal } from "@preact/signals";
import type { CallRow, CallsPage } from "../model/trace";
import { createPages, type Pages } from "./pages";
import type { Store } from "./store";

const PAGE = 200;

export type CallsOrder = "slowest" | "first";
export type CallsHead = Omit<CallsPage, "calls">;

export interface Calls extends Pages<CallsHead, CallRow> {
  readonly order: Signal<CallsOrder>;
}

export function createCalls(store: Store): Calls {
  const order = signal<CallsOrder>("slowest");
  const pages = createPages<CallsHead, CallRow>(
    () => {
      const rank = store.method.value;
      if (rank === null || store.tab.value !== "calls") return null;
      // Packages cannot be hidden from the calls of one method.
      const { hide: _, ...scope } = store.scope.value;
      return { ...scope, method: rank, sort: order.value };
    },
    async (query, abort) => {
      const answer = await store.api.calls(query, abort);
      const { calls: rows, ...head } = answer;
      return { head, rows };
    },
    PAGE,
  );
  return { ...pages, order };
}
