import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import { gapAt } from './gaps.ts'
import { defineKind, field, valuesByName } from './kind-definition.ts'
import { quote, readRecord } from './read-setting.ts'

export const variable = defineKind({
  kind: 'variable',
  nodeType: 'base',
  group: 'logic',
  en: ['Variable', 'Stores values for later turns of the conversation.'],
  zh: ['记忆变量', '把值记下来，供之后各轮对话使用。'],
  fields: {
    assign: field(
      { ...valuesByName, check: values => Object.keys(values as JsonRecord).flatMap(checkName) },
      ['Values', 'By name. Later turns refer to one as memory.name.'],
      ['变量', '按名称填写，之后用 memory.名称 引用。'],
    ),
  },
  required: ['assign'],
  initialData: { assign: { last_query: '{{#sys.query#}}' } },
  outputs: () => ['result'],
  run(step, data) {
    const filled = Object.entries(step.fill(readRecord(data, 'assign')) as JsonRecord)
    // The output of a skipped node is an empty text here, as in every template.
    const assign = Object.fromEntries(filled.map(([name, value]) => [name, value === undefined ? '' : value]))
    return { outputs: { result: assign }, assign }
  },
})

const maxNameLength = 200

function checkName(name: string): Gap[] {
  const gap = (message: string): Gap[] => gapAt(name, message)
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
