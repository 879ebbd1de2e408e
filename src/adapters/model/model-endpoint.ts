/** Where a model lives, by settings of the operator. */
export interface ModelEndpoint {
  /** As people know it: "embedding". */
  name: string
  /** What its settings begin with: "EMBEDDING". */
  setting: string
  baseUrl: string
  apiKey: string | undefined
}

/** The path below the base, whose own query (such as an API version) stays. */
export function endpointUrl({ baseUrl, setting }: ModelEndpoint, path: string): URL {
  if (!URL.canParse(baseUrl)) throw new Error(`${setting}_BASE_URL is not a URL: ${baseUrl}`)
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url
}
