// Leads to the page of another trace, whose address the program tells.

// In this tab: Back returns to the trace that it shows now.
export function goToPage(address: string): void {
  self.location.assign(address);
}

// The page of another run: in place of this one where nobody has seen it yet.
export function goToRun(address: string, isInPlace: boolean): void {
  if (isInPlace) self.location.replace(address);
  else goToPage(address);
}

// In a tab of its own, so that this one keeps its trace. Without a gesture of the user a moment ago the browser would not
// allow that, or it does not want to: then in this tab.
export function openBeside(address: string): void {
  if (!navigator.userActivation.isActive || self.open(address) === null) goToPage(address);
}
