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

// Moves the keyboard to the tab of the lower panel that is open.
export function focusTab(): void {
  document.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
}
