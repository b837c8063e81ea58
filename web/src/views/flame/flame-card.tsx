// The card of the box under the pointer.

import type { ReadonlySignal } from "@preact/signals";
import { formatCount, formatDuration, formatShare } from "../../base/format";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { fullName, readableSignature } from "../../model/names";
import { Breakable } from "../shared/breakable";
import { useApp } from "../shared/context";
import type { Size } from "../shared/use-size";

export interface FlameHover {
  readonly ix: number;
  readonly x: number;
  readonly y: number;
}

const CARD_WIDTH = 320;

export function FlameCard({
  hover,
  size,
}: {
  hover: ReadonlySignal<FlameHover | null>;
  size: ReadonlySignal<Size>;
}) {
  const { store, panels, menu } = useApp();
  const { flame } = panels;
  void store.names.version.value;
  const at = hover.value;
  const answer = flame.answer.value.value;
  if (menu.value !== null || at === null || answer === null) return null;
  const method = store.names.get(answer.rank[at.ix] ?? 0);
  const value = answer.value[at.ix] ?? 0;
  const { width, height } = size.value;
  const left = at.x + 16 + CARD_WIDTH > width ? Math.max(4, at.x - 16 - CARD_WIDTH) : at.x + 16;
  const place =
    at.y > height * 0.5 ? { bottom: `${height - at.y + 12}px` } : { top: `${at.y + 12}px` };
  return (
    <div class="card" role="tooltip" style={{ left: `${left}px`, ...place }}>
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
    </div>
  );
}
