/** Where a model lives, and how to speak of it to whoever has to mend it. */
export interface ModelEndpoint {
  /** As people know it: "embedding". */
  name: string
  /** What holds its address: "EMBEDDING_BASE_URL". */
  urlSetting: string
  /** What holds its key: "EMBEDDING_API_KEY". */
  keySetting: string
  baseUrl: string
  apiKey: string | undefined
  /** Whether the address is one of a workspace, and not a setting of the operator. */
  isOfWorkspace?: boolean
  /** Advice on a status that means something of its own here. */
  advise?: (status: number) => string | undefined
}

/** The settings of one model share what their names begin with. */
export const settingNames = (prefix: string): Pick<ModelEndpoint, 'urlSetting' | 'keySetting'> => ({
  urlSetting: `${prefix}_BASE_URL`,
  keySetting: `${prefix}_API_KEY`,
})

/** The path below the base, whose own query (such as an API version) stays. */
export function endpointUrl({ baseUrl, urlSetting }: ModelEndpoint, path: string): URL {
  if (!URL.canParse(baseUrl)) throw new Error(`${urlSetting} is not a URL: ${baseUrl}`)
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url
}
