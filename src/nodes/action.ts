import { jsonExcess } from '../tools/json-limits.ts'
import { ownValue } from '../workflow/node-kind.ts'
import { stepFailed } from '../workflow/step.ts'
import { fillJsonText } from './fill-json-text.ts'
import { defineKind, field } from './kind-definition.ts'
import { quote } from './read-setting.ts'

export const action = defineKind({
  kind: 'action',
  nodeType: 'embody',
  group: 'talk',
  en: ['Action', 'Sends an instruction to the client, for example to control a device.'],
  zh: ['动作', '向客户端发送一条指令，例如控制设备或界面。'],
  fields: {
    content: field(
      { is: 'tree', input: 'json' },
      ['Content', 'JSON that the client understands. References between quotes are escaped.'],
      ['内容', '客户端能理解的 JSON。插在引号之间的引用会自动转义。'],
    ),
  },
  required: ['content'],
  initialData: { content: '{"do": "show", "words": "{{#sys.query#}}"}' },
  outputs: () => ['content', 'result', 'text'],
  sendsMessages: true,
  run(step, data) {
    const given = ownValue(data, 'content')
    const content =
      typeof given === 'string' ? fillJsonText(step, given).trim() : JSON.stringify(step.fill(given))
    const result = parseContent(content)
    step.sendMessage({ dataType: 'action', content, fileIds: [] })
    return { outputs: { content, result, text: content } }
  },
})

function parseContent(content: string): unknown {
  const excess = jsonExcess(content)
  if (excess !== undefined) throw stepFailed(`"content" is ${excess}; send less.`)
  try {
    return JSON.parse(content)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw stepFailed(
      `"content" is not JSON after its references were replaced (${why}): ${quote(content)}`,
      error,
    )
  }
}
