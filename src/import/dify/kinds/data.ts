import type { JsonRecord } from '../../../workflow/json-record.ts'
import {
  flagAt,
  listAt,
  namedIn,
  numberAt,
  recordAt,
  recordsAt,
  setMembers,
  textAt,
  textsAt,
  valueAt,
} from '../read.ts'
import { referenceForm } from '../scope.ts'
import { asBase, asTool, type Convert, type NodeConversion, Unmapped } from './kind.ts'
import { jinjaInputs } from './model.ts'

const languages: Readonly<Record<string, string>> = { python3: 'python', javascript: 'javascript' }

export const code: Convert = given => {
  const { data } = given
  const language = namedIn(languages, textAt(data, 'code_language'))
  if (language === undefined) throw new Unmapped('no_language', { language: textAt(data, 'code_language') })
  const packages = recordsAt(data, 'dependencies').map(each => textAt(each, 'name'))
  if (packages.length > 0) given.note('packages_left_out', { packages: packages.join(', ') })
  return asTool({
    type: 'code',
    language,
    code: textAt(data, 'code'),
    inputs: jinjaInputs(given, recordsAt(data, 'variables')),
  })
}

export const templateTransform: Convert = given =>
  asBase({
    type: 'template',
    syntax: 'jinja2',
    template: textAt(given.data, 'template'),
    inputs: jinjaInputs(given, recordsAt(given.data, 'variables')),
  })

export const documentExtractor: Convert = given =>
  asTool({ type: 'document_extractor', files: given.value(valueAt(given.data, 'variable_selector')) })

/** A reference to files in a message is sent as files. */
export const answer: Convert = given => {
  const files = new Set<string>()
  const text = textAt(given.data, 'answer').replace(referenceForm, (whole, path: string) => {
    if (!given.conversion.files.has(path.trim())) return whole
    files.add(given.value(path.trim().split('.')))
    return ''
  })
  return asBase({
    type: 'output',
    answer: given.text(files.size > 0 ? text.trim() : text),
    ...(files.size > 0 && { file_list: [...files] }),
  })
}

/** The knowledge bases that were chosen for data sets of the file. */
export function knowledgeOf(given: NodeConversion, dataSets: readonly string[]): string[] {
  const { knowledge } = given.conversion.options
  const missing = [...new Set(dataSets)].filter(id => !knowledge.has(id))
  if (missing.length > 0)
    given.note('choose_knowledge', {
      data_sets: missing.map(id => `"${id.slice(0, 100)}"`).join(', '),
    })
  return [...new Set(dataSets.flatMap(id => knowledge.get(id) ?? []))]
}

export const knowledgeRetrieval: Convert = given => {
  const { data } = given
  const settings = recordAt(data, 'multiple_retrieval_config')
  if (textAt(data, 'retrieval_mode') === 'single') given.note('all_knowledge')
  if (flagAt(settings, 'reranking_enable')) given.note('reranking')
  if (!['', 'disabled'].includes(textAt(data, 'metadata_filtering_mode'))) given.note('metadata_filter')
  const topK = numberAt(settings, 'top_k')
  return asTool(
    setMembers({
      type: 'knowledge_retrieval',
      query: given.value(valueAt(data, 'query_variable_selector'), 'text'),
      knowledge_ids: knowledgeOf(given, textsAt(data, 'dataset_ids')),
      top_k: topK === undefined ? undefined : Math.min(Math.max(Math.round(topK), 1), 50),
      score_threshold: numberAt(settings, 'score_threshold'),
    }),
  )
}

export const httpRequest: Convert = given => {
  const { data } = given
  const method = (textAt(data, 'method') || 'get').toUpperCase()
  if (valueAt(data, 'ssl_verify') === false) given.note('certificates')
  const seconds = numberAt(data, 'timeout', 'max_read_timeout') ?? 0
  const hasNoBody = method === 'GET' || method === 'HEAD'
  if (hasNoBody && !['', 'none'].includes(textAt(data, 'body', 'type')))
    given.note('body_left_out', { method })
  const handlesErrors = !['', 'none'].includes(textAt(data, 'error_strategy'))
  if (handlesErrors || flagAt(data, 'retry_config', 'retry_enabled')) given.note('any_status')
  const headers = pairs(given, textAt(data, 'headers'))
  return asTool(
    setMembers({
      type: 'http_request',
      method,
      url: given.text(textAt(data, 'url')),
      headers: unlessEmpty({ ...headers, ...jsonHeader(given, headers), ...authorization(given) }),
      query: unlessEmpty(parameters(given, textAt(data, 'params'))),
      ...(hasNoBody ? {} : requestBody(given)),
      timeout_ms: seconds > 0 ? seconds * 1000 : undefined,
    }),
  )
}

