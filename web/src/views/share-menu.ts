// The Share menu: links, text for a bug report, the table on the screen, files for other tools, paper.

import type { App } from "../state/app";
import { head, item, LINE, type MenuItem } from "../state/menu";
import { copyCommand, copyLink, copyReport, copyStack } from "./shared/share";
import { exportItems } from "./table/table-menu";

export function shareItems(app: App): MenuItem[] {
  const table = app.panels.tables.shown.value;
  return [
    item("Copy a link to this view", () => copyLink(app)),
    ...(app.store.can.value.command
      ? [item("Copy a command for whoever has the file", () => copyCommand(app))]
      : []),
    LINE,
    item("Copy the selection as text", () => copyReport(app, false)),
    item("Copy the selection as Markdown", () => copyReport(app, true)),
    item("Copy the call's stack", () => copyStack(app)),
    LINE,
    ...(table === null ? [] : [head(table.label), ...exportItems(app, table), LINE]),
    ...(app.store.isPageMaker.value
      ? [item("Save as one page…", () => (app.store.dialog.value = "page"))]
      : []),
    item("Download as…", () => (app.store.dialog.value = "download")),
    item("Print…", () => self.print(), "Ctrl+P"),
  ];
}
