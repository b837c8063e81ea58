// Leads from the opened page to the first picture of a trace: settings, the trace, the link.
// Another trace gets a session and a store of its own: no state of the former trace remains.

import { batch, effect } from "@preact/signals";
import { Unreachable } from "../../api/request";
import type { First, Held } from "../../api/decode-first";
import { knownText } from "../../model/mapping";
import { readUrl } from "../../model/page/url-state";
import { readSettings } from "../../model/page/settings";
import { nameOf } from "../../model/site/site";
import type { TraceInfo } from "../../model/trace";
import { createKeeper } from "./site-storage";
import { followRoom, followSplit } from "./follow-layout";
import { followTheme } from "./follow-theme";
import { messageOf } from "../loader";
import { fragmentOfHeld, runFragment } from "./compared";
import type { Program } from "./program";
import type { Store } from "../store";
import { syncUrl } from "./url";
import { nameAsInFile } from "./url-names";
import { firstChoices } from "./first-choices";
import { keepSettings } from "./kept-settings";
import { createOpening, type Opening } from "./open-files";

// Makes the app for the next trace.
export type Renew = (info: TraceInfo) => void;

export interface Session extends Opening {
  // Follows the program from the opened page on. The promise ends when it is known whether there is
  // a trace to show.
  start(program: Program, renew: Renew): Promise<void>;
  // Takes over from the session of the trace that was shown before.
  takeOver(program: Program, renew: Renew, former: Store, info: TraceInfo): void;
  // Shows the names of before the mapping that the page was given.
  forgetMapping(): void;
  retry(): void;
  // Has the file of the shown trace read again.
  readAgain(): void;
  // Shows the names of the file in place of those of the source, or the other way round. All answers are asked for
  // again, and what the link names stays.
  swapNames(): void;
}

// Whether the user is doing nothing that a new picture would interrupt.
function isIdle(store: Store): boolean {
  const { activeElement } = document;
  const isTyping =
    activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement;
  return !isTyping && store.dialog.peek() === null;
}

const BUSY_MS = 400;
const PICTURE_MS = 300;

