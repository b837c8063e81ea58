// The methods and threads that the command palette finds beside its commands.

import { signal, type ReadonlySignal } from "@preact/signals";
import { matcherOf } from "../../model/text-pattern";
import { threadLabel, type Method, type Thread } from "../../model/trace";
import { isAbort } from "../loader";
import type { Store } from "../store";

const METHODS = 12;
const THREADS = 8;
const TYPING_MS = 100;

export interface PaletteFinds {
  readonly methods: ReadonlySignal<readonly Method[]>;
  threads(text: string): readonly Thread[];
  // Looks for what was typed; the former text's answer is dropped.
  ask(text: string): void;
  end(): void;
}

export function createPaletteFinds(store: Store): PaletteFinds {
  const methods = signal<readonly Method[]>([]);
  let abort = new AbortController();
  let timer = 0;

  const load = async (q: string, mine: AbortSignal): Promise<void> => {
    const { ranks } = await store.api.search({ q, n: METHODS }, mine);
    await store.names.load(ranks);
    if (!mine.aborted) methods.value = ranks.flatMap((rank) => store.names.get(rank) ?? []);
  };
  const end = (): void => {
    abort.abort();
    self.clearTimeout(timer);
  };
  return {
    methods,
    end,
    threads: (text) => {
      if (text.trim() === "") return [];
      const isMatch = matcherOf(text.trim());
      const all = store.info.peek()?.threads ?? [];
      return all
        .filter((thread) => thread.records > 0 && isMatch(threadLabel(thread)))
        .slice(0, THREADS);
    },
    ask: (text) => {
      end();
      abort = new AbortController();
      const mine = abort.signal;
      if (text.trim() === "" || store.info.peek() === null) methods.value = [];
      else
        timer = self.setTimeout(
          () =>
            load(text.trim(), mine).catch((problem: unknown) => {
              // An expression that is not finished finds nothing.
              if (!isAbort(problem)) methods.value = [];
            }),
          TYPING_MS,
        );
    },
  };
}
