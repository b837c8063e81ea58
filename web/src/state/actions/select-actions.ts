// Selects methods and calls, and walks from call to call.

import { batch, effect } from "@preact/signals";
import type { Query } from "../../api/source";
import { Refused } from "../../api/request";
import { sameLens, type Lens } from "../../model/lens";
import type { CallDetail, CallRef } from "../../model/trace";
import { askCall } from "../levels";
import { isAbort } from "../loader";
import type { Store } from "../store";
import type { ViewActions } from "./view-actions";

export type Step =
  | "parent"
  | "child"
  | "next-sibling"
  | "prev-sibling"
  | "next"
  | "prev"
  | "next-in-thread"
  | "prev-in-thread";

const NO_STEP: Record<Step, string> = {
  parent: "This call has no caller.",
  child: "This call made no calls.",
  "next-sibling": "No later call of the same caller.",
  "prev-sibling": "No earlier call of the same caller.",
  next: "This is the last call of the method.",
  prev: "This is the first call of the method.",
  "next-in-thread": "This is the last call of the method in this thread.",
  "prev-in-thread": "This is the first call of the method in this thread.",
};

export interface SelectActions {
  // Of the method the calls of a box or a row, or all of them.
  method(rank: number, calls?: Lens | null): void;
  call(ref: CallRef, reveal?: "reveal" | "stay"): void;
  // A call of the list of those that are selected, which stay so.
  listed(ref: CallRef, reveal: "reveal" | "stay"): void;
  nthCall(rank: number, ordinal: number): void;
  step(step: Step): void;
  clear(): void;
}

export function createSelectActions(store: Store, views: ViewActions): SelectActions {
  let running: AbortController | null = null;

  const take = (call: CallDetail, reveal: "reveal" | "stay", isListed: boolean): void => {
    store.names.learn([call.method]);
    batch(() => {
      if (!isListed) store.pickedCalls.value = null;
      store.method.value = call.rank;
      store.call.value = call;
    });
    if (reveal === "stay") return;
    views.reveal({ from: call.start, to: call.end });
    store.revealed.value = call;
  };

  const ask = (
    query: Query,
    reveal: "reveal" | "stay",
    refusal: string | null,
    isListed = false,
  ): void => {
    running?.abort();
    const controller = new AbortController();
    running = controller;
    askCall(store, query, controller.signal).then(
      (call) => running === controller && take(call, reveal, isListed),
      (problem: unknown) => {
        if (isAbort(problem) || running !== controller) return;
        if (problem instanceof Refused && problem.status === 404 && refusal !== null)
          store.notify("done", refusal);
        else store.report(problem);
      },
    );
  };

  // What is hidden moves the selected call to another level.
  let hidden = store.hide.peek();
  effect(() => {
    if (store.hide.value === hidden) return;
    hidden = store.hide.value;
    const call = store.call.peek();
    if (call !== null) {
      const { thread, depth, call: number } = call;
      ask({ thread, depth, call: number }, "stay", null, true);
    }
  });

  return {
    method: (rank, calls = null) =>
      batch(() => {
        running?.abort();
        // A selected call is one of the method's, and may be none of the picked ones.
        const isOther = calls !== null && !sameLens(calls, store.chosenCalls.peek());
        store.method.value = rank;
        store.pickedCalls.value = calls;
        if (isOther || store.call.peek()?.rank !== rank) store.call.value = null;
      }),
    call: (ref, reveal = "stay") =>
      ask({ thread: ref.thread, depth: ref.depth, call: ref.call }, reveal, "No such call."),
    listed: ({ thread, depth, call }, reveal) =>
      ask({ thread, depth, call }, reveal, "No such call.", true),
    nthCall: (rank, ordinal) => ask({ method: rank, ordinal }, "reveal", "No such call."),
    step: (step) => {
      const call = store.call.peek();
      const rank = store.method.peek();
      if (call !== null)
        ask(
          { thread: call.thread, depth: call.depth, call: call.call, step },
          "reveal",
          NO_STEP[step],
        );
      else if (rank !== null && (step === "next" || step === "prev"))
        ask({ method: rank, ordinal: 0 }, "reveal", "This method has no calls.");
    },
    clear: () =>
      batch(() => {
        running?.abort();
        store.method.value = null;
        store.pickedCalls.value = null;
        store.call.value = null;
      }),
  };
}
