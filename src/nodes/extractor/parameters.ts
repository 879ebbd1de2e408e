import type { LocalizedText } from '../../contract/kind-operations.ts'
import { exactNumber } from '../../kernel/parse-in-pieces.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { clip } from '../../workflow/show-value.ts'
import { checkUnique, gapAt, gapsOfEach } from '../gaps.ts'
import { findOption, foldName, type Option } from '../mentions.ts'
import { readObjects, readText } from '../read-setting.ts'

type ParameterType = 'select' | 'list' | 'text' | 'number' | 'boolean' | 'date'

export interface Parameter {
  name: string
  type: ParameterType
  description: string
  /** Empty if any value is allowed. */
  options: readonly Option[]
  required: boolean
  default?: Value | undefined
}

/** The types of the wire format, and their labels. */
export const parameterTypes: Readonly<Record<string, LocalizedText & { type: ParameterType }>> = {
  select: { type: 'select', en: 'Single choice', zh: '单选' },
  array: { type: 'list', en: 'List', zh: '列表' },
  multi_select: { type: 'list', en: 'Multiple choice', zh: '多选' },
  string: { type: 'text', en: 'Text', zh: '文本' },
  number: { type: 'number', en: 'Number', zh: '数字' },
  boolean: { type: 'boolean', en: 'Yes or no', zh: '是或否' },
  date: { type: 'date', en: 'Date', zh: '日期' },
}

function optionsOf(record: JsonRecord): Option[] {
  const options = ownValue(record, 'options')
  if (!isJsonRecord(options)) return []
  return Object.entries(options).flatMap(([label, value]) =>
    typeof value === 'string' ? [{ label, value }] : [],
  )
}

/** A list may name the type of its items: `array of select`, `array[string]`. */
const typeOf = (record: JsonRecord): string => readText(record, 'type').replace(/^array( of |\[).*/s, 'array')

function readParameter(record: JsonRecord): Parameter {
  const options = optionsOf(record)
  const known = ownValue(parameterTypes, typeOf(record)) as (typeof parameterTypes)[string] | undefined
  const declared = known?.type ?? 'text'
  // A parameter with options is selected from them.
  const type = options.length > 0 && declared !== 'list' ? 'select' : declared
  return {
    name: readText(record, 'name'),
    type,
    description: readText(record, 'description'),
    options,
    required: ownValue(record, 'required') !== false,
    // A default that is not among the options is ignored.
    default: mapValue({ type, options }, ownValue(record, 'default')),
  }
}

/** The parameters with a unique name. */
export function readParameters(data: JsonRecord): Parameter[] {
  const parameters = readObjects(data, 'parameters').map(readParameter)
  const byName = Map.groupBy(parameters, ({ name }) => name)
  return [...byName.values()].map(([first]) => first!).filter(({ name }) => name.trim() !== '')
}

export function checkParameters(list: readonly JsonRecord[]): Gap[] {
  const checkName = checkUnique(
    'name',
    'This parameter needs a name, which is also the name of its output.',
    name => `Another parameter is already named ${JSON.stringify(name)}.`,
  )
  return gapsOfEach(list, record => {
    const parameter = readParameter(record)
    const gaps = checkName(record)
    const type = typeOf(record)
    const selects = parameter.type === 'select' || type === 'multi_select'
    if (selects && parameter.options.length === 0)
      gaps.push(
        ...gapAt('options', `A parameter of the type "${type}" needs at least one option to select from.`),
      )
    if (type !== '' && !Object.hasOwn(parameterTypes, type) && parameter.type === 'text')
      gaps.push({
        place: ['type'],
        message: `Unknown type ${JSON.stringify(clip(type))}, which counts as "string"; use one of ${Object.keys(parameterTypes).join(', ')}.`,
        rule: 'setting_out_of_range',
      })
    const preset = ownValue(record, 'default') ?? null
    if (preset !== null && parameter.default === undefined)
      gaps.push(...gapAt('default', 'The default must be a valid value of this parameter.'))
    return gaps
  })
}

/** The value of a parameter; of a select always the value of one of its options. */
export type Value = string | number | boolean | readonly string[]

const yes: ReadonlySet<string> = new Set(['true', 'yes', 'y', '是', '是的', '对', '要', '好', '好的'])
const no: ReadonlySet<string> = new Set(['false', 'no', 'n', '否', '不', '不是', '不要', '不用', '没有'])

const mappers: Record<ParameterType, (raw: unknown, options: readonly Option[]) => Value | undefined> = {
  select: mapOption,
  list: mapList,
  text: mapText,
  number: mapNumber,
  boolean: mapBoolean,
  date: mapDate,
}

/** Converts raw input to a value of the parameter; undefined if it is not one. */
export const mapValue = ({ type, options }: Pick<Parameter, 'type' | 'options'>, raw: unknown) =>
  mappers[type](raw, options)

function mapOption(raw: unknown, options: readonly Option[]): string | undefined {
  const isScalar = ['string', 'number', 'boolean'].includes(typeof raw)
  return isScalar ? findOption(options, String(raw)) : undefined
}

/** In the order of the options, each once; undefined if nothing is chosen. */
function mapList(raw: unknown, options: readonly Option[]): readonly string[] | undefined {
  const given = Array.isArray(raw) ? raw : [raw]
  const mapped = given.flatMap(each => {
    const value = options.length > 0 ? mapOption(each, options) : mapText(each)
    return value === undefined ? [] : [value]
  })
  const chosen = new Set(mapped)
  const ordered =
    options.length > 0 ? options.map(({ value }) => value).filter(each => chosen.has(each)) : mapped
  const values = [...new Set(ordered)]
  return values.length > 0 ? values : undefined
}

function mapText(raw: unknown): string | undefined {
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  return typeof raw === 'string' && raw.trim() !== '' ? raw.trim() : undefined
}

/** An order number and the like stays a text if it would lose digits. */
function mapNumber(raw: unknown): number | string | undefined {
  if (typeof raw === 'string' && /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(raw)) {
    const value = exactNumber(raw)
    return typeof value === 'string' ? value : mapNumber(value)
  }
  return typeof raw === 'number' && Number.isFinite(raw) ? raw : undefined
}

function mapBoolean(raw: unknown): boolean | undefined {
  if (typeof raw === 'boolean') return raw
  if (typeof raw !== 'string') return undefined
  const folded = foldName(raw)
  if (yes.has(folded)) return true
  return no.has(folded) ? false : undefined
}

/** A valid calendar day, as yyyy-mm-dd. */
function mapDate(raw: unknown): string | undefined {
  const parts = typeof raw === 'string' ? /^(\d{4})-(\d{2})-(\d{2})(?:T.{0,100})?$/.exec(raw.trim()) : null
  if (!parts) return undefined
  const day = parts.slice(1).join('-')
  const time = Date.parse(`${day}T00:00:00Z`)
  // Date.parse either rejects a day such as February 30 or moves it to March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined
}
