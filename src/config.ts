import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { ServerSetting } from './contract/server-record.ts'

interface Setting<Value> {
  /** What a person who runs the server needs to know about it. */
  meaning: string
  /** As shown in the reference. */
  fallback: string
  /** Nobody is shown its value. */
  isSecret?: boolean
  read(text: string | undefined): Value
}

/** A setting that cannot be used; the message names it and says what would do. */
export class SettingError extends Error {}

const text = (fallback: string, meaning: string): Setting<string> => ({
  meaning,
  fallback,
  read: value => value ?? fallback,
})

const optionalText = (
  meaning: string,
  check: (value: string) => string | undefined = () => undefined,
): Setting<string | undefined> => ({
  meaning,
  fallback: '',
  read: value => {
    const problem = value === undefined ? undefined : check(value)
    if (problem) throw new SettingError(problem)
    return value
  },
})

const secret = (...setting: Parameters<typeof optionalText>): Setting<string | undefined> => ({
  ...optionalText(...setting),
  isSecret: true,
})

const integer = (fallback: number, minimum: number, maximum: number, meaning: string): Setting<number> => ({
  meaning,
  fallback: String(fallback),
  read: value => {
    if (value === undefined) return fallback
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < minimum || number > maximum)
      throw new SettingError(`must be a whole number from ${minimum} to ${maximum}`)
    return number
  },
})

const endpoint = (meaning: string): Setting<string | undefined> =>
  optionalText(meaning, value => {
    const url = URL.canParse(value) ? new URL(value) : undefined
    return url && /^https?:$/.test(url.protocol) && url.username === ''
      ? undefined
      : 'must be an http:// or https:// address'
  })

const list = (meaning: string): Setting<string[]> => ({
  meaning,
  fallback: '',
  read: value =>
    (value ?? '')
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
})

const oneOf = <Value extends string>(
  values: readonly Value[],
  fallback: Value,
  meaning: string,
): Setting<Value> => ({
  meaning: `${meaning} One of ${values.join(', ')}.`,
  fallback,
  read: value => {
    if (value === undefined) return fallback
    const found = values.find(candidate => candidate === value)
    if (!found) throw new SettingError(`must be one of ${values.join(', ')}`)
    return found
  },
})

/** Every setting of the server. The tables in the README and in docs/ are printed from here. */
export const settings = {
  HOST: text('127.0.0.1', 'Address to listen on. Take 0.0.0.0 to be reached from other machines.'),
  PORT: integer(8080, 0, 65_535, 'Port to listen on; 0 takes a free one.'),
  DATA_DIR: text('./data', 'Folder for the SQLite database, the files and the first token.'),
  DATABASE_URL: secret(
    '`postgres://…` to keep the data in PostgreSQL 15 or newer instead of SQLite.',
    value => (/^postgres(ql)?:\/\//.test(value) ? undefined : 'must begin with postgres://'),
  ),
  BOOTSTRAP_TOKEN: secret(
    "The operator's token, at least 16 characters. Unset: one is made at the first start.",
    value => (/^[\x21-\x7e]{16,512}$/.test(value) ? undefined : 'must be 16 to 512 visible ASCII characters'),
  ),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'What is logged; at info, one line per request.',
  ),
  SECRET_KEY: secret(
    'Seals the keys of models that workspaces add, at least 16 characters. Unset: one is made and kept in DATA_DIR; with PostgreSQL set it, the same for all replicas.',
    value => (value.length >= 16 && value.length <= 1024 ? undefined : 'must be 16 to 1024 characters'),
  ),
  MODEL_BASE_URL: endpoint(
    'Any OpenAI-compatible chat API, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.',
  ),
  MODEL_API_KEY: secret('Its key, if it asks for one.'),
  MODEL_NAME: optionalText('The model that answers where an agent or a node names none.'),
  TRANSCRIBE_BASE_URL: endpoint(
    'Any OpenAI-compatible transcription API; it turns voice messages into text.',
  ),
  TRANSCRIBE_API_KEY: secret('Its key, if it asks for one.'),
  TRANSCRIBE_MODEL: optionalText('The model that listens, such as `whisper-1`.'),
  WEB_SEARCH_URL: endpoint('A SearXNG server with the JSON format turned on, for the web search.'),
  WEB_SEARCH_API_KEY: secret('Its key, if it asks for one.'),
  RUN_RETENTION_DAYS: integer(30, 1, 3650, 'How long runs are kept after their end, with their trace.'),
  PUBLIC_CALLS_PER_MINUTE: integer(
    300,
    0,
    1_000_000,
    'Calls to public agents that one address may make without a token; 0 sets no limit.',
  ),
  DEMO: oneOf(
    ['on', 'off'],
    'on',
    'Whether the first start makes an agent to talk to, with a small workflow and a knowledge base.',
  ),
  EMBEDDING_BASE_URL: endpoint('Any OpenAI-compatible embeddings API, such as `https://api.openai.com/v1`.'),
  EMBEDDING_API_KEY: secret('Its key, if it asks for one.'),
  EMBEDDING_MODEL: optionalText('The model that new knowledge bases use, such as `text-embedding-3-small`.'),
  RERANK_BASE_URL: endpoint('A rerank API in the form of Cohere, Jina or vLLM (`/rerank`).'),
  RERANK_API_KEY: secret('Its key, if it asks for one.'),
  RERANK_MODEL: optionalText('The model that sorts what was found once more.'),
  EGRESS_ALLOW: list(
    'Hosts that may be reached although they are private, separated by commas: `host`, `host:port`, `*.suffix` or a network such as `10.0.0.0/8`.',
  ),
  INGEST_WORKERS: integer(
    0,
    0,
    64,
    'Threads that read documents; 0 takes one less than there are processors, and at least two.',
  ),
  INGEST_MEMORY_MB: integer(512, 64, 65_536, 'Memory of such a thread; a document that needs more fails.'),
  SEARCH_CACHE_BYTES: integer(
    64 * 2 ** 20,
    2 ** 20,
    2 ** 40,
    'How much of the keyword index is kept in memory, in bytes.',
  ),
  VECTOR_MEMORY_BYTES: integer(
    512 * 2 ** 20,
    2 ** 20,
    2 ** 40,
    'How much of the vector indexes is kept in memory with SQLite, in bytes.',
  ),
  MAX_FILE_BYTES: integer(200 * 2 ** 20, 1, 2 ** 40, 'Largest file that can be uploaded, in bytes.'),
} satisfies Record<string, Setting<unknown>>

