import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { ServerSetting } from './contract/server-record.ts'

interface Setting<Value> {
  description: string
  /** Default value, as shown in the reference. */
  fallback: string
  /** The value is never shown. */
  isSecret?: boolean
  read(text: string | undefined): Value
}

/** An invalid setting; the message says what is allowed. */
export class SettingError extends Error {}

const text = (fallback: string, description: string): Setting<string> => ({
  description,
  fallback,
  read: value => value ?? fallback,
})

const optionalText = (
  description: string,
  check: (value: string) => string | undefined = () => undefined,
): Setting<string | undefined> => ({
  description,
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

const integer = (
  fallback: number,
  minimum: number,
  maximum: number,
  description: string,
): Setting<number> => ({
  description,
  fallback: String(fallback),
  read: value => {
    if (value === undefined) return fallback
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < minimum || number > maximum)
      throw new SettingError(`must be a whole number from ${minimum} to ${maximum}`)
    return number
  },
})

const endpoint = (description: string): Setting<string | undefined> =>
  optionalText(description, value => {
    const url = URL.canParse(value) ? new URL(value) : undefined
    return url && /^https?:$/.test(url.protocol) && url.username === ''
      ? undefined
      : 'must be an http:// or https:// address'
  })

const list = (description: string): Setting<string[]> => ({
  description,
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
  description: string,
): Setting<Value> => ({
  description: `${description} One of ${values.join(', ')}.`,
  fallback,
  read: value => {
    if (value === undefined) return fallback
    const found = values.find(candidate => candidate === value)
    if (!found) throw new SettingError(`must be one of ${values.join(', ')}`)
    return found
  },
})

/** Every setting of the server. The reference in docs/ is generated from here. */
export const settings = {
  HOST: text('127.0.0.1', 'Address to listen on. Use 0.0.0.0 to accept connections from other machines.'),
  PORT: integer(8080, 0, 65_535, 'Port to listen on; 0 picks a free port.'),
  DATA_DIR: text('./data', 'Directory for the SQLite database, the files and the first token.'),
  DATABASE_URL: secret('`postgres://…` to use PostgreSQL 15 or newer instead of SQLite.', value =>
    /^postgres(ql)?:\/\//.test(value) ? undefined : 'must begin with postgres://',
  ),
  BOOTSTRAP_TOKEN: secret(
    "The operator's token, at least 16 characters. Unset: one is created at the first start.",
    value => (/^[\x21-\x7e]{16,512}$/.test(value) ? undefined : 'must be 16 to 512 visible ASCII characters'),
  ),
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Log level; info logs one line per request.',
  ),
  SECRET_KEY: secret(
    'Encrypts the API keys of models that workspaces add, at least 16 characters. Unset: one is created in DATA_DIR. With PostgreSQL, set the same value on all replicas.',
    value => (value.length >= 16 && value.length <= 1024 ? undefined : 'must be 16 to 1024 characters'),
  ),
  MODEL_BASE_URL: endpoint(
    'Base URL of an OpenAI-compatible chat API, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`.',
  ),
  MODEL_API_KEY: secret('API key, if required.'),
  MODEL_NAME: optionalText('Default language model.'),
  TRANSCRIBE_BASE_URL: endpoint('Base URL of an OpenAI-compatible transcription API, for voice messages.'),
  TRANSCRIBE_API_KEY: secret('API key, if required.'),
  TRANSCRIBE_MODEL: optionalText('Transcription model, such as `whisper-1`.'),
  WEB_SEARCH_URL: endpoint('URL of a SearXNG server with the JSON format enabled, for web search.'),
  WEB_SEARCH_API_KEY: secret('API key, if required.'),
  RUN_RETENTION_DAYS: integer(30, 1, 3650, 'Days to keep finished runs and their traces.'),
  PUBLIC_CALLS_PER_MINUTE: integer(
    300,
    0,
    1_000_000,
    'Calls per minute to public agents without a token, per client address; 0: unlimited.',
  ),
  DEMO: oneOf(
    ['on', 'off'],
    'on',
    'Whether the first start creates a demo agent with a small workflow and a knowledge base.',
  ),
  EMBEDDING_BASE_URL: endpoint(
    'Base URL of an OpenAI-compatible embeddings API, such as `https://api.openai.com/v1`.',
  ),
  EMBEDDING_API_KEY: secret('API key, if required.'),
  EMBEDDING_MODEL: optionalText('Embedding model for new knowledge bases, such as `text-embedding-3-small`.'),
  RERANK_BASE_URL: endpoint('Base URL of a rerank API as offered by Cohere, Jina or vLLM (`/rerank`).'),
  RERANK_API_KEY: secret('API key, if required.'),
  RERANK_MODEL: optionalText('Rerank model.'),
  EGRESS_ALLOW: list(
    'Private hosts that the server may connect to, separated by commas: `host`, `host:port`, `*.suffix` or a network such as `10.0.0.0/8`.',
  ),
  INGEST_WORKERS: integer(
    0,
    0,
    64,
    'Threads for document ingestion; 0: one less than the number of processors, at least two.',
  ),
  INGEST_MEMORY_MB: integer(
    512,
    64,
    65_536,
    'Memory limit of an ingestion thread in MB; a document that needs more fails.',
  ),
  SEARCH_CACHE_BYTES: integer(
    64 * 2 ** 20,
    2 ** 20,
    2 ** 40,
    'Memory for the keyword index cache, in bytes.',
  ),
  VECTOR_MEMORY_BYTES: integer(
    512 * 2 ** 20,
    2 ** 20,
    2 ** 40,
    'Memory for vector indexes with SQLite, in bytes.',
  ),
  MAX_FILE_BYTES: integer(200 * 2 ** 20, 1, 2 ** 40, 'Maximum size of an uploaded file, in bytes.'),
} satisfies Record<string, Setting<unknown>>

export interface EndpointConfig {
  baseUrl: string
  apiKey: string | undefined
  model: string
}

export interface Config {
  /** Every setting as shown to the operator. */
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

/** Hides credentials and query parameters of a URL. */
const redactUrl = (value: string): string =>
  value.replace(/\/\/[^/]*@/, '//…@').replace(/^(https?:[^?]*)\?.*$/s, '$1?…')

function showSettings(environment: Record<string, string | undefined>): ServerSetting[] {
  return Object.entries<Setting<unknown>>(settings).map(
    ([name, { description, fallback, isSecret = false }]) => {
      const value = environment[name] || undefined
      return {
        name,
        about: description,
        is_set: value !== undefined,
        is_secret: isSecret,
        value: value === undefined || isSecret ? null : redactUrl(value),
        default: fallback === '' ? null : fallback,
      }
    },
  )
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
      problems.push(`${modelSetting} is required when ${name}_BASE_URL is set`)
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
  if (problems.length > 0) throw new SettingError(`Invalid settings:\n  ${problems.join('\n  ')}`)
  return config
}
