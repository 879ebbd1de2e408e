/** Props of every page: the rest of the path after its own name, and the query. */
export interface PageProps {
  segments: readonly string[]
  query: URLSearchParams
}
