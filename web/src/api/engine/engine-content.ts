// Which trace the engine shows, and asking for another one: a file of the user's, one that was opened before, the example, an
// address, what another window hands over, or what the page itself has in it.

import { isAbortError } from "./abort";
import type { Offer } from "../../model/page/offer";
import { MOST_RUNS, type Runs } from "../../model/changes/runs";
import type { StartList } from "../../model/page/recent";
import type { ContentApi } from "../content";
import type { EventHandlers } from "../events";
import { OPENED_PLACE, type MappingFile } from "../../engine/messages";
import { fieldsOf, type Fields } from "../check";
import type { EngineHost, TellProgress } from "./engine-host";
import { WrongMapping } from "./engine-worker";
import { handlePicker, type Handle } from "../file-handles";
import {
  alone,
  keepSides,
  newIn,
  openedFirst,
  placeOfName,
  othersOf,
  runsOf,
  sameWishes,
  takenAll,
  wishesOf,
  type Held,
  type Request,
  type Sides,
} from "./compared-traces";
import { keepFile } from "./browser-storage";
import { forgetTrace } from "./kept-traces";
import { leaveAddress, turnAddress } from "./own-address";
import {
  addressWish,
  fileWish,
  handleWish,
  recentFiles,
  recentWish,
  type Wish,
} from "./trace-files";

export interface Example {
  readonly name: string;
  readonly bytes: number;
  readonly address: string;
}

export interface EngineContent {
  readonly api: ContentApi;
  readonly traceNumber: number;
  readonly isLoading: boolean;
  readonly error: string | null;
  // What the mapping of the shown trace knows of it, as the state of the first answer has it; null: it has none.
  readonly names: Fields | null;
  // What the shown trace is compared with; null: it is not.
  readonly compared: {
    // Counts what was read at once: runs of one set are other traces of it.
    readonly set: number;
    // The names of all traces, where there are more than one of each side; null: there are not.
    readonly runs: Runs | null;
  } | null;
  // The place of the shown trace in the engine.
  readonly place: number;
  open(sides: Sides<Wish>): void;
  // Lets the user decide about a trace.
  offer(offer: Offer): void;
  listen(handlers: EventHandlers): () => void;
  // The shown trace is gone, since it could not be read again.
  lost(reason: unknown): void;
}

const MOST_TRACES = `At most ${MOST_RUNS} traces are compared at once.`;

const messageOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message : String(problem);

