// What the program is doing at the address of this page, and asking it for another trace. This part outlives the traces that
// are shown, each of which has a store of its own.

import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { AskHandle, OtherPage } from "../../api/content";
import type { Progress } from "../../api/events";
import { isMappingFile } from "../../api/file-handles";
import type { Source } from "../../api/source";
import type { Offer } from "../../model/page/offer";
import type { StartList } from "../../model/page/recent";
import { isAbort, messageOf } from "../loader";
import { besideAddress } from "./compared";
import { goToPage, openBeside } from "./other-page";
import { createRecorder, type Recorder } from "./recorder";

// One of the recent files.
interface NamedFile {
  readonly id: string;
  readonly name: string;
}

export interface Program {
  // The progress of reading the next trace, or the rest of the shown one.
  readonly loading: ReadonlySignal<Progress | null>;
  // Whether the file of the shown trace was recorded anew and is not read again yet.
  readonly isAnew: Signal<boolean>;
  // Why the file that was asked for last is not shown.
  readonly problem: Signal<string | null>;
  // The trace that another window hands over, until the user has decided about it.
  readonly offer: Signal<Offer | null>;
  readonly isConnected: ReadonlySignal<boolean>;
  // Null: the source cannot record.
  readonly recorder: Recorder | null;
  // The number of traces that the program has shown so far; null while it is not known.
  readonly traceNumber: ReadonlySignal<number | null>;
  // Calls `ready` whenever there is a trace to ask for; the function that comes back ends that.
  follow(ready: (traceNumber: number) => void): () => void;
  start(): void;
  // A site's page follows nobody: its trace stays what it is.
  standAlone(): void;
  // What the start page offers.
  recent(signal: AbortSignal): Promise<StartList>;
  // Opens a trace; a mapping renames the shown one.
  openFile(file: File, askHandle?: AskHandle): void;
  // Opens traces that are compared; null: each trace has a page of its own.
  readonly openSides: ((old: readonly File[], opened: readonly File[]) => void) | null;
  // Turns round the traces that the page holds; null: another page shows them so.
  readonly swap: (() => void) | null;
  // Opens a trace and leads to it, compared with the one that is shown.
  compareFile(file: File): void;
  // The same of several runs; null: each trace has a page of its own.
  readonly compareFiles: ((files: readonly File[]) => void) | null;
  // The same of one of the recent files.
  compareRecent(id: string, name: string): void;
  // Opens two of the recent files, compared.
  compareRecents(old: NamedFile, opened: NamedFile): void;
  // Has the shown trace renamed by a mapping, or, by null, have its former names.
  rename(mapping: File | null, isForced: boolean): void;
  // The mapping that was refused, since it is of another build; it can be forced.
  readonly refused: ReadonlySignal<File | null>;
  // Whether names were asked for that the user has not been told of yet; takes the news.
  takeRenamed(): boolean;
  // Lets the user choose files, where the source has a way of its own for that, and opens one; several go to `take`.
  readonly choose: ((take: (files: readonly File[]) => void) => void) | null;
  openRecent(id: string, name: string): void;
  // Forgets the copy of a trace that the browser keeps; null: it keeps none.
  readonly forget: ((keptId: string) => Promise<void>) | null;
  openExample(name: string): void;
  reload(): void;
  cancel(): void;
}

function otherThanShown(page: OtherPage): string {
  if (page === null) throw new Error("that is the trace that is shown");
  return page;
}

function goBeside(address: string): void {
  goToPage(besideAddress(address, self.location));
}

