// What the page and the worker that runs the engine say to each other, and what both say to the user.

// Packed data of which the page has one piece after the other: how many bytes there are, packed and unpacked, as is said
// beforehand; 0: nothing is said.
export interface Lengths {
  readonly packed: number;
  readonly unpacked: number;
}

// libzstd's decoder: its address, from which it is fetched when it is needed first; or by gzip; "": the page has none.
export type Decoder = string | Blob;

// A mapping, by which the methods of a trace are renamed.
export interface MappingFile {
  readonly name: string;
  readonly file: Blob;
  // Taken although it is of another build.
  readonly isForced: boolean;
}

// A trace that is compared with the one that was opened, or another run of its side.
export interface OtherTrace {
  // Where it is in the engine, and so its name in questions.
  readonly place: number;
  readonly isOld: boolean;
  readonly name: string;
  readonly file: Blob;
  // By which its methods are renamed.
  readonly mapping?: MappingFile;
}

// The place of the trace that was opened; others follow.
export const OPENED_PLACE = 0;

export type ToWorker =
  // Comes first, once.
  // `decoder`: libzstd's decoder.
  | { readonly kind: "start"; readonly module: WebAssembly.Module; readonly decoder: Decoder }
  | {
      readonly kind: "open";
      readonly id: number;
      readonly name: string;
      readonly file: Blob | Lengths;
      readonly mapping?: MappingFile;
      // Read behind it.
      readonly others?: readonly OtherTrace[];
    }
  // Traces beside the one that is open.
  | { readonly kind: "add"; readonly id: number; readonly others: readonly OtherTrace[] }
  // The next piece of the file that `open` of this id told the lengths of; null: there is no more.
  | { readonly kind: "take"; readonly id: number; readonly piece: Uint8Array<ArrayBuffer> | null }
  // `place`: of the trace that is meant.
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly place: number;
      readonly route: string;
      readonly query: string;
    }
  | { readonly kind: "export"; readonly id: number; readonly query: string }
  // A page with the trace in it: the template, and the engine by gzip.
  | {
      readonly kind: "report";
      readonly id: number;
      readonly form: string;
      readonly template: string;
      readonly engine: ArrayBuffer;
    };

export type FromWorker =
  // The answer to an ask; that to an export or a page, after its last piece; or that a file is open, and what its mapping
  // knows as JSON.
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly status: number;
      readonly body: ArrayBuffer;
    }
  | { readonly kind: "piece"; readonly id: number; readonly body: ArrayBuffer }
  | {
      readonly kind: "progress";
      readonly done: number;
      readonly of: number;
      readonly step: string;
    }
  // The engine refused, and goes on; or it refused the mapping; or it does not know the format of the file.
  | { readonly kind: "failed"; readonly id: number; readonly text: string }
  | { readonly kind: "refused"; readonly id: number; readonly text: string }
  | { readonly kind: "other"; readonly id: number; readonly text: string }
  // The engine broke down: this worker is of no more use.
  | { readonly kind: "broken"; readonly id: number; readonly text: string };

// Of a page that has its trace in it.
export const damagedPart = (part: string): string =>
  `${part} in this file is damaged: get the file again, packed as .zip if it came by mail`;
