// A resumable upload, request by request: begin, send pieces, ask where it stands, complete. A piece is
// sent by XMLHttpRequest, since fetch does not tell how much of it has been sent.

import type { TraceFields } from "../model/site/site";
import { fieldsOf, numberOr, textOf, textOr } from "./check";
import { Refused, request, Unreachable } from "./request";
import { decodeUploaded, type Uploaded } from "./site";

export interface Begun {
  readonly id: string;
  readonly token: string;
  // The most bytes of one piece.
  readonly pieceMost: number;
}

// The site has another offset than the piece has.
export class Elsewhere extends Error {}

// The site asks to wait.
export class Later extends Error {
  readonly seconds: number;

  constructor(seconds: number, message: string) {
    super(message);
    this.seconds = seconds;
  }
}

export interface UploadApi {
  begin(file: File, fields: TraceFields, secret: string, signal: AbortSignal): Promise<Begun>;
  // How many bytes have arrived.
  offset(id: string, token: string, signal: AbortSignal): Promise<number>;
  send(piece: Piece, tell: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  complete(id: string, token: string, signal: AbortSignal): Promise<Uploaded>;
  giveUp(id: string, token: string): Promise<void>;
}

export interface Piece {
  readonly id: string;
  readonly token: string;
  readonly offset: number;
  // A part of the file. The browser reads it as it goes, so that none of it lies in the memory of the page.
  readonly bytes: Blob;
}

function reasonIn(text: string, status: number): string {
  try {
    return textOr(fieldsOf(JSON.parse(text), "error"), "error", `the site answered ${status}`);
  } catch {
    return `the site answered ${status}`;
  }
}

const GONE = "the site does not answer";

function failureOf(sent: XMLHttpRequest): Error {
  const reason = reasonIn(sent.responseText, sent.status);
  if (sent.status === 409) return new Elsewhere(reason);
  if (sent.status === 429 || sent.status === 503)
    return new Later(Number(sent.getResponseHeader("Retry-After") ?? 0), reason);
  // A proxy in between has lost the site.
  if (sent.status === 502 || sent.status === 504) return new Unreachable(GONE);
  return new Refused(sent.status, reason);
}

function sendPiece(
  address: string,
  { token, offset, bytes }: Piece,
  tell: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sending = new XMLHttpRequest();
    const abort = (): void => sending.abort();
    sending.open("PATCH", address);
    sending.setRequestHeader("Authorization", `Bearer ${token}`);
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.setRequestHeader("Upload-Offset", String(offset));
    sending.upload.addEventListener("progress", (event) => tell(event.loaded));
    sending.addEventListener("load", () => {
      if (sending.status < 300) resolve();
      else reject(failureOf(sending));
    });
    sending.addEventListener("error", () => reject(new Unreachable(GONE)));
    sending.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    signal.addEventListener("abort", abort);
    // Without this the signal would keep the request and the piece until the whole file is sent.
    sending.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    sending.send(bytes);
  });
}

export function createUploadApi(base: string): UploadApi {
  const addressOf = (id: string): string => `${base}/api/v1/uploads/${id}`;
  const ask = (id: string, token: string, init: RequestInit, more = ""): Promise<Response> =>
    request(`${addressOf(id)}${more}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  return {
    begin: async (file, fields, secret, signal) => {
      const query = new URLSearchParams({ ...fields, name: file.name, bytes: String(file.size) });
      const answer = fieldsOf(
        await (
          await request(`${base}/api/v1/uploads?${query}`, {
            method: "POST",
            headers: secret === "" ? {} : { "x-upload-secret": secret },
            signal,
          })
        ).json(),
        "upload",
      );
      return {
        id: textOf(answer, "id"),
        token: textOf(answer, "owner_token"),
        pieceMost: numberOr(answer, "piece_most", Infinity),
      };
    },
    offset: async (id, token, signal) =>
      numberOr(fieldsOf(await (await ask(id, token, { signal })).json(), "upload"), "offset", 0),
    send: (piece, tell, signal) => sendPiece(addressOf(piece.id), piece, tell, signal),
    complete: async (id, token, signal) =>
      decodeUploaded(await (await ask(id, token, { method: "POST", signal }, "/complete")).json()),
    giveUp: async (id, token) => {
      await ask(id, token, { method: "DELETE" });
    },
  };
}
