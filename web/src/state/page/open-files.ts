// Files that the user gives to the page: one is opened, others are compared. Of two the one that was changed last is the new one;
// of more the user says which are old.

import type { AskHandle } from "../../api/content";
import { MOST_RUNS } from "../../model/changes/runs";
import type { Program } from "./program";
import type { Store } from "../store";

export interface Opening {
  openFile(file: File, askHandle?: AskHandle): void;
  compareFile(file: File): void;
  openFiles(files: readonly File[]): void;
  // Compares files with what is shown.
  compareFiles(files: readonly File[]): void;
  openSides(old: readonly File[], opened: readonly File[]): void;
  // Lets the user choose files; false: an input for files shall do that.
  chooseFile(): boolean;
}

const MOST_ONE = "One trace is shown at a time: drop one file.";
const MOST_SIDES = `At most ${MOST_RUNS} traces are compared at once.`;

// `program`: null until the page knows it.
export function createOpening(store: Store, program: () => Program | null): Opening {
  const refusal = (count: number): string | null => {
    if (store.can.peek().holdsTwo !== true) return MOST_ONE;
    return count > MOST_RUNS ? MOST_SIDES : null;
  };
  const openSeveral = (files: readonly File[]): void => {
    const refused = refusal(files.length);
    if (refused !== null) return store.notify("error", refused);
    const [old, opened, more] = [...files].sort((a, b) => a.lastModified - b.lastModified);
    if (old !== undefined && opened !== undefined && more === undefined)
      return program()?.openSides?.([old], [opened]);
    store.given.value = files;
    store.dialog.value = "sides";
  };
  const openFiles = (files: readonly File[]): void => {
    const [first, second] = files;
    if (second !== undefined) openSeveral(files);
    else if (first !== undefined) program()?.openFile(first);
  };
  return {
    openFile: (file, askHandle) => program()?.openFile(file, askHandle),
    compareFile: (file) => program()?.compareFile(file),
    openFiles,
    compareFiles: (files) => {
      const refused = refusal(files.length + 1);
      if (refused === null) program()?.compareFiles?.(files);
      else store.notify("error", refused);
    },
    openSides: (old, opened) => program()?.openSides?.(old, opened),
    chooseFile: () => {
      const choose = program()?.choose;
      choose?.(openFiles);
      return typeof choose === "function";
    },
  };
}
