import type { Gap, JsonRecord, NodeKind } from '../workflow/node-kind.ts'
import { quote, readRecord } from './read-setting.ts'

/** Remembers values for later turns of the conversation. */
export const variable: NodeKind<unknown> = {
  kind: 'variable',
  nodeType: 'base',
  title: 'Variable',
  fields: { assign: { is: 'dictionary', of: { is: 'tree', input: 'line' } } },
  required: ['assign'],
  gaps: data => Object.keys(readRecord(data, 'assign')).flatMap(nameGaps),
  outputs: () => ['result'],
  run(step, data) {
    const filled = Object.entries(step.fill(readRecord(data, 'assign')) as JsonRecord)
    // What a skipped node did not give is an empty text, here as in every template.
    const assign = Object.fromEntries(filled.map(([name, value]) => [name, value === undefined ? '' : value]))
    return { outputs: { result: assign }, assign }
  },
}

const longestName = 200

function nameGaps(name: string): Gap[] {
  const place = ['assign', name]
  if (name.trim() === '') return [{ place, message: 'A value needs a name to be remembered by.' }]
  // {{#memory.a.b#}} goes into the value of "a", so that a name with a dot could never be read.
  if (name.includes('.') || name.includes('#}}') || name !== name.trim())
    return [
      { place, message: `${quote(name)} cannot be referred to; use a name without dots and outer blanks.` },
    ]
  if (name.length > longestName)
    return [
      { place, message: `${quote(name)} is too long; use a name of at most ${longestName} characters.` },
    ]
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    return [{ place, message: `${quote(name)} has characters that nobody can see; remove them.` }]
  return []
}
