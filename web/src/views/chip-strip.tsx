// What the numbers of the lower panel are of, as chips: which calls, what is left out, what they are compared with. In a narrow
// window they scroll aside in a strip of their own, so that what is right of them stays in sight.

import { PairChip } from "./pair/pair-chip";
import { ChosenChip, LensChip } from "./chips/calls-chips";
import { IdleChip, OnlyChip, WithoutChips } from "./chips/hidden-chips";
import { MatchedChip } from "./chips/matched-chip";

export function Chips() {
  return (
    <div class="chips">
      <LensChip />
      <ChosenChip />
      <OnlyChip />
      <WithoutChips />
      <MatchedChip />
      <PairChip />
      <IdleChip />
    </div>
  );
}
