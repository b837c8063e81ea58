// Copies and saves: links, text for a bug report, files.

import { readUrl, withTrace, writeUrl } from "../../model/page/url-state";
import { explanationText } from "../../model/explanation";
import { isInCall, lensRanks } from "../../model/lens";
import { reportText, viewCommand, type Report } from "../../model/report";
import { messageOf } from "../../state/loader";
import type { App } from "../../state/page/app";
import { methodFacts, partNamer, topFacts, waitOfCall } from "./report-facts";
import { threadNamer } from "./thread-namer";

export function copyText(app: App, text: string, what: string, more = ""): void {
  navigator.clipboard.writeText(text).then(
    () => app.store.notify("done", `${what} copied.${more}`),
    () => app.store.notify("error", "The browser does not let this page write to the clipboard."),
  );
}

export function saveText(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
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

// The view as the address has it, with its "#", and the trace that it is of.
function fragmentOf(app: App): string {
  const link = withTrace(location.hash, app.store.info.peek()?.hash ?? null);
  return link === "" ? "" : `#${link}`;
}

function addressOf(app: App): string {
  return `${location.href.replace(/#.*/s, "")}${fragmentOf(app)}`;
}

// The address of a site leads everyone to the view; that of a viewer ends with the viewer, but whoever has the file can
// show the view by a command.
async function linkOf(app: App): Promise<Pick<Report, "link" | "isCommand">> {
  const isCommand = app.store.can.peek().command;
  return { link: isCommand ? await commandOf(app) : addressOf(app), isCommand };
}

// What is chosen while the other file's name is on its way is not of this command.
async function commandOf(app: App): Promise<string> {
  const info = app.store.info.peek();
  const fragment = fragmentOf(app);
  const old = await comparedFile(app);
  if (info === null) return "";
  return viewCommand(info, withoutNumber(fragment, old !== null), old);
}

// The file of the other trace; null: there is none.
async function comparedFile({ oldSide }: App): Promise<string | null> {
  const old = oldSide.peek()?.app.store;
  if (old === undefined) return null;
  const info = old.info.peek() ?? (await old.api.first(new AbortController().signal)).info;
  return info?.file ?? null;
}

// The number of the other trace ends with the viewer; a command with two files gives it another one.
function withoutNumber(fragment: string, isCompared: boolean): string {
  const state = readUrl(fragment);
  if (state.against === null && state.runs === null) return fragment;
  const tab = state.tab === "changes" && !isCompared ? "profile" : state.tab;
  const link = writeUrl({ ...state, against: null, runs: null, tab });
  return link === "" ? "" : `#${link}`;
}

async function describe(app: App): Promise<Report | null> {
  const { store } = app;
  const info = store.info.peek();
  if (info === null) return null;
  const nameOf = threadNamer(info);
  const call = store.call.peek();
  const rank = store.method.peek();
  const lens = store.selectedCalls.peek();
  const threads = isInCall(lens) ? null : store.threads.peek();
  // A call that all panels show has its own time and thread.
  const range = isInCall(lens) ? null : store.range.peek();
  const method = rank === null ? null : (store.names.get(rank) ?? null);
  // What is chosen while the questions are on their way is not of this report.
  const partNow = partNamer(app);
  const [facts, callWait, stack, { link, isCommand }] = await Promise.all([
    rank === null ? { numbers: null, spread: null } : methodFacts(app, rank, nameOf),
    call === null ? "" : waitOfCall(app, call),
    stackNames(app),
    linkOf(app),
    store.names.load(lensRanks(lens)),
  ]);
  return {
    info,
    range,
    threads: threads === null ? null : [...threads].map(nameOf),
    part: partNow(),
    method,
    ...facts,
    callWait,
    call,
    threadOfCall: call === null ? "" : nameOf(call.thread),
    stack,
    link,
    isCommand,
  };
}

// A copy that fails is told of, whatever else the page says of what cannot be asked.
function reportCopy(app: App, what: string): (problem: unknown) => void {
  return (problem) => app.store.notify("error", `${what} is not copied: ${messageOf(problem)}`);
}

export function copyReport(app: App, isMarkdown: boolean): void {
  describe(app)
    .then((report) => {
      if (report !== null) copyText(app, reportText(report, isMarkdown), "Selection");
    })
    .catch(reportCopy(app, "The selection"));
}

export function copyExplanation(app: App): void {
  const { store } = app;
  const threads = store.threads.peek();
  // As it is when the questions are asked: the answers are of this, whatever is chosen until they are here.
  const chosen = {
    threads: threads === null ? null : [...threads],
    measure: store.measure.peek(),
    hide: store.hide.peek(),
    isIdleCounted: store.isIdleCounted.peek(),
    lens: store.selectedCalls.peek(),
    nameOf: (rank: number) => store.names.get(rank)?.method ?? null,
  };
  Promise.all([describe(app), topFacts(app)])
    .then(([report, facts]) => {
      if (report === null) return;
      copyText(app, explanationText(report, { ...chosen, ...facts }), "Explanation");
    })
    .catch(reportCopy(app, "The explanation"));
}

export function copyStack(app: App): void {
  if (app.store.call.peek() === null)
    return app.store.notify("error", "Select a call first; then its stack can be copied.");
  stackNames(app)
    .then((names) => copyText(app, names.map((name) => `    at ${name}`).join("\n"), "Stack"))
    .catch(reportCopy(app, "The stack"));
}

export function copyLink(app: App): void {
  // The address of a viewer ends with the program; whoever has the file shows the view by the command.
  const isOfProgram = app.store.can.peek().watch;
  const other = app.store.isPageMaker.peek() ? " Save as one page makes a file to send." : "";
  const more = ` It works on this computer alone, until traceview ends.${other}`;
  copyText(app, addressOf(app), "Link", isOfProgram ? more : "");
}

export function copyCommand(app: App): void {
  commandOf(app)
    .then((command) => copyText(app, command, "Command"))
    .catch(reportCopy(app, "The command"));
}
