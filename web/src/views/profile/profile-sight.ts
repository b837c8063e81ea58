// Scrolls the Profile to the selected method wherever it was selected, with its groups when it is
// open, and moves the cursor of the keyboard there.

import { useSignalEffect, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { placeOf } from "../../model/profile/profile-rows";
import { useApp } from "../shared/context";
import type { ShowRow } from "../table/virtual-rows";

export function useSelectedInSight(show: Signal<ShowRow | null>): void {
  const { store, panels } = useApp();
  const { profile, tables } = panels;
  const last = useRef({ rank: -1, rows: 0 });
  useSignalEffect(() => {
    const rank = store.method.value;
    const open = profile.openings.value;
    const key = profile.sheet.value?.key;
    if (rank === null || key === undefined) {
      last.current = { rank: -1, rows: 0 };
      return;
    }
    const mine =
      open.find((opening) => profile.row(opening.index)?.rank === rank)?.rows.length ?? 0;
    const isShown = last.current.rank === rank && last.current.rows >= mine;
    last.current = { rank, rows: mine };
    profile.indexOf(rank).then(
      (index) => {
        if (index === null || store.method.peek() !== rank) return;
        const place = placeOf(index, open);
        const { cursor } = tables.profile;
        const now = cursor.peek();
        const inside = open.find((opening) => opening.index === index)?.rows.length ?? 0;
        // A cursor inside the opened method, or one that marks rows, stays where it is.
        if (now.at === now.anchor && (now.at < place || now.at > place + inside))
          cursor.value = { at: place, anchor: place };
        if (!isShown) show.value = { index: place, rows: inside + 1 };
      },
      () => undefined, // A cancelled look-up: a newer one is under way, or the error shows in the table.
    );
  });
}
