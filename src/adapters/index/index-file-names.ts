// On its own: what sweeps the files runs in the main thread, which must not load the native code.
export const graphEnding = '.usearch'
export const tableEnding = '.json'
export const temporaryEnding = '.tmp'
