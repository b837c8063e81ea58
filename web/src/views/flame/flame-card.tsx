// The card of the box under the pointer.

import type { ReadonlySignal } from "@preact/signals";
import { formatCount, formatDuration, formatShare } from "../../base/format";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { fullName, readableSignature } from "../../model/names";
import { Breakable } from "../shared/breakable";
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
  const value = answer.value[at.ix] ?? 0;
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
      <table>
        <tbody>
          <tr>
            <td>{MEASURE_WORDS[store.measure.value].label}</td>
            <td>{formatDuration(value)}</td>
            <td class="muted">{formatShare(value, answer.total)} of all</td>
          </tr>
          <tr>
            <td>self</td>
            <td>{formatDuration(answer.self[at.ix] ?? 0)}</td>
            <td />
          </tr>
          <tr>
            <td>{callWords(store.info.value?.sampled === true).many}</td>
            <td>{formatCount(answer.calls[at.ix] ?? 0)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </HoverBox>
  );
}
