import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { numberGaps } from '../read-setting.ts'

/** Numbers out of their range, and a schema that cannot be kept to. */
export function settingGaps(data: JsonRecord): Gap[] {
  const gaps = [
    ...numberGaps(data, 'temperature', { from: 0, to: 2 }),
    ...numberGaps(data, 'max_tokens', { from: 1, to: 10_000_000, whole: true }),
    ...numberGaps(data, 'history_turns', { from: 0, to: 50, whole: true }),
  ]
  const type = ownValue(answerSchema(data) ?? {}, 'type')
  if (type !== undefined && type !== 'object') {
    const message = 'Must describe an object: {"type": "object", "properties": {…}}.'
    gaps.push({ place: ['json_schema', 'type'], message })
  }
  return gaps
}

/** What the answer must be, where it must be JSON. People also paste the form that a provider takes. */
export function answerSchema(data: JsonRecord): JsonRecord | undefined {
  const given = ownValue(data, 'json_schema')
  if (!isJsonRecord(given) || Object.keys(given).length === 0) return undefined
  const inner = ownValue(given, 'schema')
  const wrapped = isJsonRecord(inner) && !Object.hasOwn(given, 'type') && !Object.hasOwn(given, 'properties')
  const schema = wrapped ? inner : given
  return Object.hasOwn(schema, 'type') ? schema : { type: 'object', ...schema }
}
