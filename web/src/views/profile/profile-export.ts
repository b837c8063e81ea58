// Gives the rows of the Profile to a clipboard or a file.

import { sliceRows } from "../../model/profile/profile-rows";
import { headText, insideText, methodText, profileCsv } from "../../model/profile/profile-text";
import type { ProfileRow } from "../../model/trace";
import type { App } from "../../state/page/app";
import { besideTrace } from "../../state/panels/before";
import type { TableExport } from "../../state/panels/tables";

// All methods, beside what they were in the trace `old`, where there is one.
async function allRows(app: App, old: string | null): Promise<readonly ProfileRow[]> {
  const query = app.panels.profile.current()?.query;
  if (query === undefined) return [];
  const abort = new AbortController().signal;
  const page = await app.panels.profile.ask(old, { ...query, n: 0 }, abort);
  return page.rows;
}

// Rows that were marked one by one, as far as they are there, in the order of the table.
function pickedRows({ panels }: App, picked: ReadonlySet<number>): string | null {
  const { profile } = panels;
  const head = profile.sheet.peek()?.head;
  const lines: string[] = [];
  for (let index = 0; head !== undefined && index < head.count; index++) {
    const method = profile.row(index);
    if (method !== undefined && picked.has(method.rank))
      lines.push(methodText(method, profile.columns.peek(), head.total));
  }
  return lines.length === 0 ? null : lines.join("\n");
}

function markedRows(app: App): string | null {
  const { profile, tables } = app.panels;
  const { at, anchor } = tables.profile.cursor.peek();
  const head = profile.sheet.peek()?.head;
  const picked = profile.picked.peek();
  if (picked.size > 0 && head !== undefined) return pickedRows(app, picked);
  if (at < 0 || head === undefined) return null;
  const columns = profile.columns.peek();
  const low = Math.min(at, anchor);
  const high = Math.max(at, anchor) + 1;
  const lines = sliceRows(head.count, profile.openings.peek(), low, high).flatMap((row) => {
    if (row.kind !== "method") return insideText(row, columns);
    const method = profile.row(row.index);
    return method === undefined ? [] : methodText(method, columns, head.total);
  });
  return lines.length === 0 ? null : lines.join("\n");
}

export function profileExport(app: App): TableExport {
  const columns = app.panels.profile.columns.peek();
  return {
    id: "profile",
    label: "Profile",
    marked: () => markedRows(app),
    text: async () => {
      const rows = await allRows(app, besideTrace(app.store));
      const total = app.panels.profile.sheet.peek()?.head.total ?? {};
      return [headText(columns), ...rows.map((row) => methodText(row, columns, total))].join("\n");
    },
    csv: async () => profileCsv(await allRows(app, null)),
  };
}
