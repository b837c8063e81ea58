// The line above the flame graph: direction, the path to the box zoomed to, transforms as
// chips that can be removed, and how much the search found.

import { frameName, withOthers } from "../../model/changes/change-flame";
import { matchedValue, zoomCrumbs, type FlameBoxes } from "../../model/flame/flame";
import { thinText, widthText } from "../../model/flame/flame-text";
import { shortName } from "../../model/names";
import { timeOn } from "../../model/trace";
import { matchedText } from "../../model/words";
import { settled } from "../../state/loader";
import { useApp } from "../shared/context";
import { ChangeSwitch, ChangeTools, ChangeTotal } from "./change-tools";
import { OpChips } from "./op-chips";
import { Middle, ViewTools } from "./view-tools";

export function FlameTools() {
  const { store, panels } = useApp();
  const { flame } = panels;
  const choice = flame.choice.value;
  const change = choice === null ? null : flame.change.value.value;
  const view = store.flameView.value;
  const isPlain = choice === null && !view.isSandwich;
  const answer = isPlain ? flame.answer.value.value : null;
  const shown = flame.shown.value.value;
  const found = store.matches.value;
  const matches = change === null ? found : withOthers(change, found, store.search.value);
  return (
    <div class={choice === null ? "tab-tools" : "tab-tools of-change"}>
      <ChangeSwitch />
      {choice === null ? <ViewTools /> : <ChangeTools choice={choice} />}
      {isPlain ? <RankCrumbs /> : choice === null ? <Middle /> : <NameCrumbs />}
      {choice === null ? <OpChips /> : null}
      <span class="grow" />
      {change === null ? null : <ChangeTotal change={change} />}
      {shown === null || matches === null || view.isSandwich ? null : (
        <Matched flame={shown} ranks={matches} />
      )}
      {shown === null || thinText(shown) === "" ? null : (
        <span class="muted">{thinText(shown)}</span>
      )}
      {answer === null ? null : <span class="muted">{widthText(answer, store.measure.value)}</span>}
    </div>
  );
}

// What the search found of the graph. Boxes that are too thin to draw are not there to be counted: of all stacks as they are
// the search itself knows, also in a narrow window.
function Matched({
  flame,
  ranks,
}: {
  flame: FlameBoxes & { readonly dropped: number };
  ranks: ReadonlySet<number>;
}) {
  const { store, panels } = useApp();
  const measure = store.measure.value;
  const isWhole =
    panels.flame.choice.value === null &&
    store.flamePath.value.length === 0 &&
    store.ops.value.length === 0 &&
    measure !== "wait"; // of which boxes have none below 0
  const found = isWhole ? settled(panels.found.answer.value) : null;
  const known = found === null ? undefined : timeOn(found.set.inclusive, measure);
  const isLeast = known === undefined && flame.dropped > 0;
  return (
    <span aria-live="polite">
      {matchedText(known ?? matchedValue(flame, ranks), flame.root, isLeast)}
    </span>
  );
}

function RankCrumbs() {
  const { store } = useApp();
  void store.names.version.value;
  const nameOf = (rank: number): string => {
    const method = store.names.get(rank);
    return method === undefined ? "…" : shortName(method);
  };
  return (
    <ZoomCrumbs
      path={store.flamePath.value}
      nameOf={nameOf}
      onZoom={(path) => (store.flamePath.value = path)}
    />
  );
}

function NameCrumbs() {
  const { store } = useApp();
  return (
    <ZoomCrumbs
      path={store.changePath.value}
      nameOf={frameName}
      onZoom={(path) => (store.changePath.value = path)}
    />
  );
}

// The path from the whole graph to the box zoomed to; each step leads back to its box.
function ZoomCrumbs<Step>({
  path,
  nameOf,
  onZoom,
}: {
  path: readonly Step[];
  nameOf(step: Step): string;
  onZoom(path: readonly Step[]): void;
}) {
  if (path.length === 0) return null;
  return (
    <nav class="zoom-crumbs" aria-label="Zoomed to">
      <button class="link" title="The whole graph (Esc)" onClick={() => onZoom([])}>
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
            onClick={() => onZoom([])}
          >
            <span class="clip">{nameOf(crumb.step)}</span> <i class="cross" />
          </button>
        ) : (
          <button
            key={crumb.length}
            class="link clip"
            onClick={() => onZoom(path.slice(0, crumb.length))}
          >
            › <bdi>{nameOf(crumb.step)}</bdi>
          </button>
        ),
      )}
    </nav>
  );
}
