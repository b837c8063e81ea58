// What a report about the selection asks the program: the numbers of the method, how its calls are spread, and what the
// selected call waited for.

import { plural } from "../../base/format";
import { waitText } from "../../model/detail/detail";
import { nameApart, shortName } from "../../model/names";
import { isInCall, lensQuery, lensText } from "../../model/lens";
import { exactPattern } from "../../model/ops";
import type { Report } from "../../model/report";
import { timeOn, type CallDetail, type Method, type ProfilePage } from "../../model/trace";
import { wholeText } from "../../model/scope-text";
import { callWords } from "../../model/words";
import { settled } from "../../state/loader";
import type { App } from "../../state/page/app";
import { listedFacts } from "../../state/panels/scope-facts";

type Facts = Pick<Report, "numbers" | "spread">;

async function threadsOf({ store }: App, method: Method, nameOf: (id: number) => string) {
  const { signal } = new AbortController();
  const found = await store.api.search({ q: exactPattern(method.method), n: 1 }, signal);
  return found.threads
    .map(({ id, calls }) => ({ name: nameOf(id), calls }))
    .sort((a, b) => b.calls - a.calls);
}

export async function methodFacts(
  app: App,
  rank: number,
  nameOf: (id: number) => string,
): Promise<Facts> {
  const { api, selected } = app.store;
  // Hidden packages hide methods, and here are the calls of one method; their time is in its numbers, as in every table.
  const { hide: _, ...query } = selected.peek();
  // Calls by thread are known of the whole trace alone.
  const { from, threads: chosen, calls: set, idle } = query;
  const isOfAll = [from, chosen, set, idle].every((limit) => limit === undefined);
  const { signal } = new AbortController();
  const [relations, calls] = await Promise.all([
    api.callers({ ...selected.peek(), method: rank }, signal),
    api.calls({ ...query, method: rank, n: 1 }, signal),
  ]);
  const { method, total } = relations;
  const callers = [...relations.callers]
    .sort((a, b) => b.calls - a.calls)
    .map((row) => ({ name: shortName(row), calls: row.calls }));
  const threads = isOfAll ? await threadsOf(app, method, nameOf) : [];
  return {
    numbers: { row: method, total },
    spread: { count: calls.count, stats: calls.stats, callers, threads },
  };
}

// "Waited 26.1 ms: Thread.sleep 26.1 ms.", empty where the trace does not tell it.
export async function waitOfCall(app: App, call: CallDetail): Promise<string> {
  const { api, measure } = app.store;
  const place = { thread: call.thread, depth: call.depth, call: call.call };
  const detail = await api.detail(
    { ...place, clock: measure.peek() },
    new AbortController().signal,
  );
  return waitText(detail, nameApart);
}

// Which calls alone the numbers are of, and whose time is their callers': as it is now, with the names that are known later.
export function partNamer({ store, panels }: App): () => string[] {
  const lens = store.selectedCalls.peek();
  const hide = store.hide.peek();
  const count =
    store.chosenCalls.peek() === null
      ? settled(panels.lensCount.peek())
      : (panels.chosenPart.peek()?.count ?? null);
  const words = callWords(store.info.peek()?.sampled === true);
  const { idle } = listedFacts(store, panels.idle);
  return () => [
    ...(idle === 0 || isInCall(lens) ? [] : [`without ${plural(idle, "idle thread")}`]),
    ...(lens === null ? [] : [lensText(lens, count, words, store.names.get)]),
    ...(hide === ""
      ? []
      : [`the time of methods in ${hide.replaceAll(",", ", ")} is their callers'`]),
  ];
}

// The methods that an explanation lists, the most of their own time first, and of what their shares are.
const MOST_METHODS = 5;

export async function topFacts({
  store,
  panels,
}: App): Promise<{ top: ProfilePage; whole: string }> {
  const measure = store.measure.peek();
  const calls = store.selectedCalls.peek();
  const part = { ...store.listed.peek(), ...lensQuery(calls) };
  const query = { ...part, sort: "exclusive", by: measure, order: "desc" };
  const facts = listedFacts(store, panels.idle, calls);
  const top = await store.api.top({ ...query, n: MOST_METHODS }, new AbortController().signal);
  return { top, whole: wholeText(facts, timeOn(top.total, measure) ?? 0, measure) };
}
