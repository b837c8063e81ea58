// The line below the Profile: the number of methods, groups, columns, and copying of rows.

import { isolated } from "../../base/text";
import type { GroupBy } from "../../model/profile/group";
import { availableColumns, kindOf } from "../../model/profile/columns";
import { setMyCode, setSetting } from "../../state/actions/choose";
import type { App } from "../../state/page/app";
import { timeOn } from "../../model/trace";
import { wholeText } from "../../model/scope-text";
import { choice, head, item, LINE, oneOf, type MenuItem } from "../../state/page/menu";
import { besideKind } from "../../state/panels/before";
import { listedFacts } from "../../state/panels/scope-facts";
import { useApp } from "../shared/context";
import { hasAction } from "../shared/has-action";
import { BesideNote } from "../shared/beside-note";
import { menuBelow } from "../shared/menu-below";
import { columnItems } from "../table/table-menu";
import { ExportButton } from "../table/table-footer";
import { useGroupColumns } from "./group-table";
import { ProfileTotals } from "./profile-totals";

export function profileColumnItems(app: App): MenuItem[] {
  const { store } = app;
  const { profile } = app.panels;
  const kind = kindOf(store.info.value, besideKind(store));
  const available = availableColumns(kind, store.measure.value);
  const shown = profile.columns.value.map((column) => column.id);
  const { isShortNames } = store.settings.value;
  return [
    head("Columns"),
    ...available
      .filter((column) => column.id !== "name")
      .map((column) =>
        choice(column.label, shown.includes(column.id), () =>
          setSetting(store, {
            columns: shown.includes(column.id)
              ? shown.filter((id) => id !== column.id)
              : [...shown, column.id],
          }),
        ),
      ),
    LINE,
    item("The seven usual ones", () => setSetting(store, { columns: null })),
    item("All of them", () => setSetting(store, { columns: available.map((column) => column.id) })),
    LINE,
    choice("Short names", isShortNames, () =>
      setSetting(store, { isShortNames: !store.settings.peek().isShortNames }),
    ),
    ...(hasAction(app, "swap-names")
      ? [
          choice("Names of the file", store.settings.value.isWrittenNames, () =>
            app.session.swapNames(),
          ),
        ]
      : []),
  ];
}

export function ProfileFooter({ countText }: { countText: string }) {
  const app = useApp();
  const { store } = app;
  const groups = useGroupColumns();
  const isGrouped = store.groupBy.value !== "method";
  return (
    <footer class="table-footer">
      <span class="grow" aria-live="polite">
        {countText}
        {app.panels.totals.value === null ? <Whole /> : null}
      </span>
      <ProfileTotals />
      {isGrouped ? null : <BesideNote />}
      <MyCode />
      <GroupButton />
      <button
        class="link"
        aria-haspopup="menu"
        onClick={(event) =>
          menuBelow(app, event.currentTarget, "Columns", () =>
            isGrouped ? columnItems(app, "groups", groups) : profileColumnItems(app),
          )
        }
      >
        Columns
      </button>
      <ExportButton />
    </footer>
  );
}

// Of what the shares are.
function Whole() {
  const { store, panels } = useApp();
  const measure = store.measure.value;
  const head = (store.groupBy.value === "method" ? panels.profile : panels.groups).sheet.value
    ?.head;
  const ns = head === undefined ? undefined : timeOn(head.total, measure);
  // A trace without records has a list that says so.
  if (head === undefined || ns === undefined || timeOn(head.total, "wall") === 0) return null;
  return (
    <span class="whole">{` · ${wholeText(listedFacts(store, panels.idle), ns, measure)}`}</span>
  );
}

function MyCode() {
  const { store } = useApp();
  const mine = store.mine.value;
  const hidden = mine ?? store.settings.value.hiddenPackages;
  return (
    <label
      class="check-label"
      title={`The time of methods in ${hidden.map(isolated).join(" ")} goes to their callers (see the settings)`}
    >
      <input
        type="checkbox"
        checked={mine !== null}
        onChange={() => setMyCode(store, mine === null)}
      />
      my code only
    </label>
  );
}

const GROUPS: readonly (readonly [GroupBy, string])[] = [
  ["method", "Methods"],
  ["class", "Classes"],
  ["package", "Packages"],
];

function GroupButton() {
  const app = useApp();
  const { store } = app;
  const by = store.groupBy.value;
  const set = (next: GroupBy): void => {
    store.groupBy.value = next;
  };
  return (
    <button
      class="link"
      aria-haspopup="menu"
      onClick={(event) =>
        menuBelow(app, event.currentTarget, "Group", () => [
          ...GROUPS.map(([of, label]) => oneOf(label, by === of, () => set(of), { stays: false })),
        ])
      }
    >
      {by === "method" ? "Group" : `By ${by}`}
    </button>
  );
}
