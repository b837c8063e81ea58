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
