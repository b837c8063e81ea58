// One selection for two traces: of a call its counterpart is the call of the same number of the method of that name.

import { effect } from "@preact/signals";
import { linkName } from "../../model/ops";
import type { CallDetail } from "../../model/trace";
import { findMethod } from "../actions/find-method";
import { askCall } from "../levels";
import { isAbort } from "../loader";
import type { Store } from "../store";

// Selects in one store the call, or the method, that is selected in the other one: of the same name and number.
export function selectionOf(from: Store, to: Store, shown: { of: Store | null }): () => void {
  let running = new AbortController();
  const find = async (rank: number, call: CallDetail | null, abort: AbortSignal): Promise<void> => {
    await from.names.load([rank]);
    const method = from.names.get(rank);
    if (method === undefined) return;
    const other = await findMethod(to, linkName(method), abort);
    const beside =
      call === null
        ? null
        : await askCall(to, { method: other, ordinal: call.ordinal }, abort).catch(() => null);
    abort.throwIfAborted();
    shown.of = to;
    to.method.value = other;
    to.call.value = beside;
    shown.of = null;
  };
  return effect(() => {
    const rank = from.method.value;
    const call = from.call.value;
    if (shown.of === from) return;
    running.abort();
    running = new AbortController();
    const { signal: abort } = running;
    const clear = (): void => {
      if (abort.aborted) return;
      shown.of = to;
      to.method.value = null;
      to.call.value = null;
      shown.of = null;
    };
    if (rank === null) clear();
    // What the other trace has not, is not selected there.
    else find(rank, call, abort).catch((problem: unknown) => !isAbort(problem) && clear());
  });
}
