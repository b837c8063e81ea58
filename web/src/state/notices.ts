// What is told to the user: what was done, for a moment, and what went wrong, until it is closed or over.

import { signal, type Signal } from "@preact/signals";

// Long enough to be read by a slow reader, and to be seen on a machine that is busy.
const NOTICE_MS = 6000;

// What the user can do about what went wrong.
interface NoticeAction {
  readonly label: string;
  run(): void;
}

export interface Notice {
  readonly id: number;
  readonly kind: "error" | "done";
  readonly text: string;
  readonly action?: NoticeAction;
}

export interface Notices {
  readonly notices: Signal<readonly Notice[]>;
  notify(kind: Notice["kind"], text: string, action?: NoticeAction): void;
  // What went wrong is over.
  withdraw(text: string): void;
}

export function createNotices(): Notices {
  const notices = signal<readonly Notice[]>([]);
  let noticeCount = 0;
  const keep = (isKept: (notice: Notice) => boolean): void => {
    notices.value = notices.peek().filter(isKept);
  };
  return {
    notices,
    notify: (kind, text, action) => {
      if (notices.peek().some((notice) => notice.text === text)) return;
      const id = ++noticeCount;
      // What was done is no news any more when something else is told, and would cover it.
      const others = notices.peek().filter((other) => other.kind !== "done");
      const notice = { id, kind, text, ...(action === undefined ? {} : { action }) };
      notices.value = [...others.slice(-3), notice];
      if (kind === "done") self.setTimeout(() => keep((one) => one.id !== id), NOTICE_MS);
    },
    withdraw: (text) => keep((notice) => notice.text !== text),
  };
}
