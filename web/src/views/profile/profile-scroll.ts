// Scrolls the Profile to the selected method wherever it was selected, with its groups when it is
// open, and moves the cursor of the keyboard there.

import { useSignalEffect, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { placeOf } from "../../model/profile/profile-rows";
import { settled } from "../../state/loader";
import { useApp } from "../shared/context";
import type { ShowRow } from "../table/virtual-rows";

// The selected method that was brought into sight last: its rank, its opened rows, and the row it stands in.
interface Sight {
  readonly rank: number;
  readonly rows: number;
  readonly place: number;
}

const NOWHERE: Sight = { rank: -1, rows: 0, place: -1 };

export function useSelectedInSight(show: Signal<ShowRow | null>): void {
  const { store, panels } = useApp();
  const { profile, tables } = panels;
  const last = useRef(NOWHERE);
  useSignalEffect(() => {
    const rank = store.method.value;
    const open = profile.openings.value;
    const key = profile.sheet.value?.key;
    if (rank === null || key === undefined) {
      last.current = NOWHERE;
      return;
    }
    const mine =
      open.find((opening) => profile.row(opening.index)?.rank === rank)?.rows.length ?? 0;
    const isSame = last.current.rank === rank;
    const isShown = isSame && last.current.rows >= mine;
    last.current = { rank, rows: mine, place: isSame ? last.current.place : -1 };
    profile.indexOf(rank).then(
      (index) => {
        if (index === null || store.method.peek() !== rank) return;
        const place = placeOf(index, open);
        const isThereStill = last.current.place === place;
        last.current = { ...last.current, place };
        const { cursor } = tables.profile;
        const now = cursor.peek();
        const inside = open.find((opening) => opening.index === index)?.rows.length ?? 0;
        // A cursor inside the opened method, or one that marks rows, stays where it is; so does one that a key has led
        // to a row that is still on its way, when other rows come.
        const isOutside = now.at < place || now.at > place + inside;
        if (now.at === now.anchor && isOutside && !isThereStill)
          cursor.value = { at: place, anchor: place };
        if (!isShown) show.value = { index: place, rows: inside + 1 };
      },
      () => undefined, // A cancelled look-up: a newer one is under way, or the error shows in the table.
    );
  });
}

// Scrolls the Profile to the first method that a search finds, where none is selected: else the table of a link with a search
// shows nothing but what was not looked for.
export function useFoundInSight(show: Signal<ShowRow | null>): void {
  const { store, panels } = useApp();
  const { profile, found } = panels;
  const shown = useRef("");
  useSignalEffect(() => {
    const text = store.search.value;
    const first = settled(found.answer.value)?.ranks[0];
    if (text === "") shown.current = "";
    if (text === shown.current || first === undefined || profile.sheet.value === null) return;
    shown.current = text;
    if (store.method.peek() !== null) return;
    profile.indexOf(first).then(
      (index) => {
        if (index === null || store.search.peek() !== text || store.method.peek() !== null) return;
        show.value = { index: placeOf(index, profile.openings.peek()), rows: 1 };
      },
      () => undefined, // As above.
    );
  });
}
