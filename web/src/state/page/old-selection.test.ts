import assert from "node:assert/strict";
import { test } from "node:test";
import { signal } from "@preact/signals";
import type { Query } from "../../api/source";
import type { CallDetail } from "../../model/trace";
import type { Store } from "../store";
import { shareSelection } from "./old-selection";

const METHODS = ["init", "load", "draw"];

// A store of a trace that has the methods from `first` on; a search is answered after `turns` awaits.
function storeOf(first: number, turns: number): Store {
  const search = async ({ q }: Query): Promise<{ ranks: number[] }> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const ix = METHODS.findIndex((name) => String(q).includes(name));
    return { ranks: ix < 0 ? [] : [first + ix] };
  };
  const get = (rank: number) => {
    const method = METHODS[rank - first];
    return method === undefined ? undefined : { rank, className: "a.B", method, signature: "()V" };
  };
  return {
    api: { search },
    names: { load: () => Promise.resolve(), get, learn: () => undefined },
    method: signal<number | null>(null),
    call: signal<CallDetail | null>(null),
    matched: signal([]),
  } as unknown as Store;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

void test("what is selected when the other trace comes stays, and is selected there", async () => {
  const [main, old] = [storeOf(0, 1), storeOf(10, 1)];
  main.method.value = 1;
  const end = shareSelection(main, old);
  await settled();
  assert.deepEqual([main.method.value, old.method.value], [1, 11]);
  end();
});

void test("of two selections the later one counts, whichever is found first", async () => {
  const [main, old] = [storeOf(0, 9), storeOf(10, 1)];
  const end = shareSelection(main, old);
  old.method.value = 12;
  main.method.value = 1;
  await settled();
  assert.deepEqual([main.method.value, old.method.value], [1, 11]);
  old.method.value = null;
  await settled();
  assert.deepEqual([main.method.value, old.method.value], [null, null]);
  end();
});
