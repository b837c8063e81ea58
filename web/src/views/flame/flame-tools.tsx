// The line above the flame graph: direction, the path to the box zoomed to, transforms as
// chips that can be removed, and how much the search found.

import { matchedValue, zoomCrumbs } from "../../model/flame/flame";
import { thinText, widthText } from "../../model/flame/flame-text";
import { shortName } from "../../model/names";
import { matchedText } from "../../model/words";
import { useApp } from "../shared/context";
import { Segments } from "../shared/segments";
import { OpChips } from "./op-chips";

export function FlameTools() {
  const { store, panels } = useApp();
  const { flame } = panels;
  const answer = flame.answer.value.value;
  const matches = store.matches.value;
  const setInverted = (isInverted: boolean): void => {
    store.flamePath.value = [];
    store.isInverted.value = isInverted;
  };
  return (
    <div class="tab-tools">
      <Segments
        label="Direction"
        value={store.isInverted.value}
        options={[
          { value: false, label: "Top down" },
          { value: true, label: "Bottom up" },
        ]}
        onChoice={setInverted}
      />
      <ZoomCrumbs />
      <OpChips />
      <span class="grow" />
      {answer === null || matches === null ? null : (
        <span aria-live="polite">{matchedText(matchedValue(answer, matches), answer.root)}</span>
      )}
      {answer === null || thinText(answer) === "" ? null : (
        <span class="muted">{thinText(answer)}</span>
      )}
      {answer === null ? null : <span class="muted">{widthText(answer, store.measure.value)}</span>}
    </div>
  );
}

// The path from the whole graph to the box zoomed to; each step leads back to its box.
function ZoomCrumbs() {
  const { store } = useApp();
  const path = store.flamePath.value;
  void store.names.version.value;
  if (path.length === 0) return null;
  const nameOf = (rank: number): string => {
    const method = store.names.get(rank);
    return method === undefined ? "…" : shortName(method);
  };
  return (
    <nav class="zoom-crumbs" aria-label="Zoomed to">
      <button
        class="link"
        title="The whole graph (Esc)"
        onClick={() => (store.flamePath.value = [])}
      >
        All
      </button>
      {zoomCrumbs(path).map((crumb) =>
        crumb.kind === "gap" ? (
          <span key="gap" class="muted">
            › …
          </span>
        ) : crumb.length === path.length ? (
          <button
            key={crumb.length}
            class="chip"
            title="Back to the whole graph"
            onClick={() => (store.flamePath.value = [])}
          >
            <span class="clip">{nameOf(crumb.rank)}</span> <i class="cross" />
          </button>
        ) : (
          <button
            key={crumb.length}
            class="link clip"
            onClick={() => (store.flamePath.value = path.slice(0, crumb.length))}
          >
            › <bdi>{nameOf(crumb.rank)}</bdi>
          </button>
        ),
      )}
    </nav>
  );
}
