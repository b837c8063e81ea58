// What a page without a program keeps in the browser's storage: settings, and the files that were opened last, where the
// browser lets a page have a file again. A browser may refuse both; then nothing is kept.

import type { RecentFile } from "../../model/page/recent";
import { withSettingsChange } from "../../model/page/settings-change";
import { fieldsOf, type Fields } from "../check";
import type { Handle } from "../file-handles";

const SETTINGS = "traceview:page:settings";

export function readKeptSettings(): Fields {
  try {
    return fieldsOf(JSON.parse(localStorage.getItem(SETTINGS) ?? "{}"), "settings");
  } catch {
    return {};
  }
}

export function keepSettings(change: Fields): void {
  try {
    const settings = withSettingsChange(readKeptSettings(), change);
    localStorage.setItem(SETTINGS, JSON.stringify(settings));
  } catch {
    // Said above: not kept.
  }
}

interface KeptFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly openedSeconds: number;
  readonly handle: Handle;
}

const STORE = "files";
// What api/engine/kept-traces.ts keeps.
export const TRACES = "traces";
const MOST = 12;

export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser keeps nothing"));
  });
}

// Version 1 had no traces.
export async function openStore(mode: IDBTransactionMode, name = STORE): Promise<IDBObjectStore> {
  const opening = indexedDB.open("traceview", 2);
  opening.onupgradeneeded = () => {
    const { objectStoreNames } = opening.result;
    for (const one of [STORE, TRACES])
      if (!objectStoreNames.contains(one)) opening.result.createObjectStore(one, { keyPath: "id" });
  };
  const older = new Promise<never>((_, reject) => {
    opening.onblocked = () => reject(new Error("a tab has an older page open"));
  });
  const database = await Promise.race([settled(opening), older]);
  // Another tab may have a newer page.
  database.onversionchange = () => database.close();
  return database.transaction(name, mode).objectStore(name);
}

async function latestFirst(store: IDBObjectStore): Promise<KeptFile[]> {
  const all = (await settled(store.getAll())) as KeptFile[];
  return all.sort((a, b) => b.openedSeconds - a.openedSeconds);
}

export async function keptFiles(): Promise<RecentFile[]> {
  try {
    const files = await latestFirst(await openStore("readonly"));
    return files.map(({ handle: _, ...file }) => ({ ...file, folder: "" }));
  } catch {
    return [];
  }
}

// Remembers a file that was opened; one that is known already is moved to the front.
export async function keepFile(handle: Handle, file: File): Promise<void> {
  try {
    const known = await latestFirst(await openStore("readonly"));
    const same = await Promise.all(known.map((one) => handle.isSameEntry(one.handle)));
    const store = await openStore("readwrite");
    known.forEach(({ id }, ix) => {
      if (same[ix] === true || ix >= MOST - 1) store.delete(id);
    });
    const { name, size } = file;
    const one: KeptFile = {
      id: crypto.randomUUID(),
      name,
      bytes: size,
      openedSeconds: Math.floor(Date.now() / 1000),
      handle,
    };
    await settled(store.put(one));
  } catch {
    // Said above: not kept.
  }
}

export async function keptHandle(id: string): Promise<Handle | null> {
  const found = (await settled((await openStore("readonly")).get(id))) as KeptFile | undefined;
  return found?.handle ?? null;
}
