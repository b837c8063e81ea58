// What a report shows without a script: its top methods and a flame graph. It is seen for as long as the trace is read, and where
// that cannot be read.

import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { StillContext } from "../shared/context";

export function Still() {
  const nodes = useContext(StillContext);
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => box.current?.append(...nodes), []);
  return nodes.length === 0 ? null : (
    <section class="still-page" aria-label="The trace at a glance" tabIndex={0} ref={box} />
  );
}
