import type { KindDefinition } from './kind-definition.ts'
import { readText } from './read-setting.ts'

export const template: KindDefinition<unknown> = {
  kind: 'template',
  nodeType: 'base',
  group: 'data',
  label: { en: 'Template', zh: '文本模板' },
  about: { en: 'Builds text for later nodes.', zh: '拼出一段文字供后面的节点使用，不会发给用户。' },
  fields: {
    template: {
      is: 'template',
      input: 'paragraph',
      label: { en: 'Text', zh: '文本' },
      help: { en: 'References are replaced by their values.', zh: '其中的引用会被替换。' },
    },
  },
  required: ['template'],
  initialData: { template: '{{#sys.query#}}' },
  outputs: () => ['text', 'result'],
  run(step, data) {
    const text = step.text(readText(data, 'template'))
    return { outputs: { text, result: text } }
  },
}
