// The Profile by class or by package: pages of groups in sorted order.

import { groupSortQuery, type GroupPage, type GroupRow } from "../../model/profile/group";
import type { TableSort } from "../../model/table/table";
import { createLazyList, type LazyList } from "./lazy-list";
import type { Store } from "../store";
import type { TableState } from "./tables";

const PAGE = 200;

export type GroupHead = Omit<GroupPage, "rows">;

export interface Groups extends LazyList<GroupHead, GroupRow> {
  // The sort when the user chose none.
  firstSort(): TableSort;
}

export function createGroups(store: Store, table: TableState): Groups {
  const firstSort = (): TableSort => ({ column: `excl-${store.measure.value}`, order: "desc" });
  const pages = createLazyList<GroupHead, GroupRow>(
    () => {
      const group = store.groupBy.value;
      if (store.info.value === null || group === "method" || store.tab.value !== "profile")
        return null;
      return {
        ...store.filtered.value,
        group,
        ...groupSortQuery(table.sort.value ?? firstSort()),
      };
    },
    async (query, abort) => {
      const { rows, ...head } = await store.api.groups(query, abort);
      return { head, rows };
    },
    PAGE,
  );
  return { ...pages, firstSort };
}
