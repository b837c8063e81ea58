// The processes of a device, or the Java programs of this computer, found as the user types.

import { useSignal } from "@preact/signals";
import {
  HERE,
  matchingProcesses,
  recordableApp,
  recordableProgram,
  uptimeWords,
  type Recordable,
} from "../../model/page/recording";
import type { Recorder } from "../../state/recorder";
import { Field } from "../dialogs/fields";

const NOTHING =
  'No process can be recorded. Start an app that is debuggable, or has <profileable android:shell="true"/> in its manifest.';
const NOTHING_HERE = "No Java program runs on this computer. Start one, and it appears here.";

interface Listed {
  readonly rows: readonly Recordable[];
  // Which processes these are, for their heading.
  readonly legend: string;
  readonly nothing: string;
}

// Null: they are still asked for.
function listed(recorder: Recorder): Listed | null {
  if (recorder.place.value === HERE) {
    const programs = recorder.java.value?.programs;
    if (programs === undefined) return null;
    return {
      rows: programs.map(recordableProgram),
      legend: "Java programs",
      nothing: NOTHING_HERE,
    };
  }
  const list = recorder.processes.value.value;
  if (list === null) return null;
  return {
    rows: list.processes.map(recordableApp),
    legend: list.hasProfileable ? "Debuggable and profileable" : "Debuggable (before Android 12)",
    nothing: NOTHING,
  };
}

function problemOf(recorder: Recorder): string | null {
  if (recorder.place.value === HERE) return null;
  const { value: list, error } = recorder.processes.value;
  return error ?? list?.problem ?? null;
}

// The process that is chosen, if it is still there.
export function chosenProcess(recorder: Recorder): Recordable | null {
  const pid = recorder.choice.value.pid;
  return listed(recorder)?.rows.find((one) => one.pid === pid && one.advice === null) ?? null;
}

export function Processes({ recorder }: { recorder: Recorder }) {
  const query = useSignal("");
  const list = listed(recorder);
  const problem = problemOf(recorder);
  return (
    <>
      <div class="record-search">
        <Field label="Process">
          <input
            type="text"
            id="record-search"
            placeholder="Type a part of its name"
            autocomplete="off"
            spellcheck={false}
            value={query.value}
            onInput={(event) => (query.value = event.currentTarget.value)}
          />
        </Field>
        <button type="button" class="button" onClick={recorder.refresh}>
          Refresh
        </button>
      </div>
      {problem !== null ? (
        <p class="record-advice" role="alert">
          {problem}
        </p>
      ) : list === null ? (
        <p class="muted" role="status">
          Asking the device for its processes…
        </p>
      ) : (
        <Rows list={list} query={query.value} recorder={recorder} />
      )}
    </>
  );
}

interface RowsProps {
  readonly list: Listed;
  readonly query: string;
  readonly recorder: Recorder;
}

function Rows({ list, query, recorder }: RowsProps) {
  const found = matchingProcesses(list.rows, query);
  if (list.rows.length === 0)
    return (
      <p class={list.nothing === NOTHING ? "record-advice" : "muted"} role="status">
        {list.nothing}
      </p>
    );
  return (
    <fieldset class="formats record-processes">
      <legend>{list.legend}</legend>
      {found.map((process) => (
        <Row key={process.pid} process={process} recorder={recorder} />
      ))}
      {found.length === 0 ? <p class="muted">No process has these letters.</p> : null}
    </fieldset>
  );
}

function Row({ process, recorder }: { process: Recordable; recorder: Recorder }) {
  const { choice } = recorder;
  const { pid, name, advice } = process;
  return (
    <label class={advice === null ? "" : "off"}>
      <input
        type="radio"
        name="record-process"
        checked={choice.value.pid === pid}
        disabled={advice !== null}
        onChange={() => (choice.value = { ...choice.peek(), pid })}
      />
      <b class="clip" title={name}>
        {name}
      </b>
      <span class="number">{pid}</span>
      <span class="clip" title={process.kind}>
        {process.kind}
      </span>
      <span class="number">{uptimeWords(process.uptimeS)}</span>
      {advice === null ? null : <span class="record-why muted small">{advice}</span>}
    </label>
  );
}
