// Finds the rank of a method in this trace by its name. A link may come from a person or from
// another recording of the same program, so the trace may have no such method.

import { exactPattern } from "../../model/ops";
import type { Store } from "../store";

const ID = /^0x[0-9a-f]+$/;

export async function findMethod(
  store: Pick<Store, "api" | "names">,
  name: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  if (ID.test(name)) return (await store.api.calls({ method: name, n: 1 }, signal)).rank;
  const found = await store.api.search({ q: exactPattern(name), n: 1 }, signal);
  const rank = found.ranks[0];
  if (rank === undefined)
    throw new Error(`The link names a method that this trace does not have: ${name}`);
  await store.names.load([rank]);
  return rank;
}
