// Getting things out: links, text for a bug report, the table as CSV.

import { formatCount, formatDuration, formatMs } from "../base/format";
import { sourceOf } from "../model/names";
import { callsCsv, profileCsv } from "../model/csv";
import { threadLabel, type ProfileRow } from "../model/trace";
import type { App } from "../state/app";
import { item, LINE, type MenuItem } from "../state/menu";

export function copyText(app: App, text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => app.store.notify("done", `${what} copied.`),
    () => app.store.notify("error", "The browser does not let this page write to the clipboard."),
  );
}

// What is selected, in words: the call, else the method, else the range.
function describe(app: App, isMarkdown: boolean): string {
  const { store } = app;
  const info = store.info.peek();
  const call = store.call.peek();
  const code = (text: string): string => (isMarkdown ? `\`${text}\`` : text);
  const bullet = isMarkdown ? "- " : "  ";
  const lines = [
    `${code(info?.file ?? "trace")}: ${formatDuration(info?.span ?? 0)}, ${formatCount(info?.calls ?? 0)} calls`,
  ];
  const range = store.range.peek();
  if (range !== null)
    lines.push(`${bullet}range ${formatMs(range.from)} to ${formatMs(range.to)} ms`);
  const rank = store.method.peek();
  const method = rank === null ? undefined : store.names.get(rank);
  if (method !== undefined)
    lines.push(
      `${bullet}method ${code(method.method)}${sourceOf(method) === "" ? "" : ` (${sourceOf(method)})`}`,
    );
  if (call !== null) {
    const thread = info?.threads.find((candidate) => candidate.id === call.thread);
    lines.push(
      `${bullet}call ${formatCount(call.ordinal + 1)} of ${formatCount(call.of)} in thread ${call.thread} ${thread === undefined ? "" : threadLabel(thread)}`,
    );
    lines.push(`${bullet}from ${formatMs(call.start)} ms`);
    for (const clock of ["wall", "cpu"] as const) {
      const time = call.times[clock];
      if (time !== undefined)
        lines.push(`${bullet}${clock === "wall" ? "wall" : "CPU"} ${formatMs(time)} ms`);
    }
    lines.push(`${bullet}median of all calls ${formatMs(call.median)} ms`);
  }
  return lines.join("\n");
}

export function copyStack(app: App): void {
  const call = app.store.call.peek();
  if (call === null)
    return app.store.notify("error", "Select a call first; then its stack can be copied.");
  app.store.names
    .load(call.stack)
    .then(() => {
      const lines = [...call.stack]
        .reverse()
        .map((rank) => `    at ${app.store.names.get(rank)?.method ?? rank}`);
      copyText(app, lines.join("\n"), "Stack");
    })
    .catch(app.store.report);
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  self.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function allRows(app: App): Promise<readonly ProfileRow[]> {
  const sheet = app.profile.sheet.peek();
  if (sheet === null) return [];
  const answer = await app.store.api.top({ ...sheet.query, n: 0 }, new AbortController().signal);
  return answer.rows;
}

export function saveCsv(app: App): void {
  allRows(app)
    .then((rows) => save(`${app.store.info.peek()?.file ?? "trace"}.csv`, profileCsv(rows)))
    .catch(app.store.report);
}

export function copyCsv(app: App): void {
  allRows(app)
    .then((rows) => copyText(app, profileCsv(rows), "Table"))
    .catch(app.store.report);
}

const MOST_CALLS = 1000;

// The first calls in the order shown; more than a clipboard can use are left out, and that is said.
export function copyCallsCsv(app: App): void {
  const sheet = app.calls.sheet.peek();
  if (sheet === null) return;
  app.store.api
    .calls({ ...sheet.query, n: MOST_CALLS }, new AbortController().signal)
    .then((page) => {
      const what =
        page.count > MOST_CALLS
          ? `The first ${formatCount(MOST_CALLS)} of ${formatCount(page.count)} calls`
          : "Calls";
      copyText(app, callsCsv(page.calls), what);
    })
    .catch(app.store.report);
}

export function copyLink(app: App): void {
  copyText(app, location.href, "Link");
}

export function shareItems(app: App): MenuItem[] {
  return [
    item("Copy a link to this view", () => copyLink(app)),
    LINE,
    item("Copy the selection as text", () => copyText(app, describe(app, false), "Selection")),
    item("Copy the selection as Markdown", () => copyText(app, describe(app, true), "Selection")),
    item("Copy the call's stack", () => copyStack(app)),
    LINE,
    item("Save the Profile as CSV", () => saveCsv(app)),
    item("Copy the Profile as CSV", () => copyCsv(app)),
    item("Print", () => self.print()),
  ];
}
