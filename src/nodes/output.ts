import { defineKind, field, paragraph } from './kind-definition.ts'
import { readText } from './read-setting.ts'

/** The engine streams `answer` to the user; `run` only makes it the outputs of the node. */
export const output = defineKind({
  kind: 'output',
  nodeType: 'base',
  group: 'talk',
  en: ['Output', 'Streams a message to the user.'],
  zh: ['回复', '向用户发送消息，内容边生成边显示。'],
  fields: {
    answer: field(
      paragraph,
      ['Answer', 'The message. The text of a language model is streamed while it is generated.'],
      ['回复内容', '要发送的内容。引用语言模型的输出时，会随着生成逐字显示。'],
    ),
  },
  required: ['answer'],
  initialData: { answer: '{{#sys.query#}}' },
  outputs: () => ['text', 'result'],
  messageField: 'answer',
  run(step, data) {
    const text = step.text(readText(data, 'answer'))
    return { outputs: { text, result: text } }
  },
})
