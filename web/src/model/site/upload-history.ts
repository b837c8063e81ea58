// What a site's pages keep in the browser: the traces that were uploaded with it, which is where the owner tokens are,
// and uploads that did not come to their end.

export interface OwnTrace {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly bytes: number;
  readonly createdS: number;
}

export interface Unfinished {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly bytes: number;
  // When the file was changed last: another file of the same name and size is another file.
  readonly modifiedMs: number;
}

export interface Kept {
  readonly own: readonly OwnTrace[];
  readonly unfinished: readonly Unfinished[];
}

export const NOTHING: Kept = { own: [], unfinished: [] };

const ID = /^[0-9a-f]{32}$/;

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function listIn<T>(value: unknown, key: string, read: (fields: Fields) => T | null): T[] {
  const list = isFields(value) ? value[key] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const one = isFields(item) ? read(item) : null;
    return one === null ? [] : [one];
  });
}

function textIn(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}

function countIn(fields: Fields, key: string): number {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

function readOwn(fields: Fields): OwnTrace | null {
  const id = textIn(fields, "id");
  const token = textIn(fields, "owner_token");
  if (!ID.test(id) || !ID.test(token)) return null;
  return {
    id,
    token,
    name: textIn(fields, "name"),
    bytes: countIn(fields, "bytes"),
    createdS: countIn(fields, "created_s"),
  };
}

function readUnfinished(fields: Fields): Unfinished | null {
  const id = textIn(fields, "id");
  const token = textIn(fields, "owner_token");
  if (!ID.test(id) || !ID.test(token)) return null;
  return {
    id,
    token,
    name: textIn(fields, "name"),
    bytes: countIn(fields, "bytes"),
    modifiedMs: countIn(fields, "modified_ms"),
  };
}

// What cannot be read is left out: the browser's user, or an older page, may have written anything.
export function readKept(text: string | null): Kept {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return {
      own: listIn(value, "own", readOwn),
      unfinished: listIn(value, "unfinished", readUnfinished),
    };
  } catch {
    return NOTHING;
  }
}

export function writeKept(kept: Kept): string {
  return JSON.stringify({
    own: kept.own.map(({ id, name, token, bytes, createdS }) => ({
      id,
      owner_token: token,
      name,
      bytes,
      created_s: createdS,
    })),
    unfinished: kept.unfinished.map(({ id, name, token, bytes, modifiedMs }) => ({
      id,
      owner_token: token,
      name,
      bytes,
      modified_ms: modifiedMs,
    })),
  });
}

// The newest first, each once.
export function withOwn(kept: Kept, more: readonly OwnTrace[]): Kept {
  const ids = new Set(more.map(({ id }) => id));
  const own = [...more, ...kept.own.filter(({ id }) => !ids.has(id))];
  return { ...kept, own: own.sort((a, b) => b.createdS - a.createdS) };
}

export function withoutOwn(kept: Kept, id: string): Kept {
  return { ...kept, own: kept.own.filter((one) => one.id !== id) };
}

export function withUnfinished(kept: Kept, one: Unfinished): Kept {
  return { ...withoutUnfinished(kept, one.id), unfinished: [one, ...kept.unfinished] };
}

export function withoutUnfinished(kept: Kept, id: string): Kept {
  return { ...kept, unfinished: kept.unfinished.filter((one) => one.id !== id) };
}
