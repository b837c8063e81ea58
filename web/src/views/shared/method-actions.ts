// The menu entries of a method, in every table and chart.

import { callWords } from "../../model/words";
import { isolated } from "../../base/text";
import { fullName, packageOf, sourceClassOf } from "../../model/names";
import type { Method } from "../../model/trace";
import type { App } from "../../state/page/app";
import { lensOfMethod, setLens } from "../../state/actions/lens-actions";
import { showBetween } from "../../state/actions/sandwich";
import { item, itemOff, LINE, type MenuItem } from "../../state/page/menu";
import { copyText } from "./share";

// The configured source link with this method's place in it; null when none is configured.
function sourceLink(app: App, method: Method): string | null {
  const link = app.store.settings.peek().sourceLink;
  if (link === "" || method.file === "") return null;
  const folder = packageOf(sourceClassOf(method)).replaceAll(".", "/");
  return link
    .replaceAll("{file}", encodeURI(folder === "" ? method.file : `${folder}/${method.file}`))
    .replaceAll("{line}", String(Math.max(1, method.line)))
    .replaceAll("{class}", encodeURIComponent(sourceClassOf(method)));
}

export function openSource(app: App, method: Method): void {
  const link = sourceLink(app, method);
  if (link === null)
    app.store.notify(
      "error",
      "Set a source link in the settings first, for example idea://open?file={file}&line={line}.",
    );
  else if (/^(javascript|data|vbscript):/i.test(link))
    app.store.notify("error", "The source link must open an editor or a page.");
  else self.open(link, "_blank", "noopener");
}

// Greyed with what it lacks.
function sourceItem(app: App, method: Method): MenuItem {
  const label = "Open the source";
  if (app.store.settings.value.sourceLink === "")
    return itemOff(label, "no link in the settings yet");
  if (method.file === "") return itemOff(label, "the trace names no file");
  return item(label, () => openSource(app, method));
}

// The method's calls, the slowest first.
export function showCalls(app: App, rank: number): void {
  app.select.method(rank);
  app.store.tab.value = "calls";
}

export function methodItems(app: App, method: Method): MenuItem[] {
  const { store, select } = app;
  const { profile } = app.panels;
  const inside = packageOf(sourceClassOf(method));
  const words = callWords(store.info.value?.sampled === true);
  return [
    item(`Its ${words.many}, slowest first`, () => showCalls(app, method.rank), "5"),
    item(`Only its ${words.many}, in all panels`, () => setLens(store, lensOfMethod(method.rank))),
    item(
      "Who calls it",
      () => {
        select.method(method.rank);
        store.tab.value = "callers";
      },
      "4",
    ),
    item("Its callers and callees as flames", () => {
      select.method(method.rank);
      showBetween(store, method.rank);
    }),
    item(`Its longest ${words.one} in the timeline`, () => app.reveal.method(method.rank)),
    item(
      `Next ${words.one} in the timeline`,
      () => {
        select.method(method.rank);
        select.step("next");
      },
      ".",
    ),
    item("Callers and callees in the Profile", () => {
      store.tab.value = "profile";
      profile.openOnly(method.rank);
      select.method(method.rank);
    }),
    LINE,
    item("Search for it", () => (store.search.value = fullName(method))),
    ...(inside === ""
      ? []
      : [
          item(`Hide package ${isolated(inside)}`, () => {
            const others = store.without.peek().filter((known) => known !== `${inside}.`);
            store.without.value = [...others, `${inside}.`];
          }),
        ]),
    sourceItem(app, method),
    LINE,
    item("Copy the name", () => copyText(app, method.method, "Name"), "Ctrl+C"),
  ];
}
