// The files that a visitor sends, one after the other, and what became of each.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { createUploadApi } from "../api/uploads";
import { note, type Track } from "../model/site/rate";
import type { TraceFields } from "../model/site/site";
import type { OwnTrace } from "../model/site/upload-history";
import type { Keeper } from "../state/page/site-storage";
import { createSender, type Step } from "./file-uploader";

export type ItemState =
  | { readonly kind: "waiting" }
  | (Step & { readonly track: Track })
  | { readonly kind: "done"; readonly link: string; readonly trace: OwnTrace }
  | { readonly kind: "failed"; readonly why: string; readonly canRetry: boolean }
  | { readonly kind: "cancelled" };

export interface Item {
  readonly file: File;
  readonly state: ReadonlySignal<ItemState>;
  cancel(): void;
  // Tries again now, after a lost connection.
  wake(): void;
  // Begins again, after it failed.
  retry(): void;
}

interface QueuedItem extends Item {
  readonly state: Signal<ItemState>;
  run(): Promise<void>;
}

export interface Queue {
  readonly items: ReadonlySignal<readonly Item[]>;
  // What the screen reader is told: what changed last.
  readonly said: ReadonlySignal<string>;
  add(files: readonly File[], fields: TraceFields): void;
  isBusy(): boolean;
}

interface Limits {
  // Of one trace; 0: none.
  readonly most: number;
  readonly pieceMost: number;
}

// `secretNow` gives what the form has as the secret of uploads: who mistyped it mends it there and tries again.
export function createQueue(
  base: string,
  keeper: Keeper,
  limits: Limits,
  secretNow: () => string,
): Queue {
  const send = createSender(createUploadApi(base), keeper);
  const items = signal<readonly QueuedItem[]>([]);
  const said = signal("");
  let isRunning = false;

  const makeItem = (file: File, fields: TraceFields): QueuedItem => {
    const abort = new AbortController();
    const wake = new EventTarget();
    const state = signal<ItemState>({ kind: "waiting" });
    let track: Track = [];
    const tell = (step: Step): void => {
      if (step.kind === "sending") track = note(track, performance.now(), step.done);
      if (step.kind === "lost") {
        track = [];
        said.value = `${file.name}: ${step.why}; trying again`;
      }
      state.value = { ...step, track };
    };
    const run = async (): Promise<void> => {
      if (abort.signal.aborted) return;
      said.value = `${file.name} is being sent`;
      const { pieceMost } = limits;
      const secret = secretNow();
      const sent = send({ file, fields, secret, pieceMost, signal: abort.signal, tell, wake });
      await sent.then(
        ({ trace, token }) => {
          const name = trace.title === "" ? trace.file : trace.title;
          const { id, bytes, createdS } = trace;
          const own = { id, name, token, bytes, createdS };
          keeper.addOwn([own]);
          state.value = { kind: "done", link: `${base}/trace/${id}/`, trace: own };
          said.value = `${file.name} is uploaded`;
        },
        (problem: unknown) => {
          if (abort.signal.aborted) return;
          const why = problem instanceof Error ? problem.message : String(problem);
          state.value = { kind: "failed", why, canRetry: true };
          said.value = `${file.name} was not uploaded: ${why}`;
        },
      );
    };
    const cancel = (): void => {
      abort.abort();
      state.value = { kind: "cancelled" };
      said.value = `${file.name} is cancelled`;
    };
    const retry = (): void => {
      track = [];
      state.value = { kind: "waiting" };
      void runAll();
    };
    return { file, state, run, cancel, retry, wake: () => wake.dispatchEvent(new Event("wake")) };
  };

  const runAll = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    for (;;) {
      const next = items.peek().find((item) => item.state.peek().kind === "waiting");
      if (next === undefined) break;
      await next.run();
    }
    isRunning = false;
  };

  return {
    items,
    said,
    add: (files, fields) => {
      const added = files.map((file) => {
        const item = makeItem(file, fields);
        if (limits.most > 0 && file.size > limits.most)
          item.state.value = {
            kind: "failed",
            why: "It is larger than this site takes.",
            canRetry: false,
          };
        return item;
      });
      items.value = [...items.peek(), ...added];
      void runAll();
    },
    isBusy: () => isRunning,
  };
}
