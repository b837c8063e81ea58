// The processes of a device, or the Java programs of this computer, found as the user types.

import { matchingProcesses, uptimeWords, type Recordable } from "../../model/page/recordable";
import type { Recorder } from "../../state/page/recorder";
import { Field } from "../dialogs/fields";
import {
  isChosen,
  isStarted,
  listed,
  NOTHING,
  problemOf,
  typed,
  type Listed,
} from "./record-choices";

export function Processes({ recorder }: { recorder: Recorder }) {
  const { query } = recorder;
  const list = listed(recorder);
  const problem = problemOf(recorder);
  return (
    <>
      <div class="record-search">
        <Field label={isStarted(recorder) ? "Package" : "Process"}>
          <input
            type="text"
            id="record-search"
            placeholder={isStarted(recorder) ? "com.example.app" : "Type a part of its name"}
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
        <Rows list={list} query={typed(recorder)} recorder={recorder} />
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
        <Row key={process.pid ?? process.name} process={process} recorder={recorder} />
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
        checked={isChosen(recorder, process)}
        disabled={advice !== null}
        onChange={() =>
          (choice.value = { ...choice.peek(), ...(pid === null ? { app: name } : { pid }) })
        }
      />
      <b class="clip" title={name}>
        {name}
      </b>
      <span class="number">{pid ?? ""}</span>
      <span class="clip" title={process.kind}>
        {process.kind}
      </span>
      <span class="number">{uptimeWords(process.uptimeS)}</span>
      {advice === null ? null : <span class="record-why muted small">{advice}</span>}
    </label>
  );
}
