// What is downloaded: the format, and the part of the trace.

import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  chosenThreadsLabel,
  timeOptions,
  type DownloadChoice,
  type ExportFormat,
  type InView,
} from "../../model/page/download";
import { callWords, MEASURE_WORDS } from "../../model/words";
import { hasMeasure, type Measure, type TraceInfo } from "../../model/trace";
import { threadNamer } from "../shared/thread-namer";
import { Check, Choice } from "./fields";

const MEASURES: readonly Measure[] = ["wall", "cpu", "wait"];

interface PartOfForm {
  readonly choice: Signal<DownloadChoice>;
}

export function Formats({ formats, choice }: PartOfForm & { formats: readonly ExportFormat[] }) {
  // The dialog is open before the formats are there.
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <fieldset class="formats">
      <legend>Format</legend>
      {formats.map(({ name, summary }) => (
        <label key={name}>
          <input
            type="radio"
            name="format"
            ref={name === choice.peek().format ? first : null}
            checked={name === choice.value.format}
            onChange={() => (choice.value = { ...choice.peek(), format: name })}
          />
          <b>{name}</b>
          <span>{summary}</span>
        </label>
      ))}
    </fieldset>
  );
}

// What is written of the trace. What is not limited on the page is not asked for.
export function Part({
  seen,
  info,
  choice,
  isWithoutClock,
}: PartOfForm & { seen: InView; info: TraceInfo; isWithoutClock?: boolean }) {
  const change = (part: Partial<DownloadChoice>): void => {
    choice.value = { ...choice.peek(), ...part };
  };
  const nameOf = threadNamer(info);
  const chosen = seen.threads === null ? [] : [...seen.threads].map(nameOf);
  return (
    <>
      <Choice
        label="Time"
        value={choice.value.time}
        options={timeOptions(seen).map(({ part, label }) => [part, label] as const)}
        onChoice={(time) => change({ time })}
      />
      {seen.threads === null ? null : (
        <Choice
          label="Threads"
          value={choice.value.isOnlyChosenThreads ? "chosen" : "all"}
          options={[
            ["chosen", chosenThreadsLabel(chosen)],
            ["all", `All ${info.threads.length} threads`],
          ]}
          onChoice={(which) => change({ isOnlyChosenThreads: which === "chosen" })}
        />
      )}
      {isWithoutClock === true ? null : (
        <Choice
          label="Clock, where the format has one"
          value={choice.value.measure}
          options={MEASURES.filter((measure) => hasMeasure(info, measure)).map(
            (measure) => [measure, MEASURE_WORDS[measure].word] as const,
          )}
          onChoice={(measure) => change({ measure })}
        />
      )}
      {seen.filter === "" ? null : (
        <Check
          label={`Only stacks with a method that matches “${seen.filter}”`}
          isOn={choice.value.isFiltered}
          onCheck={(isFiltered) => change({ isFiltered })}
        />
      )}
      {seen.lens === null ? null : (
        <Check
          label={`Only the ${callWords(info.sampled).many} that all panels are limited to`}
          isOn={choice.value.isThroughLens}
          onCheck={(isThroughLens) => change({ isThroughLens })}
        />
      )}
      {seen.chosenCalls === null ? null : (
        <Check
          label={`Only the selected ${callWords(info.sampled).many}`}
          isOn={choice.value.isOnlyChosenCalls}
          onCheck={(isOnlyChosenCalls) => change({ isOnlyChosenCalls })}
        />
      )}
      {seen.hidden.length === 0 ? null : (
        <Check
          label="My code only: the time of other packages goes to their callers"
          isOn={choice.value.isHiding}
          onCheck={(isHiding) => change({ isHiding })}
        />
      )}
    </>
  );
}
