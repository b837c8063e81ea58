// The card of the box under the pointer.

import type { ReadonlySignal } from "@preact/signals";
import { changeLines } from "../../model/changes/change-flame";
import { boxLines } from "../../model/flame/flame-text";
import { sandwichLines } from "../../model/flame/sandwich";
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
  const choice = flame.choice.value;
  const change = choice === null ? null : flame.change.value.value;
  const between = flame.middle.value === null ? null : flame.sandwich.value.value;
  const answer = choice === null && between === null ? flame.answer.value.value : null;
  const rank = (change ?? between ?? answer)?.rank[at?.ix ?? 0] ?? 0;
  if (menu.value !== null || at === null || (answer ?? change ?? between) === null) return null;
  const method = change === null ? store.names.get(rank) : change.names.get(rank);
  const words = callWords(store.info.value?.sampled === true);
  const lines =
    choice !== null && change !== null
      ? changeLines(change, at.ix, choice, words, flame.sides.value)
      : between !== null
        ? sandwichLines(between, at.ix, store.measure.value, words)
        : answer === null
          ? []
          : boxLines(answer, at.ix, {
              measure: store.measure.value,
              isInverted: store.isInverted.value,
              zoomed: store.flamePath.value.length,
              words,
            });
  return (
    <HoverBox at={at}>
      <b>
        <Breakable text={method === undefined ? "…" : fullName(method)} />
      </b>
      {method === undefined || method.signature === "" ? null : (
        <div class="muted sig">
          <Breakable text={readableSignature(method.signature)} />
        </div>
      )}
      <CardLines lines={lines} />
    </HoverBox>
  );
}
