// Sends one file in pieces, and goes on where it was when the connection was lost: in this page, or in a later one that
// is given the same file.

import { Refused, Unreachable } from "../api/request";
import type { Uploaded } from "../api/site";
import { Elsewhere, Later, type UploadApi } from "../api/uploads";
import type { Unfinished } from "../model/site/upload-history";
import type { TraceFields } from "../model/site/site";
import type { Keeper } from "../state/page/site-storage";

export type Step =
  | { readonly kind: "sending"; readonly done: number }
  | {
      readonly kind: "lost";
      readonly done: number;
      readonly why: string;
      readonly retryAtMs: number;
    }
  | { readonly kind: "finishing" };

interface Sending {
  readonly file: File;
  readonly fields: TraceFields;
  readonly secret: string;
  // The most bytes of one piece that the site takes.
  readonly pieceMost: number;
  readonly signal: AbortSignal;
  tell(step: Step): void;
  // Ends the wait after a lost connection early.
  readonly wake: EventTarget;
}

// A longer piece saves no time, and proxies refuse long ones. What has arrived of a piece is kept when the connection is lost.
const PIECE = 64 * 1024 * 1024;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

function isSame(one: Unfinished, file: File): boolean {
  return one.name === file.name && one.bytes === file.size && one.modifiedMs === file.lastModified;
}

function waitFor(sending: Sending, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    sending.signal.throwIfAborted();
    const end = new AbortController();
    const once = { signal: end.signal };
    const go = (): void => {
      end.abort();
      self.clearTimeout(timer);
      resolve();
    };
    const timer = self.setTimeout(go, ms);
    sending.wake.addEventListener("wake", go, once);
    self.addEventListener("online", go, once);
    sending.signal.addEventListener(
      "abort",
      () => {
        end.abort();
        self.clearTimeout(timer);
        reject(new DOMException("cancelled", "AbortError"));
      },
      once,
    );
  });
}

// A file that cannot be read looks to the browser like a connection that was lost.
async function assertReadable(file: File, at: number): Promise<void> {
  try {
    await file.slice(at, at + 1).arrayBuffer();
  } catch {
    throw new Error(
      "The file cannot be read any more: it was changed or removed. Choose it again.",
    );
  }
}

export function createSender(api: UploadApi, keeper: Keeper) {
  // Calls `ask` until the site answers. `done` is what has arrived so far.
  const insist = async <T>(sending: Sending, done: number, ask: () => Promise<T>): Promise<T> => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        return await ask();
      } catch (problem) {
        if (!(problem instanceof Unreachable) && !(problem instanceof Later)) throw problem;
        const ms = problem instanceof Later ? Math.max(waitMs, problem.seconds * 1000) : waitMs;
        const retryAtMs = performance.now() + ms;
        sending.tell({ kind: "lost", done, why: problem.message, retryAtMs });
        await waitFor(sending, ms);
      }
    }
  };

  const begin = async (sending: Sending): Promise<Unfinished> => {
    const { file, fields, secret, signal } = sending;
    const { id, token } = await insist(sending, 0, () => api.begin(file, fields, secret, signal));
    const begun = {
      id,
      token,
      name: file.name,
      bytes: file.size,
      modifiedMs: file.lastModified,
    };
    keeper.addUnfinished(begun);
    return begun;
  };

  // Where the upload stands; null: the site does not know it any more.
  const stand = async (sending: Sending, one: Unfinished, done: number): Promise<number | null> => {
    try {
      return await insist(sending, done, () => api.offset(one.id, one.token, sending.signal));
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      return null;
    }
  };

  // The trace of an upload that was completed when nobody heard the answer; null: there is none.
  const finished = async (sending: Sending, one: Unfinished): Promise<Uploaded | null> => {
    const { id, token } = one;
    try {
      const ask = (): Promise<Uploaded> => api.complete(id, token, sending.signal);
      return { ...(await insist(sending, one.bytes, ask)), token };
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      return null;
    }
  };

  const sendRest = async (sending: Sending, one: Unfinished, from: number): Promise<void> => {
    const { file, signal } = sending;
    const most = Math.min(PIECE, sending.pieceMost);
    let offset = from;
    while (offset < file.size) {
      const at = offset;
      const bytes = file.slice(at, at + most);
      sending.tell({ kind: "sending", done: at });
      const piece = { id: one.id, token: one.token, offset: at, bytes };
      const tell = (sent: number): void => sending.tell({ kind: "sending", done: at + sent });
      const wasSent = await insist(sending, at, async () => {
        try {
          await assertReadable(file, at);
          signal.throwIfAborted();
          await api.send(piece, tell, signal);
          return true;
        } catch (problem) {
          if (problem instanceof Elsewhere) return false;
          throw problem;
        }
      });
      const there = wasSent ? at + bytes.size : await stand(sending, one, at);
      if (there === null) throw new Refused(404, "The site has given this upload up.");
      offset = there;
    }
  };

  return async (sending: Sending): Promise<Uploaded> => {
    let one = keeper.read().unfinished.find((other) => isSame(other, sending.file));
    let offset = one === undefined ? null : await stand(sending, one, 0);
    if (one !== undefined && offset === null) {
      keeper.removeUnfinished(one.id);
      const whole = await finished(sending, one);
      if (whole !== null) return whole;
    }
    if (one === undefined || offset === null) {
      one = await begin(sending);
      offset = 0;
    }
    const { id, token } = one;
    try {
      await sendRest(sending, one, offset);
      sending.tell({ kind: "finishing" });
      const uploaded = await insist(sending, sending.file.size, () =>
        api.complete(id, token, sending.signal),
      );
      keeper.removeUnfinished(id);
      return uploaded.token === "" ? { ...uploaded, token } : uploaded;
    } catch (problem) {
      const isCancelled = sending.signal.aborted;
      if (isCancelled || problem instanceof Refused) {
        keeper.removeUnfinished(id);
        if (isCancelled) await api.giveUp(id, token).catch(() => undefined);
      }
      throw problem;
    }
  };
}
