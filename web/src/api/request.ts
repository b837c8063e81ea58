// One request, and why it failed.

import { fieldsOf, textOr } from "./check";

// A request that the program refused, with the program's reason.
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

// The program cannot be reached at all.
export class Unreachable extends Error {}

async function refusalOf(response: Response): Promise<Refused> {
  let text = "";
  try {
    text = textOr(fieldsOf(await response.json(), "error"), "error", "");
  } catch {
    // The body holds no reason that can be read: the status stands for it.
  }
  return new Refused(
    response.status,
    text === "" ? `the program answered ${response.status}` : text,
  );
}

export async function request(address: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { cache: "no-store", ...init });
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new Unreachable("the program does not answer; it may have ended");
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

// Questions about several traces, some of which may still be read, or be read again because they were closed meanwhile: who
// answers refuses to wait for them for long.

// Whether the program refused because it has no trace yet that could answer.
export function isLoadingStill(problem: unknown): boolean {
  return problem instanceof Refused && problem.status === 503;
}

const AGAIN_MS = 300;

// Asks until all traces that the question names are read.
export async function onceRead<T>(ask: () => Promise<T>, abort: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (problem) {
      if (!isLoadingStill(problem)) throw problem;
      await new Promise((resolve) => self.setTimeout(resolve, AGAIN_MS));
      abort.throwIfAborted();
    }
  }
}

// Has questions asked one after the other, as those for which a program opens and closes many traces: two at once would close
// each other's.
export function createTurns(): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const mine = last.then(ask, ask);
    last = mine;
    return mine;
  };
}
