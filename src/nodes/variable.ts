import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import type { KindDefinition } from './kind-definition.ts'
import { quote, readRecord } from './read-setting.ts'

export const variable: KindDefinition<unknown> = {
  kind: 'variable',
  nodeType: 'base',
  group: 'logic',
  label: { en: 'Variable', zh: '记忆变量' },
  about: {
    en: 'Stores values for later turns of the conversation.',
    zh: '把值记下来，供之后各轮对话使用。',
  },
  fields: {
    assign: {
      is: 'dictionary',
      of: { is: 'tree', input: 'line' },
      label: { en: 'Values', zh: '变量' },
      help: {
        en: 'By name. Later turns refer to one as memory.name.',
        zh: '按名称填写，之后用 memory.名称 引用。',
      },
    },
  },
  required: ['assign'],
  initialData: { assign: { last_query: '{{#sys.query#}}' } },
  gaps: data => Object.keys(readRecord(data, 'assign')).flatMap(nameGaps),
  outputs: () => ['result'],
  run(step, data) {
    const filled = Object.entries(step.fill(readRecord(data, 'assign')) as JsonRecord)
    // The output of a skipped node is an empty text here, as in every template.
    const assign = Object.fromEntries(filled.map(([name, value]) => [name, value === undefined ? '' : value]))
    return { outputs: { result: assign }, assign }
  },
}

const maxNameLength = 200

function nameGaps(name: string): Gap[] {
  const gap = (message: string): Gap[] => [{ place: ['assign', name], message }]
  if (name.trim() === '') return gap('A value needs a name.')
  // {{#memory.a.b#}} reads "b" inside the value "a", so a name with a dot could never be read.
  if (name.includes('.') || name.includes('#}}') || name !== name.trim())
    return gap(
      `${quote(name)} cannot be referred to; use a name without dots and without surrounding spaces.`,
    )
  if (name.length > maxNameLength)
    return gap(`${quote(name)} is too long; use a name of at most ${maxNameLength} characters.`)
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    return gap(`${quote(name)} has invisible characters; remove them.`)
  return []
}
