// Above the flame graph: direction, zoom and transforms as removable breadcrumbs, the search's share.

import { formatCount, formatDuration, formatShare } from "../base/format";
import { matchedValue } from "../model/flame";
import { shortName } from "../model/names";
import { useApp } from "./context";
import { OpChips } from "./op-chips";

export function FlameTools() {
  const { store, flame } = useApp();
  const answer = flame.answer.value.value;
  const path = store.flamePath.value;
  const last = path[path.length - 1];
  const matches = store.matches.value;
  void store.names.version.value;
  const zoomed = last === undefined ? undefined : store.names.get(last);
  const setInverted = (isInverted: boolean): void => {
    store.flamePath.value = [];
    store.isInverted.value = isInverted;
  };
  return (
    <div class="tab-tools">
      <div class="segments" role="radiogroup" aria-label="Direction">
        {[false, true].map((isInverted) => (
          <button
            key={String(isInverted)}
            role="radio"
            aria-checked={store.isInverted.value === isInverted}
            class={store.isInverted.value === isInverted ? "on" : ""}
            onClick={() => setInverted(isInverted)}
          >
            {isInverted ? "Bottom up" : "Top down"}
          </button>
        ))}
      </div>
      {last === undefined ? null : (
        <button
          class="chip"
          title="Back to the whole graph"
          onClick={() => (store.flamePath.value = [])}
        >
          {zoomed === undefined ? "zoomed" : shortName(zoomed)} <i class="cross" />
        </button>
      )}
      {path.length > 1 ? (
        <button class="link" onClick={() => (store.flamePath.value = path.slice(0, -1))}>
          one up
        </button>
      ) : null}
      <OpChips />
      <span class="grow" />
      {answer === null || matches === null ? null : (
        <span aria-live="polite">
          search: {formatDuration(matchedValue(answer, matches))}
          <span class="muted"> ({formatShare(matchedValue(answer, matches), answer.root)})</span>
        </span>
      )}
      {answer === null || answer.dropped === 0 ? null : (
        <span class="muted">{formatCount(answer.dropped)} too thin to draw</span>
      )}
      {answer === null ? null : <span class="muted">{formatDuration(answer.root)}</span>}
    </div>
  );
}
