// A row of the details pane: a method, how often it was called, and how long it took.

import { formatCount, formatDuration, formatShare } from "../../base/format";
import { rowNotes, type DetailRow } from "../../model/detail/detail";
import { nameApart } from "../../model/names";
import type { Measure } from "../../model/trace";
import { callWords } from "../../model/words";
import { useApp } from "../shared/context";
import { Swatch } from "../shared/method-name";

interface LineProps {
  readonly row: DetailRow;
  readonly ns: number;
  readonly of: number;
  readonly onPress: () => void;
  // The measure that the row's own code is told on, too.
  readonly ownOn?: Measure;
}

export function Line({ row, ns, of, onPress, ownOn }: LineProps) {
  const { method, calls } = row;
  const { store } = useApp();
  const words = callWords(store.info.value?.sampled === true);
  const title = [method.method, ...rowNotes(row, words, ownOn ?? null)].join("\n");
  return (
    <li>
      <button class="details-row" title={title} onClick={onPress}>
        <span class="details-name">
          <Swatch rank={method.rank} />
          <bdi>{nameApart(method)}</bdi>
        </span>
        <span class="muted">{calls > 1 ? `${formatCount(calls)}×` : ""}</span>
        <span class="details-time">{formatDuration(ns)}</span>
        <span class="details-share">{of > 0 ? formatShare(ns, of) : ""}</span>
        <span class="details-bar" style={{ width: `${share(ns, of)}%` }} />
      </button>
    </li>
  );
}

export function share(ns: number, of: number): number {
  return of > 0 ? Math.max(0, Math.min(100, (ns / of) * 100)) : 0;
}
