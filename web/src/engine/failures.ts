// Why an engine gives no answer: one class for each cause that the page treats in its own way. The message is the line
// that the user reads.

// The engine refuses: an input is bad, or it cannot do what was asked.
export class EngineFailure extends Error {}

// The mapping is of another build than the trace. The user may use it all the same.
export class MappingRefused extends EngineFailure {}

// The module does not know the format of the file; the module that makes files may know it (docs/engine.md).
export class OtherFile extends EngineFailure {}

// The browser stopped the engine. It cannot be asked any more: the trace has to be opened again.
export class EngineStopped extends EngineFailure {}
