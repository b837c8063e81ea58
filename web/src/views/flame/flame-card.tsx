// The card of the box under the pointer.

import type { ReadonlySignal } from "@preact/signals";
import { boxLines } from "../../model/flame/flame-text";
import { callWords } from "../../model/words";
import { fullName, readableSignature } from "../../model/names";
import { Breakable } from "../shared/breakable";
import { CardLines } from "../shared/card-lines";
import { useApp } from "../shared/context";
import { HoverBox } from "../shared/hover-box";

export interface FlameHover {
  readonly ix: number;
  readonly x: number;
  readonly y: number;
}

export function FlameCard({ hover }: { hover: ReadonlySignal<FlameHover | null> }) {
  const { store, panels, menu } = useApp();
  const { flame } = panels;
  void store.names.version.value;
  const at = hover.value;
  const answer = flame.answer.value.value;
  if (menu.value !== null || at === null || answer === null) return null;
  const method = store.names.get(answer.rank[at.ix] ?? 0);
  const lines = boxLines(answer, at.ix, {
    measure: store.measure.value,
    isInverted: store.isInverted.value,
    zoomed: store.flamePath.value.length,
    words: callWords(store.info.value?.sampled === true),
  });
  return (
    <HoverBox at={at}>
      <b>
        <Breakable text={method === undefined ? "…" : fullName(method)} />
      </b>
      {method === undefined ? null : (
        <div class="muted sig">
          <Breakable text={readableSignature(method.signature)} />
        </div>
      )}
      <CardLines lines={lines} />
    </HoverBox>
  );
}
