import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { readList, readText } from '../read-setting.ts'
import { mapValue, type Value } from './map-value.ts'
import type { Option, Parameter, ParameterType } from './parameter.ts'

const types: Readonly<Record<string, ParameterType>> = {
  select: 'select',
  array: 'list',
  multi_select: 'list',
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
}

/** The types that a graph may name. */
export const parameterTypes: readonly string[] = Object.keys(types)

function optionsOf(record: JsonRecord): Option[] {
  const options = ownValue(record, 'options')
  if (!isJsonRecord(options)) return []
  return Object.entries(options).flatMap(([label, value]) =>
    typeof value === 'string' ? [{ label, value }] : [],
  )
}

function readParameter(record: JsonRecord): Parameter {
  const options = optionsOf(record)
  const named = readText(record, 'type')
  const told = Object.hasOwn(types, named) ? types[named]! : 'text'
  // Whatever has options is chosen from them.
  const type = options.length > 0 && told !== 'list' ? 'select' : told
  return {
    name: readText(record, 'name'),
    type,
    description: readText(record, 'description'),
    options,
    required: ownValue(record, 'required') !== false,
  }
}

/** Those that have a name of their own. */
export function readParameters(data: JsonRecord): Parameter[] {
  const byName = new Map<string, Parameter>()
  for (const record of readList(data, 'parameters')) {
    if (!isJsonRecord(record)) continue
    const parameter = readParameter(record)
    if (parameter.name.trim() !== '' && !byName.has(parameter.name)) byName.set(parameter.name, parameter)
  }
  return [...byName.values()]
}

/** The values that stand where nothing is said. One outside the options is none. */
export function readDefaults(data: JsonRecord): Map<string, Value> {
  const defaults = new Map<string, Value>()
  for (const record of readList(data, 'parameters')) {
    if (!isJsonRecord(record)) continue
    const parameter = readParameter(record)
    const value = mapValue(parameter, ownValue(record, 'default'))
    if (value !== undefined && !defaults.has(parameter.name)) defaults.set(parameter.name, value)
  }
  return defaults
}

/** What keeps a list of parameters from being asked for. */
export function parameterGaps(data: JsonRecord): Gap[] {
  const seen = new Set<string>()
  return readList(data, 'parameters').flatMap((record, index) => {
    if (!isJsonRecord(record)) return []
    const place = (key: string) => ['parameters', index, key]
    const { name, type, options } = readParameter(record)
    const gaps: Gap[] = []
    if (name.trim() === '')
      gaps.push({
        place: place('name'),
        message: 'This parameter needs a name, which is also the name of its output.',
      })
    else if (seen.has(name))
      gaps.push({ place: place('name'), message: `Another parameter is called ${JSON.stringify(name)}.` })
    seen.add(name)
    const selects = type === 'select' || ownValue(record, 'type') === 'multi_select'
    if (selects && options.length === 0)
      gaps.push({
        place: place('options'),
        message: `A parameter of the type "${readText(record, 'type')}" needs at least one option to select from.`,
      })
    const preset = ownValue(record, 'default')
    if (preset !== undefined && preset !== null && mapValue(readParameter(record), preset) === undefined)
      gaps.push({
        place: place('default'),
        message: 'The default must be a value that this parameter can have.',
      })
    return gaps
  })
}
