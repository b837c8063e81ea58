// One selection for two traces: of a call its counterpart is the call of the same number of the method of that name.

import { effect } from "@preact/signals";
import { partnerName, type Matched, type MatchedSide } from "../../model/changes/matched";
import { nameElsewhere } from "../../model/ops";
import type { CallDetail } from "../../model/trace";
import { findMethod } from "../actions/find-method";
import { askCall } from "../levels";
import { isAbort } from "../loader";
import type { Store } from "../store";

interface Selected {
  readonly method: number;
  readonly call: CallDetail | null;
}

// What the other trace has of the same name and number; null: it has nothing to select.
async function counterpart(
  from: Store,
  to: Store,
  { method, call }: Selected,
  side: MatchedSide,
  matched: readonly Matched[],
  abort: AbortSignal,
): Promise<Selected | null> {
  await from.names.load([method]);
  const named = from.names.get(method);
  if (named === undefined) return null;
  const partner = partnerName(matched, side, named.method);
  const other = await findMethod(to, partner ?? nameElsewhere(named), abort);
  if (call === null) return { method: other, call };
  const { ordinal } = call;
  const beside = await askCall(to, { method: other, ordinal }, abort).catch(() => null);
  return { method: other, call: beside };
}

// Selects in each store the call, or the method, that is selected in the other one. At first the selection of `main` leads, later
// that which changed last.
export function shareSelection(main: Store, old: Store): () => void {
  let running = new AbortController();
  // Whose selection is set here, and not by a user.
  let led: Store | null = old;
  const lead = (from: Store, to: Store): (() => void) =>
    effect(() => {
      const [method, call] = [from.method.value, from.call.value];
      const side = from === main ? "new" : "old";
      const matched = main.matched.value;
      if (led === from) return;
      running.abort();
      running = new AbortController();
      const { signal: abort } = running;
      const select = (found: Selected | null): void => {
        if (abort.aborted) return;
        led = to;
        to.method.value = found?.method ?? null;
        to.call.value = found?.call ?? null;
        led = null;
      };
      if (method === null) select(null);
      else
        counterpart(from, to, { method, call }, side, matched, abort).then(
          select,
          (problem: unknown) => isAbort(problem) || select(null),
        );
    });
  const ends = [lead(old, main)];
  led = null;
  ends.push(lead(main, old));
  return () => {
    running.abort();
    ends.forEach((end) => end());
  };
}
