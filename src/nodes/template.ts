import { defineKind, field, paragraph } from './kind-definition.ts'
import { readText } from './read-setting.ts'

export const template = defineKind({
  kind: 'template',
  nodeType: 'base',
  group: 'data',
  en: ['Template', 'Builds text for later nodes.'],
  zh: ['文本模板', '拼出一段文字供后面的节点使用，不会发给用户。'],
  fields: {
    template: field(
      paragraph,
      ['Text', 'References are replaced by their values.'],
      ['文本', '其中的引用会被替换。'],
    ),
  },
  required: ['template'],
  initialData: { template: '{{#sys.query#}}' },
  outputs: () => ['text', 'result'],
  run(step, data) {
    const text = step.text(readText(data, 'template'))
    return { outputs: { text, result: text } }
  },
})