/** A model behind an HTTP address. */
export interface EndpointConfig {
  baseUrl: string
  apiKey: string | undefined
  model: string
}

export interface Config {
  /** Every setting as the operator may see it. */
  shownSettings: ServerSetting[]
  secretKey: string | undefined
  model: EndpointConfig | undefined
  transcribe: EndpointConfig | undefined
  webSearch: { url: string; apiKey: string | undefined } | undefined
  runRetentionDays: number
  publicCallsPerMinute: number
  demo: boolean
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  bootstrapToken: string | undefined
  logLevel: string
  maxFileBytes: number
  embedding: EndpointConfig | undefined
  rerank: EndpointConfig | undefined
  egressAllow: string[]
  ingestWorkers: number
  ingestMemoryMegabytes: number
  searchCacheBytes: number
  vectorMemoryBytes: number
}

/** What may be part of an address although nobody else should know it. */
const withoutSecrets = (value: string): string =>
  value.replace(/\/\/[^/]*@/, '//…@').replace(/^(https?:[^?]*)\?.*$/s, '$1?…')

function showSettings(environment: Record<string, string | undefined>): ServerSetting[] {
  return Object.entries<Setting<unknown>>(settings).map(([name, { meaning, fallback, isSecret = false }]) => {
    const value = environment[name] || undefined
    return {
      name,
      about: meaning,
      is_set: value !== undefined,
      is_secret: isSecret,
      value: value === undefined || isSecret ? null : withoutSecrets(value),
      default: fallback === '' ? null : fallback,
    }
  })
}

/** The only reader of the environment. An empty value counts as unset. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const read = <Name extends keyof typeof settings>(
    name: Name,
  ): ReturnType<(typeof settings)[Name]['read']> => {
    try {
      return settings[name].read(environment[name] || undefined) as ReturnType<
        (typeof settings)[Name]['read']
      >
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(`${name} ${error.message}`)
      return undefined as ReturnType<(typeof settings)[Name]['read']>
    }
  }
  const readEndpoint = (
    name: 'MODEL' | 'TRANSCRIBE' | 'EMBEDDING' | 'RERANK',
  ): EndpointConfig | undefined => {
    const baseUrl = read(`${name}_BASE_URL`)
    const modelSetting = name === 'MODEL' ? 'MODEL_NAME' : (`${name}_MODEL` as const)
    const model = read(modelSetting)
    const apiKey = read(`${name}_API_KEY`)
    if (baseUrl !== undefined && model === undefined)
      problems.push(`${modelSetting} is missing beside ${name}_BASE_URL`)
    return baseUrl !== undefined && model !== undefined ? { baseUrl, apiKey, model } : undefined
  }
  const webSearchUrl = read('WEB_SEARCH_URL')
  const webSearchKey = read('WEB_SEARCH_API_KEY')
  const config: Config = {
    shownSettings: showSettings(environment),
    secretKey: read('SECRET_KEY'),
    model: readEndpoint('MODEL'),
    transcribe: readEndpoint('TRANSCRIBE'),
    webSearch: webSearchUrl === undefined ? undefined : { url: webSearchUrl, apiKey: webSearchKey },
    runRetentionDays: read('RUN_RETENTION_DAYS'),
    publicCallsPerMinute: read('PUBLIC_CALLS_PER_MINUTE'),
    demo: read('DEMO') === 'on',
    host: read('HOST'),
    port: read('PORT'),
    dataDir: resolve(read('DATA_DIR')),
    databaseUrl: read('DATABASE_URL'),
    bootstrapToken: read('BOOTSTRAP_TOKEN'),
    logLevel: read('LOG_LEVEL'),
    maxFileBytes: read('MAX_FILE_BYTES'),
    embedding: readEndpoint('EMBEDDING'),
    rerank: readEndpoint('RERANK'),
    egressAllow: read('EGRESS_ALLOW'),
    ingestWorkers: read('INGEST_WORKERS') || Math.max(2, availableParallelism() - 1),
    ingestMemoryMegabytes: read('INGEST_MEMORY_MB'),
    searchCacheBytes: read('SEARCH_CACHE_BYTES'),
    vectorMemoryBytes: read('VECTOR_MEMORY_BYTES'),
  }
  if (problems.length > 0)
    throw new SettingError(`These settings cannot be used:\n  ${problems.join('\n  ')}`)
  return config
}
