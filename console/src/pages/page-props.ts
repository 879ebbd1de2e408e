/** What every page is handed: the rest of the path behind its own name, and the query. */
export interface PageProps {
  segments: readonly string[]
  query: URLSearchParams
}
