// The start page: its form sends files one by one, in pieces, and shows how far they are.

import { effect } from "@preact/signals";
import { render } from "preact";
import { createKeeper } from "../state/page/site-storage";
import { createOwn, OwnTraces } from "./own-traces";
import { createQueue, type Queue } from "./queue";
import { Sending } from "./upload-list";

// What the form says besides the files; empty fields are left out.
function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [key, value] of new FormData(form))
    if (typeof value === "string" && value !== "" && key !== "page" && key !== "secret")
      fields[key] = value;
  return fields;
}

function secretOf(form: HTMLFormElement): string {
  const value = new FormData(form).get("secret");
  return typeof value === "string" ? value : "";
}

function takeDrops(input: HTMLInputElement): void {
  const isFile = (event: DragEvent): boolean =>
    [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (isOver: boolean): void => {
    document.documentElement.classList.toggle("dropping", isOver);
  };
  self.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    mark(true);
  });
  self.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  self.addEventListener("drop", (event) => {
    mark(false);
    if (!isFile(event) || event.dataTransfer === null) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    input.form?.querySelector<HTMLButtonElement>("button.main")?.focus();
  });
}

function nameButton(form: HTMLFormElement, input: HTMLInputElement): void {
  const button = form.querySelector("button.main");
  const count = input.files?.length ?? 0;
  if (button !== null) button.textContent = count > 1 ? `Upload ${count} traces` : "Upload";
}

// The page of a trace that was sent alone, once it is there; else null.
function onlyLink(queue: Queue): string | null {
  const [only, ...others] = queue.items.value;
  const state = only?.state.value;
  return others.length === 0 && state?.kind === "done" ? state.link : null;
}

export function runStart(base: string): void {
  const form = document.querySelector<HTMLFormElement>("#upload");
  const keeper = createKeeper(base);
  const own = createOwn(base, keeper);
  const mine = document.getElementById("mine");
  const showOwn = (queue: Queue | null): void => {
    if (mine !== null) render(<OwnTraces own={own} queue={queue} />, mine);
  };
  const input = form?.querySelector<HTMLInputElement>("#file") ?? null;
  const place = document.getElementById("uploads");
  if (form === null || input === null || place === null) return showOwn(null);
  const limits = {
    most: Number(form.dataset["most"] ?? 0),
    pieceMost: Number(form.dataset["piece"] ?? 0) || Infinity,
  };
  const queue = createQueue(base, keeper, limits, () => secretOf(form));
  render(<Sending base={base} queue={queue} />, place);
  showOwn(queue);
  input.multiple = true;
  input.addEventListener("change", () => nameButton(form, input));
  takeDrops(input);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    queue.add([...(input.files ?? [])], fieldsOf(form));
    input.value = "";
    nameButton(form, input);
  });
  effect(() => {
    queue.said.value;
    own.update();
  });
  // One trace alone is looked at as soon as it is there.
  const end = effect(() => {
    const link = onlyLink(queue);
    if (link === null) return;
    queueMicrotask(end);
    location.assign(link);
  });
  self.addEventListener("beforeunload", (event) => {
    if (queue.isBusy()) event.preventDefault();
  });
}
