// The page without a trace: drop one or choose one; while one is read: how far it is.

import { useRef } from "preact/hooks";
import type { Progress } from "../api/events";
import { formatBytes } from "../base/format";
import { useApp } from "./context";

export function Start() {
  const { session } = useApp();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="start">
      <h2>Open a method trace</h2>
      <p class="muted">Where did the time go, and what happened when?</p>
      <button class="drop" onClick={() => input.current?.click()}>
        <b>Drop a file here</b>
        <span class="muted">or choose one: .trace, .gz, .zst of any version</span>
      </button>
      <input
        ref={input}
        id="file-input"
        type="file"
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) session.openFile(file);
        }}
      />
      <dl class="muted">
        <dt>
          <code>traceview app.trace</code>
        </dt>
        <dd>opens a file from the terminal</dd>
        <dt>
          <code>adb shell am profile start PROCESS /data/local/tmp/app.trace</code>
        </dt>
        <dd>
          records one on a device; then <code>am profile stop</code> and <code>adb pull</code>
        </dd>
      </dl>
    </div>
  );
}

export function Reading({ progress }: { progress: Progress | null }) {
  const share =
    progress === null || progress.of <= 0 ? null : Math.min(1, progress.done / progress.of);
  return (
    <div class="reading" role="status">
      <p>{progress === null ? "Opening the trace…" : `${capital(progress.step)} the trace…`}</p>
      <progress aria-label="Progress" max={1} {...(share === null ? {} : { value: share })} />
      <p class="muted">
        {progress === null || progress.of <= 0
          ? "\u00a0"
          : `${formatBytes(progress.done)} of ${formatBytes(progress.of)}`}
      </p>
    </div>
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function Failed({ message }: { message: string }) {
  const { session } = useApp();
  return (
    <div class="failed" role="alert">
      <h2>This trace cannot be shown</h2>
      <p>{message}</p>
      <button class="button" onClick={() => session.retry()}>
        Try again
      </button>
    </div>
  );
}
