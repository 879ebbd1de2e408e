import { availableParallelism } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { ServerSetting } from '../contract/server-record.ts'
import type { S3Settings } from '../files/s3-url.ts'
import { type Setting, SettingError } from './setting.ts'
import { settings } from './settings.ts'

export interface EndpointConfig {
  baseUrl: string
  apiKey: string | undefined
  model: string
}

/** RUN_RETENTION_DAYS as runRetentionDays. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

type Values = {
  [Name in keyof typeof settings as CamelCase<Name>]: ReturnType<(typeof settings)[Name]['read']>
}

export interface Config extends Values {
  /** Every setting as shown to the operator. */
  shownSettings: ServerSetting[]
  /** Undefined where no base URL is set. */
  model: EndpointConfig | undefined
  transcribe: EndpointConfig | undefined
  speech: EndpointConfig | undefined
  /** A vision model for scans and images. */
  ocrEndpoint: EndpointConfig | undefined
  embedding: EndpointConfig | undefined
  rerank: EndpointConfig | undefined
  webSearch: { url: string; apiKey: string | undefined } | undefined
  s3: S3Settings
}

/** Hides credentials and query parameters of a URL. */
const redactUrl = (value: string): string =>
  value.replace(/\/\/[^/]*@/, '//…@').replace(/^(https?:[^?]*)\?.*$/s, '$1?…')

const showSettings = (environment: Record<string, string | undefined>): ServerSetting[] =>
  Object.entries<Setting<unknown>>(settings).map(([name, { description, fallback, isSecret = false }]) => {
    const value = environment[name] || undefined
    return {
      name,
      about: description,
      is_set: value !== undefined,
      is_secret: isSecret,
      value: value === undefined || isSecret ? null : redactUrl(value),
      default: fallback || null,
    }
  })

function readS3({ awsRegion, awsEndpointUrl, awsEndpointUrlS3, s3PathStyle }: Values): S3Settings {
  const endpoint = awsEndpointUrlS3 ?? awsEndpointUrl
  return {
    region: awsRegion ?? (endpoint === undefined ? undefined : 'us-east-1'),
    endpoint,
    pathStyle: s3PathStyle === 'auto' ? endpoint !== undefined : s3PathStyle === 'on',
  }
}

/** The only reader of the environment, except for the credentials of the S3 client. An empty value counts as unset. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings))
    try {
      const key = name.toLowerCase().replace(/_(.)/g, (_, first: string) => first.toUpperCase())
      read[key] = setting.read(environment[name] || setting.fallback)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(`${name} ${error.message}`)
    }
  const values = read as Values
  const readEndpoint = (
    name: 'model' | 'transcribe' | 'speech' | 'embedding' | 'rerank',
    model = name === 'model' ? values.modelName : values[`${name}Model`],
  ): EndpointConfig | undefined => {
    const baseUrl = values[`${name}BaseUrl`]
    const apiKey = values[`${name}ApiKey`]
    if (baseUrl !== undefined && model !== undefined) return { baseUrl, apiKey, model }
    const group = name.toUpperCase()
    const settingOfModel = name === 'model' ? 'MODEL_NAME' : `${group}_MODEL`
    const settingOfUrl = `${group}_BASE_URL`
    if (baseUrl !== undefined) problems.push(`${settingOfModel} is required when ${settingOfUrl} is set`)
    else if (model !== undefined) problems.push(`${settingOfUrl} is required when ${settingOfModel} is set`)
    else if (apiKey !== undefined) problems.push(`${settingOfUrl} is required when ${group}_API_KEY is set`)
    return undefined
  }
  const readOcr = (): EndpointConfig | undefined => {
    const { ocrModel: model, ocrBaseUrl, ocrApiKey } = values
    const baseUrl = ocrBaseUrl ?? values.modelBaseUrl
    if (model === undefined && (ocrBaseUrl ?? ocrApiKey) !== undefined)
      problems.push(`OCR_MODEL is required when OCR_${ocrBaseUrl ? 'BASE_URL' : 'API_KEY'} is set`)
    if (model !== undefined && baseUrl === undefined)
      problems.push('OCR_BASE_URL or MODEL_BASE_URL is required when OCR_MODEL is set')
    if (model === undefined || baseUrl === undefined) return undefined
    // The key of one provider is not sent to another one.
    const apiKey = ocrApiKey ?? (ocrBaseUrl === undefined ? values.modelApiKey : undefined)
    return { baseUrl, apiKey, model }
  }
  const { webSearchUrl, webSearchApiKey } = values
  if (webSearchApiKey !== undefined && webSearchUrl === undefined)
    problems.push('WEB_SEARCH_URL is required when WEB_SEARCH_API_KEY is set')
  const config: Config = {
    ...values,
    runMemoryMb: values.runMemoryMb || Math.floor(getHeapStatistics().heap_size_limit / 2 ** 21),
    ingestWorkers: values.ingestWorkers || Math.max(2, availableParallelism() - 1),
    shownSettings: showSettings(environment),
    model: readEndpoint('model'),
    transcribe: readEndpoint('transcribe'),
    speech: readEndpoint('speech'),
    ocrEndpoint: readOcr(),
    embedding: readEndpoint('embedding'),
    rerank: readEndpoint('rerank'),
    s3: readS3(values),
    webSearch: webSearchUrl === undefined ? undefined : { url: webSearchUrl, apiKey: webSearchApiKey },
  }
  if (problems.length > 0) throw new SettingError(`Invalid settings:\n  ${problems.join('\n  ')}`)
  return config
}
