// Below the Profile: find or filter, how many methods, columns, CSV.

import { useSignal } from "@preact/signals";
import type { GroupBy } from "../model/group";
import { availableColumns, shownColumns } from "../model/columns";
import { setSetting } from "../state/choose";
import type { App } from "../state/app";
import { choice, item, LINE, type MenuItem } from "../state/menu";
import { useApp } from "./context";
import { menuBelow } from "./menu-below";
import { copyCsv } from "./share";

function columnItems(app: App): MenuItem[] {
  const { store } = app;
  const clocks = store.info.value?.clocks ?? [];
  const shown = shownColumns(store.settings.value.columns, store.measure.value, clocks).map(
    (column) => column.id,
  );
  return [
    ...availableColumns(clocks)
      .filter((column) => column.id !== "name")
      .map((column) =>
        choice(column.label, shown.includes(column.id), () => {
          const now = shownColumns(store.settings.peek().columns, store.measure.peek(), clocks).map(
            (known) => known.id,
          );
          const next = now.includes(column.id)
            ? now.filter((id) => id !== column.id)
            : [...now, column.id];
          setSetting(store, { columns: next });
        }),
      ),
    LINE,
    item("The seven usual ones", () => setSetting(store, { columns: null })),
    item("All of them", () =>
      setSetting(store, { columns: availableColumns(clocks).map((column) => column.id) }),
    ),
  ];
}

export function ProfileFooter({ countText }: { countText: string }) {
  const app = useApp();
  const { store, profile, select } = app;
  const text = useSignal("");
  const isMissing = useSignal(false);
  const isFilter = useSignal(false);

  // The next method in the sorted order whose name has the text, after the selected one.
  const find = async (isNext: boolean): Promise<void> => {
    const wanted = text.peek();
    if (wanted === "") return;
    const [order, found] = await Promise.all([
      profile.ranksInOrder(),
      store.api.search({ q: wanted, n: 10000 }, new AbortController().signal),
    ]);
    const ranks = new Set(found.ranks);
    const here = order.indexOf(store.method.peek() ?? -1);
    // After a miss, the next Enter starts from the top again.
    const from = isNext && here >= 0 && !isMissing.peek() ? here + 1 : 0;
    const next = order.slice(from).find((rank) => ranks.has(rank));
    isMissing.value = next === undefined;
    if (next !== undefined) select.method(next);
  };
  const run = (isNext: boolean): void => void find(isNext).catch(store.report);

  const isOn = isFilter.value || profile.filter.value !== "";
  return (
    <footer class="table-footer">
      <label class={isMissing.value ? "find missing" : "find"}>
        {isOn ? "Filter" : "Find"}
        <input
          id="find"
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder="class.method"
          value={isOn ? profile.filter.value : text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            if (isOn) profile.filter.value = text.value;
            else run(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !isOn) run(true);
            else if (event.key === "Escape") {
              text.value = "";
              profile.filter.value = "";
              isMissing.value = false;
            } else return;
            event.stopPropagation();
          }}
        />
        <kbd>f</kbd>
      </label>
      <label class="check-label">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            isFilter.value = event.currentTarget.checked;
            profile.filter.value = isFilter.value ? text.value : "";
          }}
        />
        only matches
      </label>
      <span class="grow" aria-live="polite">
        {countText}
      </span>
      <GroupButton />
      <button
        class="link"
        aria-haspopup="menu"
        onClick={(event) => menuBelow(app, event.currentTarget, "Columns", () => columnItems(app))}
      >
        Columns
      </button>
      <button class="link" onClick={() => copyCsv(app)}>
        Copy as CSV
      </button>
    </footer>
  );
}

function GroupButton() {
  const app = useApp();
  const { store, profile } = app;
  const by = store.groupBy.value;
  const set = (next: GroupBy): void => {
    store.groupBy.value = next;
    profile.filter.value = "";
  };
  return (
    <button
      class="link"
      aria-haspopup="menu"
      onClick={(event) =>
        menuBelow(app, event.currentTarget, "Group", () => [
          item("Methods", () => set("method")),
          item("Classes", () => set("class")),
          item("Packages", () => set("package")),
        ])
      }
    >
      {by === "method" ? "Group" : `By ${by}`}
    </button>
  );
}
