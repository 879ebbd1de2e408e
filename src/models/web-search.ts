export interface WebResult {
  title: string
  url: string
  /** A few sentences of the page; may be empty. */
  content: string
}

/** Searches the web. */
export interface WebSearch {
  /** The best first. Fails with a `ModelFailure`. */
  search(query: string, signal?: AbortSignal): Promise<WebResult[]>
}
