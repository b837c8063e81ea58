// Both sides of a comparison: their files, calls and times, what holds for all methods together, and how to look at it.

import { formatCount, formatDuration } from "../../base/format";
import { sideText, type Changes, type ChangesSide } from "../../model/changes/changes";
import { summaryText } from "../../model/changes/summary";
import type { RunsSide } from "../../model/changes/runs";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { goToPage } from "../../state/page/other-page";
import { swappedAddress } from "../../state/page/compared";
import type { Store } from "../../state/store";
import { useApp, useProgram } from "../shared/context";
import { RunChoice } from "../shared/run-choice";
import { TimeChoice } from "./time-choice";
import { TotalChange } from "../pair/total-change";

export function ChangesHead({ changes }: { changes: Changes }) {
  const { store, oldSide } = useApp();
  const { hash } = store.info.value ?? { hash: null };
  const old = oldSide.value?.app.store;
  const isOneFile = hash !== null && old?.info.value?.hash === hash;
  const program = useProgram();
  const time = MEASURE_WORDS[changes.clock].word;
  const against = store.against.value ?? "";
  // The link is written a moment after what it tells of, so it is read when the button is pressed.
  const goToSwapped =
    swappedAddress(location, against) === null
      ? null
      : () => goToPage(swappedAddress(location, against) ?? "");
  const hasRuns = changes.old.runs + changes.new.runs > 2;
  const swap = program.swap ?? goToSwapped;
  return (
    <div class="changes-head">
      <dl>
        <Side word="Old" side={changes.old} time={time} is="old" isSampled={isSampled(old)} />
        <Side word="New" side={changes.new} time={time} is="new" isSampled={isSampled(store)} />
      </dl>
      <p>
        All threads together{hasRuns ? ", median to median" : ""}: <TotalChange changes={changes} />{" "}
        {summaryText(changes)}
        {isOneFile && !hasRuns ? " Both sides are the same file." : ""}
      </p>
      <div class="changes-tools">
        <TimeChoice />
        {swap === null || store.against.value === null ? null : (
          <button class="link" onClick={swap}>
            Swap the sides
          </button>
        )}
      </div>
    </div>
  );
}

function isSampled(store: Store | undefined): boolean {
  return store?.info.value?.sampled === true;
}

function Side({
  word,
  side,
  time,
  is,
  isSampled,
}: {
  word: string;
  side: ChangesSide;
  time: string;
  is: RunsSide;
  isSampled: boolean;
}) {
  return (
    <div>
      <dt>{word}</dt>
      <dd>
        <span class="clip" title={sideText(side)}>
          {sideText(side)}
        </span>
        <span class="muted">
          {formatCount(side.calls)} {callWords(isSampled).many}, {formatDuration(side.total)} of{" "}
          {time}
          {side.runs > 1 ? ", the medians" : ""}
        </span>
        <RunChoice side={is} />
      </dd>
    </div>
  );
}
