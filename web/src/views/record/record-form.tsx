// What is to be recorded: process, mode, buffer, and when it ends.

import { HERE, type Recordable } from "../../model/page/recordable";
import {
  BEGINS,
  bufferAdvice,
  buffersMb,
  DURATIONS_S,
  fitChoice,
  isBufferFixed,
  missingWords,
  modeAdvice,
  modesOf,
  type RecordedPlace,
  type RecordingChoice,
} from "../../model/page/recording-choice";
import type { Recorder } from "../../state/page/recorder";
import { Choice, Field } from "../dialogs/fields";
import { chosenProcess, recordedPlace } from "./record-choices";
import { Processes } from "./record-processes";

export function RecordForm({ recorder, place }: { recorder: Recorder; place: string }) {
  const { choice } = recorder;
  const of = recordedPlace(recorder, place);
  const fitted = fitChoice(of, choice.value);
  const { begin, mode, bufferMb, durationS, activity } = fitted;
  const missing = missingWords(of);
  const choose = (changed: Partial<RecordingChoice>): void => {
    choice.value = { ...choice.peek(), ...changed };
  };
  const process = chosenProcess(recorder);
  const start = (event: Event): void => {
    event.preventDefault();
    if (process === null) return;
    const name = process.name === "" ? String(process.pid) : process.name;
    const { pid } = process;
    const buffer = isBufferFixed(of) ? 0 : bufferMb;
    const wish = { serial: place, pid, name, begin, activity, mode, durationS };
    recorder.start({ ...wish, bufferMb: buffer });
  };
  return (
    <form class="download record" onSubmit={start}>
      {place === HERE ? null : (
        <Choice
          label="Record"
          value={begin}
          options={BEGINS}
          onChoice={(one) => choose({ begin: one })}
        />
      )}
      <Processes recorder={recorder} />
      {begin === "now" ? null : (
        <Field label="Activity">
          <input
            type="text"
            placeholder="The one that a launcher starts"
            autocomplete="off"
            spellcheck={false}
            value={activity}
            onInput={(event) => choose({ activity: event.currentTarget.value.trim() })}
          />
        </Field>
      )}
      <div class="record-options">
        <Choice
          label="Mode"
          value={mode}
          options={modesOf(of)}
          onChoice={(chosen) => choose({ mode: chosen })}
        />
        {mode === "stream" || place === HERE ? null : (
          <Choice
            label="Buffer"
            value={String(bufferMb)}
            options={buffersMb(of, bufferMb).map((mb) => [String(mb), `${mb} MB`] as const)}
            onChoice={(mb) => choose({ bufferMb: Number(mb) })}
          />
        )}
        <Choice
          label="Stop"
          value={String(durationS)}
          options={DURATIONS_S.map(
            (s) => [String(s), s === 0 ? "When I say so" : `After ${s} s`] as const,
          )}
          onChoice={(s) => choose({ durationS: Number(s) })}
        />
      </div>
      <p class="muted small">{modeAdvice(of, mode, bufferMb)}</p>
      {missing === null ? null : <p class="muted small record-missing">{missing}</p>}
      {process === null ? null : <Room of={of} process={process} choice={fitted} choose={choose} />}
      <footer>
        <p role="alert">{recorder.problem.value ?? ""}</p>
        <button type="submit" class="button main" disabled={process === null}>
          Record
        </button>
      </footer>
    </form>
  );
}

interface RoomProps {
  readonly of: RecordedPlace;
  readonly process: Recordable;
  readonly choice: RecordingChoice;
  choose(changed: Partial<RecordingChoice>): void;
}

// Whether the buffer has room for what is to be recorded.
function Room({ of, process, choice, choose }: RoomProps) {
  const advice = bufferAdvice(of, process.rates, choice);
  if (advice === null) return null;
  const { text, neededMb } = advice;
  if (neededMb === null) return <p class="muted small record-room">{text}</p>;
  return (
    <p class="record-advice record-room" role="status">
      {text}{" "}
      <button type="button" class="button" onClick={() => choose({ bufferMb: neededMb })}>
        Take {neededMb} MB
      </button>
    </p>
  );
}
