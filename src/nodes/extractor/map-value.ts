import { foldName } from '../mentions.ts'
import type { Option, Parameter } from './parameter.ts'

/** What a parameter can be; of a select always the value of one of its options. */
export type Value = string | number | boolean | readonly string[]

const yes: ReadonlySet<string> = new Set(['true', 'yes', 'y', '是', '是的', '对', '要', '好', '好的'])
const no: ReadonlySet<string> = new Set(['false', 'no', 'n', '否', '不', '不是', '不要', '不用', '没有'])

/** A value of the parameter that is meant by what somebody gave; undefined where it means none. */
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

/** A value or a label; without regard to case and blanks only where that leaves one value. */
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

/** In the order of the options, each once. Nothing chosen is nothing said. */
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

/** A day that the calendar has, as yyyy-mm-dd. */
function mapDate(raw: unknown): string | undefined {
  const parts = typeof raw === 'string' ? /^(\d{4})-(\d{2})-(\d{2})(?:T.{0,100})?$/.exec(raw.trim()) : null
  if (!parts) return undefined
  const day = parts.slice(1).join('-')
  const time = Date.parse(`${day}T00:00:00Z`)
  // A day such as February 30 is either refused or moved on.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined
}
