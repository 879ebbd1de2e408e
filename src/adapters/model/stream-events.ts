import { isRecord } from '../../kernel/is-record.ts'
import { type ProviderError, providerError, unmarkedError } from './provider-error.ts'

type Json = Record<string, unknown>

/** Gets the address of an image in an answer: a `data:` URL, or one of another server. */
export type OnImage = (url: string) => void

const isText = (value: unknown): boolean => value === null || value === undefined || typeof value === 'string'

/** Returns the value itself where its members are as they should be. */
const withMember = (value: Json, name: string, wanted: unknown): Json =>
  value[name] === wanted ? value : { ...value, [name]: wanted }

const asNumber = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  const number = value.trim() === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : undefined
}

const asText = (value: unknown): unknown =>
  isText(value) ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Returns the same list if no item changes. */
function mapRecords(list: readonly unknown[], change: (item: Json) => Json): readonly unknown[] {
  const changed = list.map(item => (isRecord(item) ? change(item) : item))
  return changed.every((item, at) => item === list[at]) ? list : changed
}

function repairCall(call: Json): Json {
  const repaired = withMember(withMember(call, 'index', asNumber(call['index'])), 'id', asText(call['id']))
  const { function: called } = repaired
  return isRecord(called)
    ? withMember(repaired, 'function', withMember(called, 'arguments', asText(called['arguments'])))
    : repaired
}

/** The address of an image that a model made, in the forms of OpenRouter and of parts of the content. */
function imageUrl(part: unknown): string | undefined {
  if (!isRecord(part) || !/image/.test(String(part['type'] ?? 'image'))) return undefined
  const { image_url: image } = part
  const url = isRecord(image) ? image['url'] : image
  return typeof url === 'string' ? url : undefined
}

/** The delta without its images: the library ignores them, and would still check megabytes. */
function takeImages(delta: Json, onImage: OnImage): Json {
  const { images, content } = delta
  const lists = [images, content].filter(Array.isArray)
  const urls = lists.flat().map(imageUrl)
  for (const url of urls) if (url !== undefined) onImage(url)
  if (!urls.some(url => url !== undefined)) return delta
  const rest = Array.isArray(content) ? content.filter(part => imageUrl(part) === undefined) : content
  return { ...delta, images: undefined, content: rest }
}

function repairDelta(delta: Json): Json {
  const { role, tool_calls: calls } = delta
  // Every delta is the assistant's, whatever it is called.
  const named =
    isText(role) && (!role || role === 'assistant') ? delta : withMember(delta, 'role', 'assistant')
  return Array.isArray(calls) ? withMember(named, 'tool_calls', mapRecords(calls, repairCall)) : named
}

function repairChoice(choice: Json, onImage: OnImage): Json {
  const whole = isRecord(choice['message']) && !isRecord(choice['delta'])
  const delta = whole ? choice['message'] : choice['delta']
  const repaired = isRecord(delta)
    ? withMember(choice, 'delta', repairDelta(takeImages(delta, onImage)))
    : choice
  return withMember(repaired, 'finish_reason', asText(repaired['finish_reason']))
}

const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens']

const repairUsage = (usage: unknown): unknown =>
  isRecord(usage)
    ? counts.reduce((value, name) => withMember(value, name, asNumber(value[name])), usage)
    : usage

function repairChunk(chunk: Json, choices: readonly unknown[], onImage: OnImage): Json {
  const [first] = choices
  // Kimi counts inside the choice.
  const usage = chunk['usage'] ?? (isRecord(first) ? first['usage'] : undefined)
  let repaired = withMember(
    chunk,
    'choices',
    mapRecords(choices, choice => repairChoice(choice, onImage)),
  )
  repaired = withMember(repaired, 'id', asText(chunk['id']))
  // Foundry Local has this member in every chunk, and the library only checks whether it exists.
  repaired = withMember(repaired, 'error', undefined)
  repaired = withMember(repaired, 'created', asNumber(chunk['created']))
  return usage === undefined ? repaired : withMember(repaired, 'usage', repairUsage(usage))
}

const errorEvent = ({ message, code, status }: ProviderError): string =>
  JSON.stringify({ error: { message, type: code, code: status ?? code } })

/** A piece of text in OpenAI's own form, as most events are: they need not be parsed here. */
const isOrdinary = (data: string): boolean =>
  /^\{"id":"[^"]*","object":"chat\.completion\.chunk","created":\d+,"model":"[^"]*"[^[]*"choices":\[\{"index":0,"delta":\{"content":"/.test(
    data,
  ) &&
  !data.includes('"usage":{') &&
  !data.includes('"images":[') &&
  !data.includes('"error":')

/** An event in the form that the library reads, without images; undefined for one such as a ping. */
export function repairEvent(data: string, onImage: OnImage = () => {}): string | undefined {
  if (isOrdinary(data)) return data
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return data
  }
  const error = providerError(value)
  if (error) return errorEvent(error)
  if (isRecord(value) && Array.isArray(value['choices'])) {
    const repaired = repairChunk(value, value['choices'], onImage)
    return repaired === value ? data : JSON.stringify(repaired)
  }
  const unmarked = unmarkedError(value)
  if (unmarked && (unmarked.status !== undefined || unmarked.code !== '')) return errorEvent(unmarked)
  return isRecord(value) && isRecord(value['usage']) ? JSON.stringify({ ...value, choices: [] }) : undefined
}
