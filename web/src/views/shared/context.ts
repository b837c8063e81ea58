// What every component can ask for: the app, and the program behind it.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { App } from "../../state/page/app";
import type { Program } from "../../state/page/program";

export const AppContext = createContext<App | null>(null);
export const ProgramContext = createContext<Program | null>(null);

// What stood in the page before its script ran, and is of use until there is more to see.
export const StillContext = createContext<readonly Node[]>([]);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error("no App in the context");
  return app;
}

export function useProgram(): Program {
  const program = useContext(ProgramContext);
  if (program === null) throw new Error("no Program in the context");
  return program;
}
