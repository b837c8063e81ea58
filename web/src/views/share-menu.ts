// The Share menu: what can be sent (a link, a command, the whole as one file), text for a bug report, the table on the screen, files for
// other tools, paper.

import { inWords } from "../model/words";
import type { App } from "../state/page/app";
import { head, item, itemOff, LINE, type MenuItem } from "../state/page/menu";
import { copyCommand, copyExplanation, copyLink, copyReport, copyStack } from "./shared/share";
import { exportItems } from "./table/table-menu";

const SAVE_PAGE = "Save as one page…";

// A site makes no pages, and who reads there builds nothing: the entry is greyed in a viewer of one's own alone.
export function shareItems(app: App): MenuItem[] {
  const table = app.panels.tables.shown.value;
  const isSampled = app.store.info.value?.sampled === true;
  const stack = inWords("Copy the call's stack", isSampled);
  return [
    item("Copy a link to this view", () => copyLink(app)),
    ...(app.store.can.value.command
      ? [item("Copy a command for whoever has the file", () => copyCommand(app))]
      : []),
    ...(app.store.isPageMaker.value
      ? [item(SAVE_PAGE, () => (app.store.dialog.value = "page"))]
      : app.store.can.value.command
        ? [itemOff(SAVE_PAGE, "not in this build: scripts/install engine, then make build")]
        : []),
    LINE,
    item("Copy the selection as text", () => copyReport(app, false)),
    item("Copy the selection as Markdown", () => copyReport(app, true)),
    item("Explain this selection, as text to copy", () => copyExplanation(app)),
    app.store.call.value === null
      ? itemOff(stack, inWords("no call is selected", isSampled))
      : item(stack, () => copyStack(app)),
    LINE,
    ...(table === null ? [] : [head(table.label), ...exportItems(app, table), LINE]),
    item("Download as…", () => (app.store.dialog.value = "download")),
    item("Print…", () => self.print(), "Ctrl+P"),
  ];
}
