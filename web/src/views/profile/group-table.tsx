// The Profile by class or by package; a press on a group lists its methods.

import { batch } from "@preact/signals";
import { groupColumns, groupFilter, groupLabel, type GroupRow } from "../../model/profile/group";
import { packageOf, shortClass } from "../../model/names";
import { barShare } from "../../model/profile/profile-rows";
import { timesOf } from "../../model/table/column-kinds";
import { timeOn } from "../../model/trace";
import type { App } from "../../state/page/app";
import { searchOnly } from "../../state/actions/choose";
import { item, type MenuItem } from "../../state/page/menu";
import { useApp } from "../shared/context";
import { NoneHere } from "../shared/empty-table";
import type { Source } from "../table/data-source";
import { DataTable } from "../table/data-table";
import { copyText } from "../shared/share";

export function useGroupColumns() {
  const { store, panels } = useApp();
  const { groups } = panels;
  const by = store.groupBy.value;
  return groupColumns({
    by: by === "class" ? "class" : "package",
    clocks: store.info.value?.clocks ?? [],
    measure: store.measure.value,
    total: groups.sheet.value?.head.total ?? {},
    isSampled: store.info.value?.sampled === true,
  });
}

function listMethods(app: App, row: GroupRow, by: "class" | "package"): void {
  batch(() => {
    app.store.groupBy.value = "method";
    searchOnly(app.store, groupFilter(by, row.name));
  });
}

export function GroupTable() {
  const app = useApp();
  const { store } = app;
  const { groups } = app.panels;
  const by = store.groupBy.value === "class" ? "class" : "package";
  const measure = store.measure.value;
  const sheet = groups.sheet.value;
  const columns = useGroupColumns();
  const total = sheet?.head.total ?? {};
  const inside = (name: string): string => (by === "class" ? packageOf(name) : "");
  const source: Source<GroupRow> = {
    count: sheet?.head.count ?? 0,
    row: groups.row,
    need: groups.need,
    all: async () => {
      const query = groups.current()?.query;
      if (query === undefined) return [];
      const page = await store.api.groups({ ...query, n: 0 }, new AbortController().signal);
      return page.rows;
    },
  };
  const rowItems = (row: GroupRow): MenuItem[] => [
    item("List its methods", () => listMethods(app, row, by), "Enter"),
    item("Copy the name", () => copyText(app, groupLabel(row.name, by), "Name")),
  ];
  return (
    <DataTable
      table="groups"
      label={`Profile by ${by}`}
      columns={columns}
      firstSort={groups.firstSort()}
      source={source}
      spec={{
        keyOf: (row) => row.name,
        name: (row) => (
          <code
            class="group-name parted"
            style={{ "--class": shortClass(row.name).length, "--method": 0 }}
            title={row.name}
          >
            {inside(row.name) === "" ? null : <em class="name-package">{inside(row.name)}.</em>}
            <span class="name-class">
              {inside(row.name) === "" ? groupLabel(row.name, by) : shortClass(row.name)}
            </span>
          </code>
        ),
        bar: {
          usual: `excl-${measure}`,
          whole: (column) => timeOn(total, timesOf(column).measure),
          share: (row, column) => {
            const { side, measure: by } = timesOf(column);
            return barShare(timeOn(row[side], by), timeOn(total, by));
          },
        },
        classOf: () => " pressable",
        attributes: () => ({ title: "Double press lists its methods" }),
        open: (row) => listMethods(app, row, by),
        items: rowItems,
      }}
      isBusy={groups.isLoading.value}
      error={groups.error.value}
      isEmpty={sheet !== null && sheet.head.count === 0}
      empty={<NoneHere />}
    />
  );
}
