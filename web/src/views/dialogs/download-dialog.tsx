// Download as …: a format, a part of the trace, and how far the file is.

import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  exportQuery,
  firstChoice,
  previewQuery,
  type ExportFormat,
  type InView,
} from "../../model/page/download";
import type { TraceInfo } from "../../model/trace";
import type { App } from "../../state/page/app";
import { useApp } from "../shared/context";
import { DialogFrame } from "./dialog";
import { Formats, Part } from "./download-choices";
import { HowFar } from "./download-progress";
import { Redaction } from "./download-redaction";
import { Check, Choice } from "./fields";

export function seenOn(app: App, info: TraceInfo): InView {
  const { store } = app;
  return {
    span: info.span,
    range: store.range.value,
    view: store.view.value,
    threads: store.threads.value,
    filter: store.filter.value,
    hidden: [...(store.mine.value ?? []), ...store.without.value],
    lens: store.lens.value,
    chosenCalls: store.chosenCalls.value,
  };
}

export function DownloadDialog() {
  const app = useApp();
  const info = app.store.info.value;
  const formats = app.downloads.formats.value;
  useEffect(() => app.downloads.clear(), []);
  return (
    <DialogFrame title="Download as…">
      {info === null ? (
        <p class="muted">Open a trace first: there is nothing to download.</p>
      ) : formats.value !== null ? (
        <Form formats={formats.value} info={info} />
      ) : (
        <p class="muted" role="status">
          {formats.error === null
            ? "Asking which formats there are…"
            : `The formats cannot be listed: ${formats.error}. Close this and try again.`}
        </p>
      )}
    </DialogFrame>
  );
}

// Cancel stands where Download stood: neither the second click of a double click nor a key that is held is meant for it.
function ignoreHeldKey(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}

function Form({ formats, info }: { formats: readonly ExportFormat[]; info: TraceInfo }) {
  const app = useApp();
  const seen = seenOn(app, info);
  const choice = useSignal(firstChoice(formats, seen, app.store.measure.peek()));
  const phase = app.downloads.phase;
  const isBusy = useComputed(() => phase.value.kind === "asking" || phase.value.kind === "running");
  const format = formats.find(({ name }) => name === choice.value.format);
  const packed = format?.isPacked === true;
  const start = (event: Event): void => {
    event.preventDefault();
    // Enter in a field sends the form also while there is no button that does.
    if (isBusy.peek()) return;
    if (format !== undefined) app.downloads.start(exportQuery(choice.peek(), format, seen));
  };
  const cancel = (event: MouseEvent): void => {
    if (event.detail < 2) app.downloads.cancel();
  };
  useEffect(() => {
    app.downloads.redacted.value = previewQuery(choice.value, seen);
  });
  return (
    <form class="download" onSubmit={start}>
      <Formats formats={formats} choice={choice} />
      {format === undefined || format.tables.length === 0 ? null : (
        <Choice
          label="Table"
          value={choice.value.table}
          options={format.tables.map((table) => [table, table] as const)}
          onChoice={(table) => (choice.value = { ...choice.peek(), table })}
        />
      )}
      <Part seen={seen} info={info} choice={choice} />
      <Redaction choice={choice} />
      <Check
        label={packed ? "Packed: files of this format are, as they are" : "Packed, as .gz"}
        isOn={packed || choice.value.isGzip}
        isDisabled={packed}
        onCheck={(isGzip) => (choice.value = { ...choice.peek(), isGzip })}
      />
      <footer onKeyDown={ignoreHeldKey}>
        <HowFar />
        {isBusy.value ? (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button type="submit" class="button main">
            Download
          </button>
        )}
      </footer>
    </form>
  );
}