const unlessEmpty = (record: JsonRecord): JsonRecord | undefined =>
  Object.keys(record).length > 0 ? record : undefined

/** Lines of `name:value`. */
const entries = (given: NodeConversion, text: string): [string, string][] =>
  text.split('\n').flatMap((line): [string, string][] => {
    const [name = '', ...rest] = line.split(':')
    return name.trim() === '' ? [] : [[given.text(name.trim()), given.text(rest.join(':').trim())]]
  })

const pairs = (given: NodeConversion, text: string): Record<string, string> =>
  Object.fromEntries(entries(given, text))

/** Reads parameters; a repeated name has a list of values. */
function parameters(given: NodeConversion, text: string): JsonRecord {
  const byName = Map.groupBy(entries(given, text), ([name]) => name)
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.length === 1 ? all[0]![1] : all.map(([, value]) => value)]),
  )
}

function authorization(given: NodeConversion): Record<string, string> {
  const { data } = given
  if (textAt(data, 'authorization', 'type') !== 'api-key') return {}
  const config = recordAt(data, 'authorization', 'config')
  const key = textAt(config, 'api_key')
  const values: Readonly<Record<string, () => string>> = {
    basic: () => `Basic ${basicCredentials(given, key)}`,
    bearer: () => `Bearer ${given.text(key)}`,
  }
  const value = namedIn(values, textAt(config, 'type')) ?? (() => given.text(key))
  return { [textAt(config, 'header') || 'Authorization']: value() }
}

/** Encodes credentials like Dify: a name with its password is encoded, a key without a colon is sent unchanged. */
function basicCredentials(given: NodeConversion, key: string): string {
  if (!key.includes('{{#')) return key.includes(':') ? Buffer.from(key).toString('base64') : key
  given.note('basic_authorization')
  return given.text(key)
}

/** The content type of a JSON body that starts with a reference: otherwise it would be sent as plain text. */
function jsonHeader({ data }: NodeConversion, headers: Record<string, string>): Record<string, string> {
  const body = recordAt(data, 'body')
  const isHidden = textAt(body, 'type') === 'json' && /^\s*\{\{#/.test(bodyText(body))
  const isSet = Object.keys(headers).some(name => name.toLowerCase() === 'content-type')
  return isHidden && !isSet ? { 'Content-Type': 'application/json' } : {}
}

function bodyText(body: JsonRecord): string {
  const parts = recordsAt(body, 'data')
  return parts.length > 0 ? parts.map(each => textAt(each, 'value')).join('') : textAt(body, 'data')
}

function requestBody(given: NodeConversion): JsonRecord {
  const body = recordAt(given.data, 'body')
  const parts = recordsAt(body, 'data')
  switch (textAt(body, 'type')) {
    case '':
    case 'none':
      return {}
    case 'form-data':
      return { form: formOf(given, parts, textAt(body, 'data')), form_encoding: 'multipart' }
    case 'x-www-form-urlencoded':
      return { form: formOf(given, parts, textAt(body, 'data')), form_encoding: 'urlencoded' }
    case 'binary':
      return { body_file: given.value(listAt(parts[0] ?? {}, 'file')) }
    default:
      return { body: given.text(bodyText(body)) }
  }
}

/** Older files hold the fields as lines of text. */
function formOf(given: NodeConversion, parts: readonly JsonRecord[], lines: string): JsonRecord[] {
  if (parts.length === 0) return Object.entries(pairs(given, lines)).map(([name, value]) => ({ name, value }))
  return parts
    .filter(each => textAt(each, 'key') !== '')
    .map(each => ({
      name: given.text(textAt(each, 'key')),
      ...(textAt(each, 'type') === 'file'
        ? { file: given.value(listAt(each, 'file')) }
        : { value: given.text(textAt(each, 'value')) }),
    }))
}
