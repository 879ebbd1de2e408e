import { edgeCaseNumbers, edgeCaseString, hostileNames } from './edge-cases.ts'
import type { FuzzOperation } from './interface.ts'
import { malformedBytes } from './malformed-body.ts'
import { malformedJson } from './malformed-json.ts'
import { malformedMultipart } from './multipart.ts'
import type { Random } from './random.ts'
import { type KnownIds, sample } from './sample.ts'

export interface FuzzRequest {
  operation: FuzzOperation
  /** A short description of the errors. */
  mutation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
  /** Method and path are unchanged, so the gate must recognize the operation. */
  reachesOperation: boolean
  /** An id that only this request uses. */
  freshId: string | undefined
}

/** Percent-encoded UTF-8; a lone surrogate becomes the three bytes that are invalid in UTF-8. */
const encoded = (text: string): string =>
  [...text]
    .map(character => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'))
    .join('')

/** The characters that an HTTP client accepts in a header. */
export const headerSafe = (text: string): string =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 6000)

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/xml',
  'application/octet-stream',
  'application/jsonp',
  'garbage',
  'a/b/c',
  ';',
  'application/json, text/plain',
] as const

const goodJsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
] as const

function planPath(
  operation: FuzzOperation,
  known: KnownIds,
  random: Random,
): { path: string; mutations: string[] } {
  const mutations: string[] = []
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = operation.fields.find(candidate => candidate.name === name && candidate.in === 'path')
    if (random.chance(0.6)) return encoded(String(sample(field?.schema ?? {}, known, random)))
    mutations.push(`path ${name}`)
    return encoded(edgeCaseString(random).slice(0, 3000))
  })
  return { path, mutations }
}

function planQuery(
  operation: FuzzOperation,
  known: KnownIds,
  random: Random,
): { query: string; mutations: string[] } {
  const mutations: string[] = []
  const pairs: string[] = []
  for (const field of operation.fields.filter(candidate => candidate.in === 'query')) {
    const good = String(sample(field.schema, known, random))
    switch (
      random.weighted({ good: 6, missing: 1, strange: 2, number: 1, twice: 0.5, nested: 0.3, bare: 0.3 })
    ) {
      case 'good':
        if (field.required || random.chance(0.5)) pairs.push(`${field.name}=${encoded(good)}`)
        continue
      case 'missing':
        break
      case 'strange':
        pairs.push(`${field.name}=${encoded(edgeCaseString(random).slice(0, 1000))}`)
        break
      case 'number':
        pairs.push(`${field.name}=${random.pick(edgeCaseNumbers)}`)
        break
      case 'twice':
        pairs.push(`${field.name}=${encoded(good)}`, `${field.name}=${encoded(good)}`)
        break
      case 'nested':
        pairs.push(`${field.name}[a]=1&${field.name}[]=2`)
        break
      case 'bare':
        pairs.push(`${field.name}=%zz%`)
        break
    }
    mutations.push(`query ${field.name}`)
  }
  if (random.chance(0.05)) {
    mutations.push('query extra')
    pairs.push(`${encoded(random.pick(hostileNames))}=${encoded(edgeCaseString(random).slice(0, 200))}`)
  }
  return { query: pairs.length > 0 ? `?${pairs.join('&')}` : '', mutations }
}

function planHeaders(
  operation: FuzzOperation,
  random: Random,
): { headers: Record<string, string>; mutations: string[] } {
  const headers: Record<string, string> = {}
  const mutations: string[] = []
  for (const { name } of operation.fields.filter(field => field.in === 'header')) {
    if (random.chance(0.85)) continue
    mutations.push(`header ${name}`)
    headers[name] = headerSafe(
      random.chance(0.5)
        ? random.pick([
            '"1"',
            '*',
            '"0"',
            'W/"1"',
            '"1", "2"',
            'bytes=0-1',
            'bytes=5-2',
            'bytes=-0',
            'key-1',
            '1',
          ])
        : edgeCaseString(random),
    )
  }
  return { headers, mutations }
}

interface PlannedBody {
  mutation: string
  bytes: Buffer | undefined
  headers: Record<string, string>
}

