// Save as one page: title, note, the part of the trace, and the size before anything is saved.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { visibleText } from "../../base/text";
import { previewQuery } from "../../model/page/download";
import {
  firstPageChoice,
  isPartOfTrace,
  NOTE_MOST,
  pageForm,
  TITLE_MOST,
  wholeCalls,
  type PageChoice,
  type PageWords,
} from "../../model/page/single-file";
import type { TraceInfo } from "../../model/trace";
import { messageOf } from "../../state/loader";
import { useApp } from "../shared/context";
import { saveBlob } from "../shared/share";
import { DialogFrame } from "./dialog";
import { Part } from "./download-choices";
import { seenOn } from "./download-dialog";
import { Redaction } from "./download-redaction";
import { Field } from "./fields";
import { Act, HowFar, IDLE } from "./single-file-progress";

export function PageDialog() {
  const info = useApp().store.info.value;
  return (
    <DialogFrame title="Save as one page">
      {info === null ? (
        <p class="muted">Open a trace first: there is nothing to save.</p>
      ) : (
        <Form info={info} />
      )}
    </DialogFrame>
  );
}

function Form({ info }: { info: TraceInfo }) {
  const app = useApp();
  const seen = seenOn(app, info);
  const { words } = app.downloads;
  // At once: Escape may follow before the next frame.
  const write = (more: Partial<PageWords>): void => {
    words.value = { ...words.peek(), ...more };
    choice.value = { ...choice.peek(), ...more };
  };
  const choice = useSignal(firstPageChoice(seen, app.store.measure.peek(), words.peek()));
  const phase = useSignal(IDLE);
  const leave = (): void => {
    const { value } = phase;
    if (value.kind === "making") value.abort.abort();
    phase.value = IDLE;
  };
  // What was made is of what was chosen: another choice makes another page. In the layout phase, so that nobody presses a button
  // before that, neither in a form that has just come, whose page would be given up, nor after a choice, when the page made before
  // would be saved.
  useLayoutEffect(leave, [choice.value]);
  useEffect(() => {
    app.downloads.redacted.value = previewQuery(choice.value, wholeCalls(seen));
  }, [choice.value]);
  useEffect(
    () => () => {
      leave();
      app.downloads.redacted.value = null;
    },
    [],
  );
  const make = async (): Promise<void> => {
    const abort = new AbortController();
    phase.value = { kind: "making", abort };
    try {
      const form = pageForm(choice.peek(), seen, location.hash);
      const file = await app.store.api.makePage(form, abort.signal);
      if (!abort.signal.aborted) phase.value = { kind: "made", file };
    } catch (problem) {
      if (!abort.signal.aborted) phase.value = { kind: "failed", reason: messageOf(problem) };
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const { value } = phase;
    if (value.kind === "making") return;
    if (value.kind === "made" || value.kind === "saved") {
      saveBlob(value.file.name, value.file.blob);
      phase.value = { kind: "saved", file: value.file };
    } else void make();
  };
  return (
    <form class="download one-page" onSubmit={submit}>
      <p class="muted">
        A file with the viewer and the trace in it. Whoever gets it opens it in a browser, without
        traceview and without a network, at the view that is shown now.
        {isPartOfTrace(choice.value, seen) && app.store.story.value !== null
          ? " A part begins without the story that is open, which is of the whole trace."
          : ""}
      </p>
      <About choice={choice} write={write} name={visibleText(info.file)} />
      <Part seen={wholeCalls(seen)} info={info} choice={choice} isWithoutClock />
      <Redaction choice={choice} />
      <footer>
        <HowFar phase={phase.value} isRedacted={choice.value.isRedacted} />
        <Act phase={phase.value} leave={leave} />
      </footer>
    </form>
  );
}

interface AboutProps {
  readonly choice: Signal<PageChoice>;
  readonly name: string;
  write(more: Partial<PageWords>): void;
}

function About({ choice, name, write }: AboutProps) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <Field label="Title">
        <input
          type="text"
          ref={first}
          maxLength={TITLE_MOST}
          placeholder={choice.value.isRedacted ? "redacted.trace" : name}
          value={choice.value.title}
          onInput={(event) => write({ title: event.currentTarget.value })}
        />
      </Field>
      <Field label="Note: what the reader should know">
        <textarea
          rows={3}
          maxLength={NOTE_MOST}
          value={choice.value.note}
          onInput={(event) => write({ note: event.currentTarget.value })}
        />
      </Field>
    </>
  );
}
