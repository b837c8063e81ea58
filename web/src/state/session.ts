// From the opened page to the first picture: settings, the event stream, the trace, the link.

import { batch, effect } from "@preact/signals";
import { Refused, Unreachable } from "../api/client";
import { listen } from "../api/events";
import type { Range } from "../base/time";
import { readSettings, writeSettings } from "../model/settings";
import type { TraceInfo } from "../model/trace";
import { messageOf } from "./loader";
import type { Store } from "./store";
import { syncUrl, type Defaults } from "./url";

const SAVE_MS = 400;

function firstChoices(info: TraceInfo): Defaults {
  const busiest = [...info.threads].sort((a, b) => b.calls - a.calls)[0];
  const unfolded = new Set(busiest === undefined || busiest.calls === 0 ? [] : [busiest.id]);
  return { unfolded, view: busyRange(info) };
}

const MOSTLY_EMPTY = 0.2;

// Where the records are, if that is a small part of the time axis.
function busyRange(info: TraceInfo): Range | null {
  const threads = info.threads.filter((thread) => thread.records > 0);
  if (threads.length === 0 || !info.hasCommonAxis) return null;
  const from = Math.min(...threads.map((thread) => thread.first));
  const to = Math.max(...threads.map((thread) => thread.last));
  const air = (to - from) * 0.02;
  return to - from < info.span * MOSTLY_EMPTY ? { from: from - air, to: to + air } : null;
}

function followTheme(store: Store): void {
  const dark = self.matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const { theme } = store.settings.value;
    store.isDark.value = theme === "dark" || (theme === "system" && dark.matches);
    document.documentElement.dataset["theme"] = store.isDark.value ? "dark" : "light";
  };
  effect(apply);
  dark.addEventListener("change", apply);
}

function keepSettings(store: Store): void {
  let timer = 0;
  let isFirst = true;
  effect(() => {
    const settings = writeSettings(store.settings.value);
    if (isFirst) {
      isFirst = false;
      return;
    }
    self.clearTimeout(timer);
    timer = self.setTimeout(() => store.api.saveSettings(settings).catch(store.report), SAVE_MS);
  });
}

export interface Session {
  start(): void;
  openFile(file: File): void;
  retry(): void;
}

export function createSession(store: Store): Session {
  let unsync: (() => void) | null = null;
  let isLoading = false;

  const show = (info: TraceInfo): void => {
    const first = firstChoices(info);
    unsync?.();
    store.names.clear();
    store.tiles.clear();
    batch(() => {
      store.info.value = info;
      unsync = syncUrl(store, first);
      store.phase.value = { kind: "ready" };
    });
    document.title = `${info.file} · traceview`;
  };

  const fail = (problem: unknown): void => {
    if (problem instanceof Refused && problem.status === 404 && problem.message === "no trace")
      store.phase.value = { kind: "empty" };
    else if (problem instanceof Refused && (problem.status === 503 || problem.status === 202))
      store.phase.value = { kind: "reading", progress: null };
    else if (problem instanceof Unreachable)
      store.phase.value = {
        kind: "failed",
        message: "The program does not answer. Start traceview again, then reload this page.",
      };
    else store.phase.value = { kind: "failed", message: messageOf(problem) };
  };

  const load = (): void => {
    if (isLoading) return;
    isLoading = true;
    store.api
      .info(new AbortController().signal)
      .then(show, fail)
      .finally(() => (isLoading = false));
  };

  const listenToProgram = (): void => {
    listen({
      progress: (progress) => {
        if (store.phase.peek().kind !== "ready") store.phase.value = { kind: "reading", progress };
      },
      ready: () => {
        if (store.phase.peek().kind !== "ready") load();
      },
      reload: () => {
        store.notify("done", "The file was recorded anew; showing the new one.");
        load();
      },
      connected: (isConnected) => (store.isConnected.value = isConnected),
    });
  };

  return {
    start: () => {
      followTheme(store);
      listenToProgram();
      store.api
        .settings(new AbortController().signal)
        .then((fields) => (store.settings.value = readSettings(fields)))
        .catch(() => undefined)
        .finally(() => {
          keepSettings(store);
          load();
        });
    },
    retry: load,
    openFile: (file) => {
      store.phase.value = {
        kind: "reading",
        progress: { done: 0, of: file.size, step: "copying" },
      };
      store.api.open(file, new AbortController().signal).then(
        () => {
          history.replaceState(null, "", location.pathname + location.search);
          load();
        },
        (problem: unknown) => {
          store.report(problem);
          load();
        },
      );
    },
  };
}
