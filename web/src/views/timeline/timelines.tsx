// The timeline, and below it that of the trace that the shown one is compared with. Between them lines join the moments of both.

import { AppContext, useApp } from "../shared/context";
import { MomentStrip } from "./moment-strip";
import { Timeline } from "./timeline";

export function Timelines() {
  const app = useApp();
  const side = app.store.oldView.value.isHidden ? null : app.oldSide.value;
  return (
    <div class={side === null ? "timelines" : "timelines timelines-two"}>
      <Timeline />
      {side === null ? null : (
        <>
          <MomentStrip side={side} />
          <AppContext.Provider value={side.app}>
            <OldTimeline />
          </AppContext.Provider>
        </>
      )}
    </div>
  );
}

function OldTimeline() {
  const phase = useApp().store.phase.value;
  if (phase.kind === "ready") return <Timeline isOld />;
  return (
    <p class="timeline-none muted">
      {phase.kind === "failed"
        ? `The old trace cannot be shown: ${phase.message}`
        : "Reading the old trace…"}
    </p>
  );
}
