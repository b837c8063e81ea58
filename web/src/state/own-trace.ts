// What questions call the trace that the page shows.

import { ownName } from "../model/page/own-page";
import type { Store } from "./store";

// Null where pages have no names.
export function ownTrace({ held }: Pick<Store, "held">): string | null {
  return held.value?.own ?? ownName(location);
}
