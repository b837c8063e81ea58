// Moves the keyboard into the lower panel: to its table or graph, else to whatever takes the focus
// first, else to its tab.

const MAIN = ".table-body, .flame-scroll, .insight";
const ANY = "button:not(:disabled), input, [tabindex='0']";

export function focusPanel(): void {
  const panel = document.getElementById("tab-panel");
  const target = panel?.querySelector<HTMLElement>(MAIN) ?? panel?.querySelector<HTMLElement>(ANY);
  if (target) target.focus();
  else focusTab();
}

// What has the focus and is pressed may be gone then, as a chip that takes a choice back, and the browser would begin at the page's start:
// the keyboard goes on with the next of its kind, else with the panel. Gives what ends that.
export function keepFocus(): () => void {
  const onKey = ({ key, target }: KeyboardEvent): void => {
    if ((key !== "Enter" && key !== " ") || !(target instanceof HTMLElement)) return;
    const around: HTMLElement[] = [];
    for (let at = target.parentElement; at !== null; at = at.parentElement) around.push(at);
    const look = (): void => {
      if (target.isConnected || document.activeElement !== document.body) return;
      const near = around.find((one) => one.isConnected);
      const isSmall = near !== undefined && !near.matches("body, .page, .panels");
      const next = isSmall ? near.querySelector<HTMLElement>(ANY) : null;
      if (next) next.focus();
      else focusPanel();
    };
    // What a press does comes with its frame, or with an answer.
    self.requestAnimationFrame(() => self.requestAnimationFrame(look));
  };
  self.addEventListener("keydown", onKey, { capture: true });
  return () => self.removeEventListener("keydown", onKey, { capture: true });
}

// Moves the keyboard to the tab of the lower panel that is open.
export function focusTab(): void {
  document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
}
