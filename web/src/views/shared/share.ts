// Copies and saves: links, text for a bug report, files.

import { reportText, type Report } from "../../model/report";
import type { App } from "../../state/app";
import { threadNamer } from "./thread-namer";

export function copyText(app: App, text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => app.store.notify("done", `${what} copied.`),
    () => app.store.notify("error", "The browser does not let this page write to the clipboard."),
  );
}

export function saveText(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  self.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The selected call's stack by name, the innermost first.
async function stackNames(app: App): Promise<string[]> {
  const { names, call } = app.store;
  const stack = call.peek()?.stack ?? [];
  await names.load(stack);
  return [...stack].reverse().map((rank) => names.get(rank)?.method ?? `method ${rank}`);
}

async function describe(app: App): Promise<Report | null> {
  const { store } = app;
  const info = store.info.peek();
  if (info === null) return null;
  const nameOf = threadNamer(info);
  const call = store.call.peek();
  const rank = store.method.peek();
  const threads = store.threads.peek();
  return {
    info,
    range: store.range.peek(),
    threads: threads === null ? null : [...threads].map(nameOf),
    method: rank === null ? null : (store.names.get(rank) ?? null),
    call,
    threadOfCall: call === null ? "" : nameOf(call.thread),
    stack: await stackNames(app),
    link: location.href,
  };
}

export function copyReport(app: App, isMarkdown: boolean): void {
  describe(app)
    .then((report) => {
      if (report !== null) copyText(app, reportText(report, isMarkdown), "Selection");
    })
    .catch(app.store.report);
}

export function copyStack(app: App): void {
  if (app.store.call.peek() === null)
    return app.store.notify("error", "Select a call first; then its stack can be copied.");
  stackNames(app)
    .then((names) => copyText(app, names.map((name) => `    at ${name}`).join("\n"), "Stack"))
    .catch(app.store.report);
}

export function copyLink(app: App): void {
  copyText(app, location.href, "Link");
}
