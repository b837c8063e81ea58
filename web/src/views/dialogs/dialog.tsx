// The frame of every dialog: the dialog element of the browser, which keeps the focus inside and
// closes on Escape.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useApp } from "../shared/context";

export function DialogFrame({
  title,
  children,
  isWide,
}: {
  title: string;
  children: ComponentChildren;
  isWide?: boolean;
}) {
  const { store } = useApp();
  const frame = useRef<HTMLDialogElement>(null);
  // A dialog that is taken off the page gives the focus back to nobody by itself. What the browser tells of it then is no news.
  useLayoutEffect(() => {
    const before = document.activeElement;
    frame.current?.showModal();
    return () => {
      frame.current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const close = (): void => {
    store.dialog.value = null;
  };
  return (
    <dialog
      class={isWide === true ? "dialog wide" : "dialog"}
      ref={frame}
      aria-label={title}
      onClose={() => frame.current !== null && close()}
      onClick={(event) => event.target === frame.current && close()}
    >
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <button class="icon-button" aria-label="Close" onClick={close}>
            <i class="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