export function createSession(store: Store): Session {
  const ends: (() => void)[] = [];
  let isLoading = false;
  let program: Program | null = null;
  let renew: Renew = () => undefined;
  let shownNumber = 0;
  // Whether the program announced a change while the page was asking.
  let wasToldMeanwhile = false;
  let hasSettings = false;
  // What went wrong with the file that was asked for last; it is over when another one is asked for.
  let told: string | null = null;

  const show = (info: TraceInfo): void => {
    const first = firstChoices(info);
    store.names.clear();
    store.tiles.clear();
    batch(() => {
      store.info.value = info;
      ends.push(syncUrl(store, first));
      store.phase.value = { kind: "ready" };
    });
    // The timeline may have nothing to draw, or get no answer: then the picture counts as drawn
    // after this time.
    self.setTimeout(store.becomePictured, PICTURE_MS);
    const site = store.site.peek();
    document.title = `${site === null ? info.file : nameOf(site.trace)} · traceview`;
  };

  // The link of a page that holds several traces says so.
  const link = (held: Held | null): void => {
    store.held.value = held;
    const isNamed = held !== null && canHoldTwo();
    const fragment = isNamed ? fragmentOfHeld(location.hash, held) : location.hash;
    if (fragment !== location.hash) history.replaceState(null, "", fragment);
  };

  // Shows another trace with nothing chosen; a trace that was read again keeps what the link names, and another run most of it.
  const replace = (info: TraceInfo, former: TraceInfo, held: Held | null): void => {
    if (info.file === former.file && !isIdle(store)) {
      self.setTimeout(loadAgain, BUSY_MS);
      return;
    }
    ends.splice(0).forEach((end) => end());
    const compared = held?.compared ?? 0;
    if (compared > 0 && compared === store.held.peek()?.compared)
      history.replaceState(null, "", runFragment(location.hash, readUrl(location.hash).against));
    else if (info.file !== former.file)
      history.replaceState(null, "", location.pathname + location.search);
    link(held);
    renew(info);
  };

  const canHoldTwo = (): boolean => store.can.peek().holdsTwo === true;

  const fail = (problem: unknown): void => {
    if (store.phase.peek().kind === "ready") store.report(problem);
    else if (problem instanceof Unreachable)
      store.phase.value = {
        kind: "failed",
        message:
          store.site.peek() === null
            ? "The program does not answer. Start traceview again, then reload this page."
            : "The site does not answer. Reload this page later.",
      };
    else store.phase.value = { kind: "failed", message: messageOf(problem) };
  };

  // Shows why there is no trace, or none yet.
  const wait = ({ isLoading: isComing, error }: First): void => {
    if (isComing)
      store.phase.value = { kind: "reading", progress: program?.loading.peek() ?? null };
    else if (error !== null && (program?.problem.peek() === null || !store.can.peek().open))
      store.phase.value = { kind: "failed", message: error };
    else store.phase.value = { kind: "empty" };
  };

  // Says by which mapping the names are, once for each that the user gave.
  const tellNames = ({ names }: TraceInfo): void => {
    if (program?.takeRenamed() !== true) return;
    nameAsInFile(store);
    const text =
      names === undefined
        ? "Names are those of the file."
        : `Names by ${names.mapping}${knownText(names)}.`;
    store.notify("done", text);
  };

  // The settings come with the first answer, so that the page is not drawn twice.
  const takeSettings = (first: First): void => {
    if (hasSettings) return;
    hasSettings = true;
    const { site } = first;
    store.isPageMaker.value = first.isPageMaker;
    store.settings.value = readSettings(
      site === null ? first.settings : createKeeper(site.base).settings(),
    );
    ends.push(keepSettings(store));
  };

  const isUpToDate = (): boolean => {
    const { kind } = store.phase.peek();
    const isSettled = kind === "ready" || kind === "empty";
    return isSettled && (program?.traceNumber.peek() ?? 0) <= shownNumber;
  };

  const load = async (): Promise<void> => {
    if (isLoading) return;
    isLoading = true;
    wasToldMeanwhile = false;
    await store.api.first(new AbortController().signal).then((first) => {
      if (first.site !== null) {
        store.site.value = first.site;
        program?.standAlone();
      }
      takeSettings(first);
      shownNumber = first.trace;
      const former = store.info.peek();
      if (first.info === null) wait(first);
      else if (former === null) {
        link(first.held);
        show(first.info);
      } else {
        tellNames(first.info);
        replace(first.info, former, first.held);
      }
    }, fail);
    isLoading = false;
    if (wasToldMeanwhile && !isUpToDate()) await load();
  };
  const loadAgain = (): void => {
    wasToldMeanwhile = true;
    load().catch(store.report);
  };

  const follow = (its: Program): void => {
    program = its;
    ends.push(
      followTheme(store),
      followSplit(store),
      followRoom(store),
      its.follow(() => {
        if (isLoading || !isUpToDate()) loadAgain();
      }),
      effect(() => {
        store.isConnected.value = its.isConnected.value;
        if (!its.isConnected.value && store.phase.peek().kind === "connecting") loadAgain();
      }),
      effect(() => {
        if (its.isAnew.value && store.settings.value.isReloadedByItself) its.reload();
      }),
      effect(() => {
        const problem = its.problem.value;
        if (told !== null) store.withdraw(told);
        told = problem;
        if (problem === null || store.phase.peek().kind !== "ready") return;
        const mapping = its.refused.peek();
        if (mapping === null) store.notify("error", problem);
        else
          store.notify("error", problem, {
            label: "Take it all the same",
            run: () => its.rename(mapping, true),
          });
      }),
      effect(() => {
        const progress = its.loading.value;
        if (progress !== null && store.phase.peek().kind !== "ready")
          store.phase.value = { kind: "reading", progress };
        else if (progress === null && store.phase.peek().kind === "reading") loadAgain();
      }),
    );
  };

  return {
    start: (its, renewal) => {
      renew = renewal;
      follow(its);
      return load();
    },
    takeOver: (its, renewal, former, info) => {
      renew = renewal;
      store.settings.value = former.settings.peek();
      store.isPageMaker.value = former.isPageMaker.peek();
      store.held.value = former.held.peek();
      store.site.value = former.site.peek();
      for (const { kind, text, action } of former.notices.peek()) store.notify(kind, text, action);
      if (former.isPictured.peek()) store.becomePictured();
      // What recorded the trace closes itself, unless it has more to say.
      if (former.dialog.peek() === "record") store.dialog.value = "record";
      told = its.problem.peek();
      shownNumber = its.traceNumber.peek() ?? 0;
      hasSettings = true;
      follow(its);
      ends.push(keepSettings(store));
      show(info);
    },
    retry: loadAgain,
    readAgain: () => program?.reload(),
    swapNames: () => {
      const info = store.info.peek();
      if (info === null) return;
      const settings = store.settings.peek();
      store.settings.value = { ...settings, isWrittenNames: !settings.isWrittenNames };
      ends.splice(0).forEach((end) => end());
      renew(info);
    },
    ...createOpening(store, () => program),
    forgetMapping: () => program?.rename(null, false),
  };
}
