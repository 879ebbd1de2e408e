import { type DeclaredValues, type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Outputs } from '../workflow/step.ts'
import { checkUnique, gapAt, gapsOfEach } from './gaps.ts'
import { field, type KindFields, objects } from './kind-definition.ts'
import { checkName } from './output-name.ts'
import { quote, readObjects, readText } from './read-setting.ts'

const text = { is: 'text', input: 'line' } as const
/** Not a template: it is inserted as it is. */
const value = { is: 'anything', input: 'line' } as const
const description = field(text, ['Description'], ['说明'])

/** The fields of a node that declares values for the whole graph. */
export const declaringFields: KindFields = {
  environment: field(
    objects(
      ['name'],
      {
        name: field(text, ['Name', 'Referred to as env.name.'], ['名称', '用 env.名称 引用。']),
        value: field(value, ['Value', 'Text, or any JSON.'], ['值', '文字或任意 JSON。']),
        description,
      },
      list => entryGaps(list, 'value'),
    ),
    [
      'Environment values',
      'Constants of this workflow, such as addresses. Refer to one as env.name. Store keys as secrets instead.',
    ],
    ['环境变量', '此工作流的常量，例如地址，用 env.名称 引用。密码等敏感信息请保存为密钥。'],
  ),
  memory: field(
    objects(
      ['name'],
      {
        name: field(text, ['Name', 'Referred to as memory.name.'], ['名称', '用 memory.名称 引用。']),
        default: field(
          value,
          ['Default', 'Its value until a variable node sets another one.'],
          ['默认值', '在变量节点写入新值之前使用。'],
        ),
        description,
      },
      list => entryGaps(list, 'default'),
    ),
    [
      'Memory',
      'Values that are remembered within a conversation, with their default values. The memory of an agent takes precedence.',
    ],
    ['记忆', '在一个对话中记住的值，以及它们的初始值。智能体设置的记忆优先。'],
  ),
}

function entryGaps(list: readonly JsonRecord[], valueKey: string): Gap[] {
  const unique = checkUnique('name', 'A value needs a name.', name => `${quote(name)} is declared twice.`)
  return gapsOfEach(list, entry => {
    const gaps = checkName('name', readText(entry, 'name'))
    const given = JSON.stringify(ownValue(entry, valueKey) ?? null)
    const hasReference = given.includes('{{#')
    return [
      ...(gaps.length === 0 ? unique(entry) : gaps),
      ...(hasReference ? gapAt(valueKey, noReferences) : []),
    ]
  })
}

const noReferences =
  'References in a declared value are not replaced; write them where the value is used, such as {{#secret.name#}} in a header.'

export const declaredBy = (data: JsonRecord): DeclaredValues => ({
  environment: valuesIn(data, 'environment', 'value'),
  memory: valuesIn(data, 'memory', 'default'),
})

/** The values by name; the first entry of a name wins, and a missing value is an empty text. */
const valuesIn = (data: JsonRecord, name: string, key: string): Outputs =>
  Object.fromEntries(
    readObjects(data, name)
      .toReversed()
      .map(entry => [readText(entry, 'name'), ownValue(entry, key) ?? '']),
  )
