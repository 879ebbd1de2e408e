/** A URL with the non-empty values as its query. */
export function withQuery(href: string, values: Record<string, string | number | undefined>): string {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return search === '' ? href : `${href}?${search}`
}

/** A page number from a URL, which may be invalid. */
export const pageIn = (query: URLSearchParams): number => {
  const page = Number(query.get('page') ?? 1)
  return Number.isInteger(page) && page > 0 && page <= 1_000_000 ? page : 1
}
