// Whether a promise was rejected because somebody gave it up.

export function isAbortError(problem: unknown): boolean {
  return problem instanceof DOMException && problem.name === "AbortError";
}