// `example`: null where none came with the page.
export function createEngineContent(host: EngineHost, example: Example | null): EngineContent {
  const pick = handlePicker();
  const listeners = new Set<EventHandlers>();
  const each = (tell: (handlers: EventHandlers) => void): void => listeners.forEach(tell);
  // By which files that were chosen are given again.
  const handles = new WeakMap<File, Handle>();
  let traceNumber = 0;
  let held: Sides<Held> | null = null;
  let set = 0;
  let place = OPENED_PLACE;
  let taking: AbortController | null = null;
  let error: string | null = null;
  let names: Fields | null = null;

  const run = async ({ sides, mapping }: Request, mine: AbortController): Promise<void> => {
    const { signal } = mine;
    const tell =
      (file: string): TellProgress =>
      (done, of, step) =>
        each((to) => to.progress({ done, of, step, file }));
    const [first, ...rest] = sides.new;
    const wish = "file" in first ? first.wish : first;
    const file = await wish.take(signal, tell(wish.name));
    const old = await takenAll(sides.old, signal, tell);
    const others = await takenAll(rest, signal, tell);
    if (signal.aborted) return;
    const all: Sides<Held> = { old, new: [{ wish, file, mapping }, ...others] };
    const beside = othersOf(all);
    const known = await host.open(
      {
        name: wish.name,
        file,
        ...(mapping === undefined ? {} : { mapping }),
        ...(beside.length === 0 ? {} : { others: beside }),
      },
      tell(wish.name),
      (reason) => loseOthers(all, reason),
    );
    names =
      mapping === undefined
        ? null
        : { mapping: mapping.name, given: true, ...fieldsOf(JSON.parse(known), "names") };
    if (!sameWishes(all, held)) keepSides(all);
    held = all;
    set += 1;
    place = OPENED_PLACE;
    traceNumber += 1;
    error = null;
  };

  const loseOthers = (all: Sides<Held>, reason: unknown): void => {
    if (held !== all) return;
    const [opened] = all.new;
    held = { old: [], new: [opened] };
    [place, set, traceNumber] = [OPENED_PLACE, set + 1, traceNumber + 1];
    keepSides(held);
    each((to) => to.failed(opened.wish.name, messageOf(reason), false));
    each((to) => to.ready(traceNumber));
  };

  const open = (request: Request): void => {
    const [first] = request.sides.new;
    const wish = "file" in first ? first.wish : first;
    taking?.abort();
    host.cancel();
    const mine = new AbortController();
    taking = mine;
    error = null;
    void run(request, mine)
      .catch((problem: unknown) => {
        if (isAbortError(problem) || taking !== mine) return;
        const isMapping = problem instanceof WrongMapping;
        // The trace is shown as it was before, and the mapping alone is refused.
        if (!isMapping) error = `${wish.name}: ${messageOf(problem)}`;
        each((to) => to.failed(wish.name, messageOf(problem), isMapping));
      })
      .finally(() => {
        if (taking !== mine) return;
        taking = null;
        each((to) => to.ready(traceNumber));
      });
  };

  const shown = (): Held | undefined => (held === null ? undefined : newIn(held, place));
  // All that the page holds, of which the shown trace is opened again.
  const again = (mapping: MappingFile | undefined): void => {
    const one = shown();
    if (held === null || one === undefined) return;
    open({ sides: openedFirst(held, one), ...(mapping === undefined ? {} : { mapping }) });
  };
  const openSides = (sides: Sides<Held | Wish>): void => {
    if (sides.old.length + sides.new.length > MOST_RUNS) throw new Error(MOST_TRACES);
    leaveAddress();
    open({ sides });
  };
  const openAnother = (wish: Wish): void => {
    leaveAddress();
    open(alone(wish));
  };
  // What is held is the old side then.
  const openBeside = (wishes: readonly [Wish, ...Wish[]]): void =>
    openSides({ old: held === null ? [] : held.new, new: wishes });
  const wishOf = (file: File): Wish => fileWish(file, Promise.resolve(handles.get(file) ?? null));

  return {
    get traceNumber() {
      return host.isOpen() ? traceNumber : 0;
    },
    get isLoading() {
      return taking !== null;
    },
    get error() {
      return error;
    },
    get names() {
      return names;
    },
    get compared() {
      if (held === null || held.old.length === 0 || !host.isOpen()) return null;
      return { set, runs: runsOf(held) };
    },
    get place() {
      return place;
    },
    open: (sides) => open({ sides }),
    offer: (one) => each((to) => to.offered(one)),
    listen: (handlers) => {
      listeners.add(handlers);
      return () => listeners.delete(handlers);
    },
    lost: (reason) => {
      const name = shown()?.wish.name ?? "the trace";
      each((to) => to.failed(name, messageOf(reason), false));
    },
    api: {
      recent: async (): Promise<StartList> => ({
        files: await recentFiles(),
        example: example === null ? null : { name: example.name, bytes: example.bytes },
      }),
      send: (file, _tell, _signal, askHandle) => {
        const asking = askHandle();
        void asking.then((handle) => (handle === null ? undefined : keepFile(handle, file)));
        openAnother(fileWish(file, asking));
        return Promise.resolve(null);
      },
      rename: (file, isForced) => {
        if (held === null)
          return Promise.reject(new Error("open its trace first, then give its mapping"));
        again(file === null ? undefined : { name: file.name, file, isForced });
        return Promise.resolve();
      },
      choose:
        pick === null
          ? null
          : async () => {
              const chosen = await pick();
              const [first, second] = chosen;
              if (first !== undefined && second === undefined) {
                openAnother(handleWish(first));
                return [];
              }
              return Promise.all(
                chosen.map(async (handle) => {
                  const file = await handle.getFile();
                  handles.set(file, handle);
                  return file;
                }),
              );
            },
      openRecent: async (id) => {
        openAnother(await recentWish(id));
        return null;
      },
      two: {
        compare: async (files) => openBeside(wishesOf(files.map(wishOf))),
        compareRecent: async (id) => openBeside([await recentWish(id)]),
        openSides: async (old, opened) =>
          openSides({ old: old.map(wishOf), new: wishesOf(opened.map(wishOf)) }),
        swap: () => {
          const [first, ...rest] = held?.old ?? [];
          if (held === null || first === undefined) return Promise.resolve();
          turnAddress();
          const { mapping } = first;
          open({
            sides: { old: held.new, new: [first, ...rest] },
            ...(mapping === undefined ? {} : { mapping }),
          });
          return Promise.resolve();
        },
        show: (name) => {
          const one = held === null ? undefined : newIn(held, placeOfName(name));
          if (one === undefined) return Promise.reject(new Error(`there is no run ${name} here`));
          place = placeOfName(name);
          names = null;
          host.makeFilesOf({
            name: one.wish.name,
            file: one.file,
            ...(one.mapping === undefined ? {} : { mapping: one.mapping }),
          });
          traceNumber += 1;
          each((to) => to.ready(traceNumber));
          return Promise.resolve();
        },
      },
      forget: forgetTrace,
      openExample: () => {
        if (example !== null) openAnother(addressWish(example.name, example.address));
        return Promise.resolve(null);
      },
      reload: () => {
        again(shown()?.mapping);
        return Promise.resolve();
      },
      cancel: () => {
        taking?.abort();
        taking = null;
        host.cancel();
        each((to) => to.ready(traceNumber));
        return Promise.resolve();
      },
    },
  };
}
