// What the script adds to the other pages. Each of them is complete without it.

import { followTrace } from "../api/trace-events";
import { createKeeper } from "../state/page/site-storage";

const ASK_AGAIN_MS = 5000;

function stateText(state: string, place: number): string {
  if (state !== "queued") return "It is being read.";
  return place > 1
    ? `It waits for its turn: place ${place} in the queue.`
    : "It waits for its turn.";
}

// A trace that waits or is read: the page shows how far it is, and is loaded anew when the trace is there.
export function runWaiting(): void {
  const state = document.getElementById("state");
  const progress = document.querySelector<HTMLProgressElement>("#progress");
  followTrace(
    (news) => {
      if (news.state === "ready" || news.state === "failed") return location.reload();
      const text = stateText(news.state, news.place);
      if (state !== null && state.textContent !== text) state.textContent = text;
      if (progress !== null && news.done !== null) progress.value = news.done;
    },
    () => self.setTimeout(() => location.reload(), ASK_AGAIN_MS),
  );
}

// Two traces are compared, neither more nor fewer.
export function runList(): void {
  const form = document.querySelector<HTMLFormElement>("#compare");
  const button = form?.querySelector<HTMLButtonElement>("button.main");
  const chosen = document.getElementById("chosen");
  if (!form || !button || chosen === null) return;
  const update = (): void => {
    const count = form.querySelectorAll("input:checked").length;
    button.disabled = count !== 2;
    chosen.textContent =
      count === 2 ? "" : count > 2 ? `${count} are checked: leave two.` : "Check two traces.";
  };
  form.addEventListener("change", update);
  update();
}

// The fields for links offer the traces that were uploaded with this browser.
export function runCompare(base: string): void {
  const list = document.createElement("datalist");
  list.id = "own";
  for (const { id, name } of createKeeper(base).read().own) {
    const option = document.createElement("option");
    option.value = new URL(`${base}/trace/${id}/`, location.href).href;
    option.label = name;
    list.append(option);
  }
  document.body.append(list);
  for (const input of document.querySelectorAll("input[name=old], input[name=new]"))
    input.setAttribute("list", list.id);
}

// The owner's forms have the token in them where this browser knows it.
export function runOwner(base: string): void {
  const keeper = createKeeper(base);
  for (const input of document.querySelectorAll<HTMLInputElement>("input.token"))
    input.value = keeper.tokenOf(input.dataset["trace"] ?? "");
}

export function runStored(base: string): void {
  const place = document.getElementById("forget");
  if (place === null) return;
  const button = document.createElement("button");
  button.className = "button";
  button.textContent = "Forget all of it";
  button.addEventListener("click", () => {
    const question =
      "Without their owner tokens your traces can neither be changed nor deleted. Forget them?";
    if (!confirm(question)) return;
    createKeeper(base).forget();
    place.textContent = "This browser keeps nothing of this site any more.";
  });
  place.append(button);
}

// Times in the reader's own zone.
export function localizeTimes(): void {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = time.textContent ?? "";
    time.textContent = format.format(moment);
  }
}
