// Keeps one answer up to date with a question. A new question cancels the old one, a late answer is
// dropped, and the last good answer stays on the screen while the next is on its way.

import { effect, signal, type ReadonlySignal } from "@preact/signals";

export interface Loaded<T> {
  readonly value: T | null;
  readonly isLoading: boolean;
  readonly error: string | null;
}

export function isAbort(problem: unknown): boolean {
  return problem instanceof DOMException && problem.name === "AbortError";
}

export function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

// The answer to the question as it stands; null while it is on its way, or where it failed.
export function settled<T>({ value, isLoading, error }: Loaded<T>): T | null {
  return isLoading || error !== null ? null : value;
}

// `question` is read reactively; while it is null, nothing is asked and the last answer stays.
export function createLoader<Q, T>(
  question: () => Q | null,
  load: (question: Q, signal: AbortSignal) => Promise<T>,
  delayMs = 0,
): ReadonlySignal<Loaded<T>> {
  const state = signal<Loaded<T>>({ value: null, isLoading: false, error: null });
  let running: AbortController | null = null;
  let asked = "";
  let timer = 0;

  const start = (wanted: Q): void => {
    const controller = new AbortController();
    running = controller;
    load(wanted, controller.signal).then(
      (value) => {
        if (running !== controller) return;
        state.value = { value, isLoading: false, error: null };
      },
      (problem: unknown) => {
        if (running !== controller || isAbort(problem)) return;
        asked = "";
        state.value = { ...state.peek(), isLoading: false, error: messageOf(problem) };
      },
    );
  };

  effect(() => {
    const wanted = question();
    if (wanted === null) return;
    const key = JSON.stringify(wanted);
    if (key === asked) return;
    asked = key;
    running?.abort();
    running = null;
    self.clearTimeout(timer);
    state.value = { ...state.peek(), isLoading: true, error: null };
    if (delayMs === 0) start(wanted);
    else timer = self.setTimeout(() => start(wanted), delayMs);
  });
  return state;
}
