import type { KindDefinition } from './kind-definition.ts'
import { readText } from './read-setting.ts'

/** The engine streams `answer` to the user; `run` only makes it the outputs of the node. */
export const output: KindDefinition<unknown> = {
  kind: 'output',
  nodeType: 'base',
  group: 'talk',
  label: { en: 'Output', zh: '回复' },
  about: { en: 'Streams a message to the user.', zh: '向用户发送消息，内容边生成边显示。' },
  fields: {
    answer: {
      is: 'template',
      input: 'paragraph',
      label: { en: 'Answer', zh: '回复内容' },
      help: {
        en: 'The message. The text of a language model is streamed while it is generated.',
        zh: '要发送的内容。引用语言模型的输出时，会随着生成逐字显示。',
      },
    },
  },
  required: ['answer'],
  initialData: { answer: '{{#sys.query#}}' },
  outputs: () => ['text', 'result'],
  messageField: 'answer',
  run(step, data) {
    const text = step.text(readText(data, 'answer'))
    return { outputs: { text, result: text } }
  },
}