function planJson(operation: FuzzOperation, known: KnownIds, freshId: string, random: Random): PlannedBody {
  const fromExample = operation.example !== undefined && random.chance(0.4)
  const value = structuredClone(
    fromExample ? operation.example : sample(operation.body!, known, random),
  ) as Record<string, unknown>
  const properties = (operation.body!['properties'] ?? {}) as Record<string, unknown>
  // Only a provider of the test is called.
  if (typeof value['base_url'] === 'string') value['base_url'] = random.pick(known['url'] ?? [])
  if (takesFreshId(operation) && 'id' in properties && random.chance(0.7)) value['id'] = freshId
  const { mutation, bytes } = malformedBytes(malformedJson(value, random), random)
  const headers: Record<string, string> = { 'content-type': random.pick(goodJsonTypes) }
  if (random.chance(0.06)) {
    const type = random.pick(contentTypes)
    headers['content-type'] = type
    return { mutation: `${mutation}, sent as ${type}`, bytes, headers }
  }
  if (random.chance(0.02)) {
    headers['content-encoding'] = random.pick(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])
    return { mutation: `${mutation}, encoded`, bytes, headers }
  }
  return { mutation, bytes, headers }
}

function planFile(operation: FuzzOperation, known: KnownIds, freshId: string, random: Random): PlannedBody {
  switch (random.weighted({ json: 3, multipart: 5, raw: 2 })) {
    case 'json':
      return planJson(operation, known, freshId, random)
    case 'multipart': {
      const { mutation, bytes, contentType } = malformedMultipart(random)
      return { mutation, bytes, headers: { 'content-type': contentType } }
    }
    case 'raw': {
      const name = encoded(edgeCaseString(random)).slice(0, 2000)
      const headers: Record<string, string> = {
        'content-type': random.pick(['application/octet-stream', 'text/html', 'image/png', 'garbage']),
      }
      if (random.chance(0.5))
        headers['content-disposition'] = headerSafe(
          random.pick([`attachment; filename*=UTF-8''${name}`, `attachment; filename="${name}"`, 'x', name]),
        )
      return { mutation: 'raw body', bytes: random.bytes(random.below(500)), headers }
    }
  }
}

/** Operations that store something under an id chosen by the caller. */
const takesFreshId = (operation: FuzzOperation): boolean => /\.(update|import)$/.test(operation.name)

const spellings: ((path: string) => string)[] = [
  path => path.toUpperCase(),
  path => path.replace('/api/', '//api/'),
  path => path.replace('/v1/', '/./v1/'),
  path => `${path}/`,
  path => `${path};x`,
  path => path.replace('/v1/', '/v1%2f'),
  path => `${path}%00`,
  path => path.replace('/v1/', '/v1/../v1/'),
]

/** One request to the operation, valid except for one or a few errors. */
export function planRequest(
  operation: FuzzOperation,
  known: KnownIds,
  freshId: string,
  random: Random,
): FuzzRequest {
  const planned = planPath(operation, known, random)
  const { query, mutations: queryMutations } = planQuery(operation, known, random)
  const { headers, mutations: headerMutations } = planHeaders(operation, random)
  const mutations = [...planned.mutations, ...queryMutations, ...headerMutations]
  let method = operation.method
  let path = planned.path
  let reachesOperation = planned.mutations.length === 0
  if (random.chance(0.02)) {
    method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'])
    reachesOperation &&= method === operation.method
    mutations.push(`method ${method}`)
  }
  if (random.chance(0.02)) {
    path = random.pick(spellings)(path)
    reachesOperation = false
    mutations.push('spelling of the path')
  }
  let body: Buffer | undefined
  const planBody = operation.takesFiles ? planFile : planJson
  if (operation.body && method !== 'GET' && method !== 'HEAD') {
    const plannedBody = planBody(operation, known, freshId, random)
    body = plannedBody.bytes
    Object.assign(headers, plannedBody.headers)
    mutations.push(plannedBody.mutation)
  }
  return {
    operation,
    mutation: mutations.join('; ') || 'nothing',
    method,
    path: `${path}${query}`,
    headers,
    body,
    reachesOperation,
    freshId: takesFreshId(operation) ? freshId : undefined,
  }
}
