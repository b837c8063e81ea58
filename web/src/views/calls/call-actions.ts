// The menu entries of a call in a list.

import type { CallRow } from "../../model/trace";
import type { App } from "../../state/page/app";
import { lensOfCall } from "../../state/actions/lens-actions";
import { item, LINE, type MenuItem } from "../../state/page/menu";
import { compareItems } from "../pair/compare-items";
import { lensItems } from "../shared/lens-menu";
import { methodItems } from "../shared/method-actions";

export function callItems(app: App, row: CallRow): MenuItem[] {
  const { store, select, views } = app;
  const method = store.names.get(row.rank);
  const zoom = (): void => {
    select.listed(row, "stay");
    const air = Math.max(1, (row.end - row.start) * 0.05);
    views.glideTo({ from: row.start - air, to: row.end + air });
  };
  return [
    item("Show it in the timeline", () => select.listed(row, "reveal")),
    item("Fit the timeline to it", zoom, "F"),
    ...compareItems(app, row),
    item("Limit the tables to its time", () => {
      select.listed(row, "stay");
      views.commit({ from: row.start, to: Math.max(row.end, row.start + 1) });
    }),
    ...lensItems(app, lensOfCall(row)),
    ...(method === undefined ? [] : [LINE, ...methodItems(app, method)]),
  ];
}
