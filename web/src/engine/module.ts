// What a module of the engine exports (docs/engine.md). Numbers only: pointers, lengths, places, truths.

export interface Exports {
  _initialize(): void;
  tv_engine_mean(place: number): number;
  tv_engine_room(len: number): number;
  tv_engine_reserve(low: number, high: number): number;
  // Of the module that makes files alone.
  tv_engine_mapping?(len: number, isForced: number): number;
  // 0: read; 2: the mapping is of another build; other numbers: failed.
  tv_engine_load(name: number, nameLen: number, len: number, isCut: number): number;
  tv_engine_ask(route: number, routeLen: number, query: number, queryLen: number): number;
  tv_engine_export(query: number, queryLen: number): number;
  tv_engine_report_cut(form: number, formLen: number): number;
  tv_engine_report_reserve(len: number): number;
  tv_engine_report_write(
    form: number,
    formLen: number,
    templateLen: number,
    engineLen: number,
    traceLen: number,
  ): number;
  tv_engine_body(): number;
  tv_engine_body_len(): number;
  tv_engine_type(): number;
  tv_engine_error(): number;
  tv_engine_release(): void;
}
