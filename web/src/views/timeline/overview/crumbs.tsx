// The breadcrumbs of nested ranges, each a way back; and the view, while it differs from the range
// of the tables: as the last crumb where it lies within that range, else apart.

import { formatRange } from "../../../base/format";
import { sameRange } from "../../../base/time";
import { useApp } from "../../shared/context";

export function Crumbs() {
  const { store, views } = useApp();
  const crumbs = store.crumbs.value;
  const view = store.view.value;
  const end = Math.max(1, store.info.value?.span ?? 1);
  const last = crumbs[crumbs.length - 1] ?? { from: 0, to: end };
  const isElsewhere = !sameRange(last, view);
  const isWithin = view.from >= last.from && view.to <= last.to;
  const shown = crumbs.slice(-1);
  const inView = (
    <button
      class="link"
      title="In view. Press to limit the tables to it (V)"
      onClick={() => views.commit(view)}
    >
      {formatRange(view.from, view.to)}
    </button>
  );
  return (
    <nav class="crumbs" aria-label="Ranges">
      <ol>
        <li>
          <button
            class="link"
            onClick={() => views.wholeTrace()}
            aria-current={crumbs.length === 0 && !isElsewhere ? "true" : undefined}
          >
            Whole trace
          </button>
        </li>
        {crumbs.length > 1 ? (
          <li>
            <button
              class="link"
              title="One range up"
              onClick={() => views.cutCrumbs(crumbs.length - 1)}
            >
              …{crumbs.length > 2 ? crumbs.length - 1 : ""}
            </button>
          </li>
        ) : null}
        {shown.map((crumb) => (
          <li key={crumb.from}>
            <button
              class="link strong"
              title="Show this range"
              onClick={() => views.glideTo(crumb)}
            >
              {formatRange(crumb.from, crumb.to)}
            </button>
          </li>
        ))}
        {!isElsewhere ? null : isWithin ? (
          <li class="ghost">{inView}</li>
        ) : (
          <li class="ghost apart">in view {inView}</li>
        )}
      </ol>
    </nav>
  );
}
