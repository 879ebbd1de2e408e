import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { checkUnique, gapAt, gapsOfEach } from '../gaps.ts'
import { foldName } from '../mentions.ts'
import { readObjects, readText } from '../read-setting.ts'

export interface Option {
  label: string
  value: string
}

export type ParameterType = 'select' | 'list' | 'text' | 'number' | 'boolean' | 'date'

/** One value that the dialogue collects. */
export interface Parameter {
  name: string
  type: ParameterType
  description: string
  /** Empty if any value is allowed. */
  options: readonly Option[]
  required: boolean
}

/** The types of the wire format. */
const types = {
  select: 'select',
  array: 'list',
  multi_select: 'list',
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
} as const satisfies Record<string, ParameterType>

export type ParameterTypeName = keyof typeof types

function optionsOf(record: JsonRecord): Option[] {
  const options = ownValue(record, 'options')
  if (!isJsonRecord(options)) return []
  return Object.entries(options).flatMap(([label, value]) =>
    typeof value === 'string' ? [{ label, value }] : [],
  )
}

function readParameter(record: JsonRecord): Parameter {
  const options = optionsOf(record)
  const name = readText(record, 'type')
  const declared: ParameterType = Object.hasOwn(types, name) ? types[name as ParameterTypeName] : 'text'
  // A parameter with options is selected from them.
  const type = options.length > 0 && declared !== 'list' ? 'select' : declared
  return {
    name: readText(record, 'name'),
    type,
    description: readText(record, 'description'),
    options,
    required: ownValue(record, 'required') !== false,
  }
}

/** The parameters with a unique name. */
export function readParameters(data: JsonRecord): Parameter[] {
  const parameters = readObjects(data, 'parameters').map(readParameter)
  const byName = Map.groupBy(parameters, ({ name }) => name)
  return [...byName.values()].map(([first]) => first!).filter(({ name }) => name.trim() !== '')
}

/** The default values. One that is not among the options is ignored. */
export function readDefaults(data: JsonRecord): Map<string, Value> {
  const defaults = new Map<string, Value>()
  for (const record of readObjects(data, 'parameters')) {
    const parameter = readParameter(record)
    const value = mapValue(parameter, ownValue(record, 'default'))
    if (value !== undefined && !defaults.has(parameter.name)) defaults.set(parameter.name, value)
  }
  return defaults
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
    const selects = parameter.type === 'select' || ownValue(record, 'type') === 'multi_select'
    if (selects && parameter.options.length === 0)
      gaps.push(
        ...gapAt(
          'options',
          `A parameter of the type "${readText(record, 'type')}" needs at least one option to select from.`,
        ),
      )
    const preset = ownValue(record, 'default') ?? null
    if (preset !== null && mapValue(parameter, preset) === undefined)
      gaps.push(...gapAt('default', 'The default must be a valid value of this parameter.'))
    return gaps
  })
}

/** The value of a parameter; of a select always the value of one of its options. */
export type Value = string | number | boolean | readonly string[]

const yes: ReadonlySet<string> = new Set(['true', 'yes', 'y', '是', '是的', '对', '要', '好', '好的'])
const no: ReadonlySet<string> = new Set(['false', 'no', 'n', '否', '不', '不是', '不要', '不用', '没有'])

/** Converts raw input to a value of the parameter; undefined if it is not one. */
export function mapValue(parameter: Pick<Parameter, 'type' | 'options'>, raw: unknown): Value | undefined {
  switch (parameter.type) {
    case 'select':
      return mapOption(parameter.options, raw)
    case 'list':
      return mapList(parameter.options, raw)
    case 'number':
      return mapNumber(raw)
    case 'boolean':
      return mapBoolean(raw)
    case 'date':
      return mapDate(raw)
    default:
      return mapText(raw)
  }
}

/** Matches a value or a label; ignoring case and spaces only if that leaves one value. */
function mapOption(options: readonly Option[], raw: unknown): string | undefined {
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') return undefined
  const given = String(raw)
  const exact = options.find(({ value }) => value === given) ?? options.find(({ label }) => label === given)
  if (exact) return exact.value
  const folded = foldName(given)
  const alike = options.filter(({ label, value }) => [label, value].some(text => foldName(text) === folded))
  const values = new Set(alike.map(({ value }) => value))
  return values.size === 1 ? alike[0]!.value : undefined
}

/** In the order of the options, each once; undefined if nothing is chosen. */
function mapList(options: readonly Option[], raw: unknown): readonly string[] | undefined {
  const given = Array.isArray(raw) ? raw : [raw]
  const mapped = given.flatMap(each => {
    const value = options.length > 0 ? mapOption(options, each) : mapText(each)
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

function mapNumber(raw: unknown): number | undefined {
  if (typeof raw === 'string' && /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(raw)) return mapNumber(Number(raw))
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
