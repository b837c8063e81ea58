// One download at a time. The browser saves the file, and its list of downloads has it; whoever makes
// the file tells how far it is, and why it fails.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Query } from "../../api/source";
import { Refused } from "../../api/request";
import { outcomeWords, type ExportFormat, type ExportProgress } from "../../model/page/download";
import { NO_WORDS, type PageWords } from "../../model/page/single-file";
import type { RedactionPreview } from "../../model/page/redaction";
import { createLoader, messageOf, type Loaded } from "../loader";
import type { Store } from "../store";

export type DownloadPhase =
  | { readonly kind: "idle" }
  // The program is asked whether it would make the file.
  | { readonly kind: "asking" }
  | { readonly kind: "running"; readonly name: string; readonly progress: ExportProgress | null }
  | { readonly kind: "over"; readonly name: string; readonly progress: ExportProgress }
  | { readonly kind: "refused"; readonly reason: string };

export interface Downloads {
  // Asked for when the dialog opens first.
  readonly formats: ReadonlySignal<Loaded<ExportFormat[]>>;
  readonly phase: ReadonlySignal<DownloadPhase>;
  // What redaction would do to what is asked for here; null: to nothing.
  readonly redacted: Signal<Query | null>;
  readonly preview: ReadonlySignal<Loaded<RedactionPreview>>;
  // What was written for a page that is not saved: a dialog that is closed by mistake has it again.
  readonly words: Signal<PageWords>;
  start(query: Query): void;
  cancel(): void;
  // Forgets what became of the last one.
  clear(): void;
}

const ASK_AGAIN_MS = 300;
// Packages are typed: what they mean is asked when the typing pauses.
const TYPING_MS = 200;
// A browser that has not asked for the file by then will not.
const BEGIN_PATIENCE_MS = 15_000;

const LOST: ExportProgress = {
  state: "failed",
  bytes: 0,
  done: 0,
  of: 0,
  changes: [],
  error: "the browser did not fetch it",
};

export function createDownloads(store: Store): Downloads {
  const { api, dialog } = store;
  const phase = signal<DownloadPhase>({ kind: "idle" });
  const redacted = signal<Query | null>(null);
  const words = signal<PageWords>(NO_WORDS);
  let id = 0;

  const follow = async (own: number, name: string): Promise<void> => {
    const begun = performance.now();
    for (;;) {
      await new Promise((resolve) => self.setTimeout(resolve, ASK_AGAIN_MS));
      const progress = await askFor(own, begun);
      if (own !== id) return;
      if (progress === null) continue;
      if (progress.state === "running") {
        phase.value = { kind: "running", name, progress };
        continue;
      }
      phase.value = { kind: "over", name, progress };
      if (dialog.peek() !== "download")
        store.notify(progress.state === "done" ? "done" : "error", outcomeWords(name, progress));
      return;
    }
  };

  // null: the browser has not asked for the file yet.
  const askFor = async (own: number, begun: number): Promise<ExportProgress | null> => {
    try {
      return await api.exporting(own);
    } catch (problem) {
      if (!(problem instanceof Refused) || problem.status !== 404)
        return { ...LOST, error: messageOf(problem) };
      return performance.now() - begun > BEGIN_PATIENCE_MS ? LOST : null;
    }
  };

  const run = async (own: number, query: Query): Promise<void> => {
    const name = await api.exportName(query);
    if (own !== id) return;
    api.saveExport(query, own, name);
    phase.value = { kind: "running", name, progress: null };
    await follow(own, name);
  };

  return {
    formats: createLoader(
      () => (dialog.value === "download" ? {} : null),
      (_, abort) => api.exports(abort),
    ),
    phase,
    redacted,
    words,
    preview: createLoader(
      () => redacted.value,
      (query, abort) => api.preview(query, abort),
      TYPING_MS,
    ),
    start: (query) => {
      const own = 1 + Math.floor(Math.random() * 2 ** 48);
      id = own;
      phase.value = { kind: "asking" };
      run(own, query).catch((problem: unknown) => {
        if (own === id) phase.value = { kind: "refused", reason: messageOf(problem) };
      });
    },
    cancel: () => {
      if (phase.peek().kind === "asking") {
        id = 0;
        phase.value = { kind: "idle" };
        return;
      }
      api.cancelExport(id).catch(() => undefined); // what became of it is asked for anyway
    },
    clear: () => {
      const { kind } = phase.peek();
      if (kind === "over" || kind === "refused") phase.value = { kind: "idle" };
    },
  };
}
