// What the page and the worker that runs the engine say to each other.

export type ToWorker =
  // Comes first, once.
  | { readonly kind: "start"; readonly module: WebAssembly.Module }
  | { readonly kind: "open"; readonly id: number; readonly name: string; readonly file: Blob }
  | { readonly kind: "ask"; readonly id: number; readonly route: string; readonly query: string }
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
  // The answer to an ask; that to an export or a page, after its last piece; or that a file is open, without a body.
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
  // The engine refused, and goes on.
  | { readonly kind: "failed"; readonly id: number; readonly text: string }
  // The engine broke down: this worker is of no more use.
  | { readonly kind: "broken"; readonly id: number; readonly text: string };
