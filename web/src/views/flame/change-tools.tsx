// The line above the flame graph of what changed: which boxes, what the colours stand for, and how much it is in all.

import { batch } from "@preact/signals";
import { changeText } from "../../model/changes/changes";
import {
  boxesText,
  changePalette,
  scaleText,
  type ChangeFlame,
  type ChangeView,
  type FlameChoice,
} from "../../model/changes/change-flame";
import { MEASURE_WORDS } from "../../model/words";
import { useApp } from "../shared/context";
import { OneRunNote } from "../shared/run-choice";
import { Segments } from "../shared/segments";

// Between this trace alone and what changed since the one that it is compared with, or what differs between two calls.
export function ChangeSwitch() {
  const { store, panels } = useApp();
  const isOfCalls = store.beside.value !== null;
  if (store.against.value === null && !isOfCalls) return null;
  return (
    <Segments
      label="What is drawn"
      value={panels.flame.choice.value !== null}
      options={[
        { value: false, label: "This trace" },
        isOfCalls
          ? {
              value: true,
              label: "Two calls",
              title: "Coloured by what differs between both calls",
            }
          : {
              value: true,
              label: "Change",
              title: "Coloured by what changed since the other trace",
            },
      ]}
      onChoice={(isChange) =>
        batch(() => {
          store.changePath.value = [];
          store.flameChoice.value = isChange ? { view: "new", isByShare: false } : null;
        })
      }
    />
  );
}

export function ChangeTools({ choice }: { choice: FlameChoice }) {
  const { store, panels } = useApp();
  const { value } = panels.flame.change.value;
  const { of, old, new: own, gone } = panels.flame.sides.value;
  const [one, other] =
    of === "calls" ? ["this call", "the other call"] : ["the new trace", "the old trace"];
  const choose = (chosen: Partial<FlameChoice>): void => {
    batch(() => {
      if (chosen.view !== undefined) store.changePath.value = [];
      store.flameChoice.value = { ...choice, ...chosen };
    });
  };
  return (
    <>
      <Segments<ChangeView>
        label="Boxes and widths"
        value={choice.view}
        options={[
          { value: "new", label: own, title: `Boxes of ${one}, as wide as there` },
          { value: "old", label: old, title: `Boxes of ${other}, as wide as there` },
          { value: "gone", label: gone, title: `Only what ${one} does not have, and its callers` },
        ]}
        onChoice={(view) => choose({ view })}
      />
      {choice.view === "gone" ? null : (
        <Segments<boolean>
          label="Colour by"
          value={choice.isByShare}
          options={[
            { value: false, label: "Time", title: "Colours follow the change of the time" },
            { value: true, label: "Share", title: "Colours follow the change of the share of all" },
          ]}
          onChoice={(isByShare) => choose({ isByShare })}
        />
      )}
      {value === null ? null : <Legend change={value} choice={choice} />}
    </>
  );
}

// What the colours stand for. The scale is that of the answer, whatever is zoomed to.
function Legend({ change, choice }: { change: ChangeFlame; choice: FlameChoice }) {
  const { store, panels } = useApp();
  const { isDark } = store;
  const { fills } = changePalette(isDark.value ? "dark" : "light");
  const scale = scaleText(change, choice);
  if (choice.view === "gone")
    return (
      <span class="change-legend">
        <i style={{ background: fills[0] }} /> {panels.flame.sides.value.gone.toLowerCase()}
      </span>
    );
  if (scale === "") return <span class="change-legend muted">nothing differs</span>;
  return (
    <span class="change-legend">
      −{scale}
      <i style={{ background: `linear-gradient(to right, ${fills.join(",")})` }} />+{scale}
    </span>
  );
}

// How much the traces differ in all, and by how many boxes.
export function ChangeTotal({ change }: { change: ChangeFlame }) {
  const { store, panels } = useApp();
  const sides = panels.flame.sides.value;
  const isOfCalls = sides.of === "calls";
  return (
    <>
      <span>
        {changeText(change.newTotal, change.oldTotal)} of {MEASURE_WORDS[change.measure].word}
      </span>
      {store.lens.value === null || isOfCalls ? null : (
        <span class="muted">of all calls: the other trace has no such set</span>
      )}
      <span class="muted">{boxesText(change, sides)}</span>
      {isOfCalls ? null : <OneRunNote />}
    </>
  );
}