export function createProgram(source: Source): Program {
  const { content } = source;
  const { two } = content;
  const recorder = source.recording === undefined ? null : createRecorder(source.recording);
  const loading = signal<Progress | null>(null);
  const isAnew = signal(false);
  const problem = signal<string | null>(null);
  const refused = signal<File | null>(null);
  const offer = signal<Offer | null>(null);
  const isConnected = signal(true);
  const traceNumber = signal<number | null>(null);
  const followers = new Set<(traceNumber: number) => void>();
  let sending: AbortController | null = null;
  // The mapping that was given last; null: names of before were asked for.
  let given: File | null = null;
  let isRenaming = false;
  // What is to be done when the trace that was asked for last is there.
  let after = (): void => undefined;
  let endListening = (): void => undefined;

  const ask = (
    file: string,
    of: number,
    step: string,
    wish: () => Promise<OtherPage>,
    lead: (address: string) => void,
  ): void => {
    problem.value = null;
    refused.value = null;
    after = () => undefined;
    loading.value = { done: 0, of, step, file };
    wish().then(
      (page) => {
        if (page === null) return;
        loading.value = null;
        lead(page);
      },
      (reason: unknown) => {
        loading.value = null;
        if (!isAbort(reason)) problem.value = `${file}: ${messageOf(reason)}`;
      },
    );
  };

  // Asks for what this page shows itself.
  const askHere = (file: string, wish: () => Promise<void>): void =>
    ask(file, 0, "opening", () => wish().then(() => null), goToPage);

  const sendFile = (
    file: File,
    send: (tell: (done: number) => void, abort: AbortSignal) => Promise<OtherPage>,
    lead: (address: string) => void,
  ): void => {
    const mine = new AbortController();
    sending?.abort();
    sending = mine;
    const wish = (): Promise<OtherPage> =>
      send(
        (done) => (loading.value = { done, of: file.size, step: "copying", file: file.name }),
        mine.signal,
      ).finally(() => {
        if (sending === mine) sending = null;
      });
    ask(file.name, file.size, "copying", wish, lead);
  };

  const rename = (mapping: File | null, isForced: boolean): void => {
    given = mapping;
    isRenaming = true;
    const send = (tell: (done: number) => void, abort: AbortSignal): Promise<OtherPage> =>
      content.rename(mapping, isForced, tell, abort).then(() => null);
    if (mapping !== null) sendFile(mapping, send, goToPage);
    else
      ask(
        "the trace",
        0,
        "reading",
        () => send(() => undefined, new AbortController().signal),
        goToPage,
      );
  };

  const openFile = (
    file: File,
    lead: (address: string) => void,
    askHandle: AskHandle = () => Promise.resolve(null),
  ): void => {
    // A browser gives the handle of a dropped file at once or not at all.
    const handle = askHandle();
    void isMappingFile(file).then((isMapping) => {
      if (isMapping) rename(file, false);
      else sendFile(file, (tell, abort) => content.send(file, tell, abort, () => handle), lead);
    });
  };

  const ready = (now: number): void => {
    if (sending === null) loading.value = null;
    if (traceNumber.peek() !== now) isAnew.value = false;
    traceNumber.value = now;
    for (const follower of followers) follower(now);
    after();
  };

  const openRecent = (id: string, name: string): void =>
    ask(name, 0, "opening", () => content.openRecent(id), goToPage);
  const compareRecent = (id: string, name: string): void =>
    two === null
      ? ask(name, 0, "opening", () => content.openRecent(id).then(otherThanShown), goBeside)
      : askHere(name, () => two.compareRecent(id));

  return {
    loading,
    isAnew,
    problem,
    offer,
    isConnected,
    recorder,
    traceNumber,
    follow: (follower) => {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    start: () => {
      endListening = source.listen({
        progress: (progress) => {
          if (sending === null) loading.value = progress;
        },
        ready,
        failed: (file, reason, isMapping) =>
          batch(() => {
            isRenaming = false;
            refused.value = isMapping ? given : null;
            problem.value = `${file}: ${reason}`;
          }),
        offered: (one) => (offer.value = one),
        anew: () => (isAnew.value = true),
        connected: (isThere) => (isConnected.value = isThere),
      });
    },
    standAlone: () => {
      endListening();
      isConnected.value = true;
    },
    recent: (signal) => content.recent(signal),
    choose:
      content.choose === null
        ? null
        : (take) => {
            content
              .choose?.()
              .then((files) => files.length > 0 && take(files))
              .catch((reason: unknown) => (problem.value = messageOf(reason)));
          },
    openFile: (file, askHandle) => openFile(file, openBeside, askHandle),
    compareFile: (file) => {
      if (two === null) return openFile(file, goBeside);
      void isMappingFile(file).then((isMapping) => {
        if (isMapping) rename(file, false);
        else askHere(file.name, () => two.compare([file]));
      });
    },
    compareFiles:
      two === null ? null : (files) => askHere(files[0]?.name ?? "", () => two.compare(files)),
    openSides:
      two === null
        ? null
        : (old, opened) => askHere(opened[0]?.name ?? "", () => two.openSides(old, opened)),
    swap: two === null ? null : () => askHere("the old trace", () => two.swap()),
    rename,
    refused,
    takeRenamed: () => {
      const was = isRenaming;
      isRenaming = false;
      return was;
    },
    forget: content.forget,
    openRecent,
    compareRecent,
    // Behind a program, the second one has a page of its own once the first is shown here.
    compareRecents: (old, opened) => {
      openRecent(old.id, old.name);
      after = () => compareRecent(opened.id, opened.name);
    },
    openExample: (name) => ask(name, 0, "opening", () => content.openExample(), goToPage),
    reload: () => {
      isAnew.value = false;
      ask("the trace", 0, "reading", () => content.reload().then(() => null), goToPage);
    },
    cancel: () => {
      if (sending !== null) sending.abort();
      else
        content
          .cancel()
          .catch((reason: unknown) => (problem.value = messageOf(reason)))
          .finally(() => (loading.value = null));
    },
  };
}
