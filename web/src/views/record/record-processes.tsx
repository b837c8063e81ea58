// The processes of the device, found as the user types.

import { useSignal } from "@preact/signals";
import { matchingProcesses, uptimeWords, type ProcessList } from "../../model/page/recording";
import type { Recorder } from "../../state/recorder";
import { Field } from "../dialogs/fields";

const NOTHING =
  'No process can be recorded. Start an app that is debuggable, or has <profileable android:shell="true"/> in its manifest.';

export function Processes({ recorder }: { recorder: Recorder }) {
  const query = useSignal("");
  const { value: list, error } = recorder.processes.value;
  const problem = error ?? list?.problem ?? null;
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
  readonly list: ProcessList;
  readonly query: string;
  readonly recorder: Recorder;
}

function Rows({ list, query, recorder }: RowsProps) {
  const { choice } = recorder;
  const found = matchingProcesses(list.processes, query);
  if (list.processes.length === 0)
    return (
      <p class="record-advice" role="status">
        {NOTHING}
      </p>
    );
  return (
    <fieldset class="formats record-processes">
      <legend>
        {list.hasProfileable ? "Debuggable and profileable" : "Debuggable (before Android 12)"}
      </legend>
      {found.map((process) => (
        <label key={process.pid}>
          <input
            type="radio"
            name="record-process"
            checked={choice.value.pid === process.pid}
            onChange={() => (choice.value = { ...choice.peek(), pid: process.pid })}
          />
          <b class="clip" title={process.name}>
            {process.name}
          </b>
          <span class="number">{process.pid}</span>
          <span>
            {process.isDebuggable ? "debuggable" : "profileable"}
            {process.user === 0 ? "" : `, user ${process.user}`}
          </span>
          <span class="number">{uptimeWords(process.uptimeS)}</span>
        </label>
      ))}
      {found.length === 0 ? <p class="muted">No process has these letters.</p> : null}
    </fieldset>
  );
}
