// Why an engine gives no answer.

// What the engine cannot do, in one line.
export class EngineFailure extends Error {}

// The mapping is of another build than the trace: it could be forced.
export class MappingRefused extends EngineFailure {}

// The module does not know the format of the file; the one that makes files may (docs/engine.md).
export class OtherFile extends EngineFailure {}

// The browser stopped the engine: it is of no more use.
export class EngineStopped extends EngineFailure {}
