// Keeps the number of levels that are the same all over the view. It becomes lower at once, as what
// it hides is no longer the same; it becomes higher when the view rests, so that nothing moves under
// the hand that zooms.

import { effect, untracked } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { leadOf } from "../../model/timeline/common-levels";
import type { Store } from "../../state/store";
import type { TimelineState } from "../../state/timeline";

const REST_MS = 200;

// The leads of the unfolded rows in the view, as far as their boxes are at hand; of the others the
// former.
function leadsNow(store: Store, width: number): Map<number, number> {
  const view = store.view.peek();
  const former = store.leads.peek();
  const leads = new Map<number, number>();
  for (const { thread, isUnfolded } of store.rows.peek().rows) {
    if (!isUnfolded) continue;
    const old = former.get(thread.id);
    const lead = leadOf(
      (group) => store.tiles.best(group, view, width),
      thread.id,
      thread.maxDepth,
      view,
      width,
    );
    const depths =
      lead === null ? old : lead.isKnown ? lead.depths : Math.max(lead.depths, old ?? 0);
    if (depths !== undefined) leads.set(thread.id, depths);
  }
  return leads;
}

function areSame(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  return a.size === b.size && [...a].every(([id, depths]) => b.get(id) === depths);
}

export function useLeads(store: Store, state: TimelineState): void {
  useLayoutEffect(() => {
    let timer = 0;
    const set = (leads: Map<number, number>): void => {
      if (!areSame(leads, store.leads.peek())) store.leads.value = leads;
    };
    const end = effect(() => {
      const { width } = state.size.value;
      void store.view.value;
      void store.tiles.version.value;
      void store.rows.value;
      self.clearTimeout(timer);
      if (width === 0) return;
      untracked(() => {
        const now = leadsNow(store, width);
        const former = store.leads.peek();
        const soon = new Map(
          [...now].map(([id, depths]) => [id, Math.min(depths, former.get(id) ?? depths)] as const),
        );
        set(soon);
        if (!areSame(soon, now))
          timer = self.setTimeout(() => set(leadsNow(store, width)), REST_MS);
      });
    });
    return () => {
      self.clearTimeout(timer);
      end();
    };
  }, []);
}
