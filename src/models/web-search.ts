import type { ModelCaller } from './model-caller.ts'

export interface WebResult {
  title: string
  url: string
  /** A few sentences of the page; may be empty. */
  content: string
}

export interface WebSearch {
  /** The best first. Fails with a `ModelFailure`. */
  search(query: string, caller: ModelCaller): Promise<WebResult[]>
}
