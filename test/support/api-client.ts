export interface ApiAnswer {
  status: number
  headers: Headers
  text: string
  /** The parsed body, untyped for the tests. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
  json: any
}

type Options = { headers?: Record<string, string>; method?: string }

export interface ApiClient {
  call(method: string, path: string, body?: unknown, options?: Options): Promise<ApiAnswer>
  get(path: string, options?: Options): Promise<ApiAnswer>
  post(path: string, body?: unknown, options?: Options): Promise<ApiAnswer>
  upload(name: string, content: string | Uint8Array, type?: string): Promise<ApiAnswer>
  bytes(path: string, options?: Options): Promise<{ status: number; headers: Headers; bytes: Buffer }>
  as(token: string | undefined): ApiClient
}

type Ready = string | Uint8Array<ArrayBuffer> | FormData | ReadableStream

const isReady = (body: unknown): body is Ready =>
  typeof body === 'string' ||
  body instanceof Uint8Array ||
  body instanceof FormData ||
  body instanceof ReadableStream

/**
 * A small client: objects are sent as JSON; strings, bytes and forms unchanged. Paths start after /api/v1, or with /.
 */
export function apiClient(base: string, token: string | undefined): ApiClient {
  const send = (method: string, path: string, body: unknown, options: Options): Promise<Response> => {
    const headers: Record<string, string> = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...options.headers,
    }
    if (body !== undefined && !isReady(body)) headers['content-type'] ??= 'application/json'
    const payload = body === undefined ? {} : { body: isReady(body) ? body : JSON.stringify(body) }
    const url = path.startsWith('/') ? `${base}${path}` : `${base}/api/v1/${path}`
    return fetch(url, { method, headers, redirect: 'manual', ...payload })
  }
  const call: ApiClient['call'] = async (method, path, body, options = {}) => {
    const response = await send(method, path, body, options)
    const text = await response.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      json = undefined
    }
    return { status: response.status, headers: response.headers, text, json }
  }
  return {
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    upload: (name, content, type = 'text/plain') => {
      const form = new FormData()
      form.append('file', new Blob([content as Uint8Array<ArrayBuffer>], { type }), name)
      return call('POST', 'files/upload', form)
    },
    bytes: async (path, options = {}) => {
      const response = await send(options.method ?? 'GET', path, undefined, options)
      return {
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    },
    as: other => apiClient(base, other),
  }
}
