import type { NodeKind } from '../workflow/node-kind.ts'
import { readText } from './read-setting.ts'

/** Speaks to the user. The engine says `answer` piece by piece; here it becomes the node's outputs. */
export const output: NodeKind<unknown> = {
  kind: 'output',
  nodeType: 'base',
  title: 'Output',
  fields: { answer: { is: 'template', input: 'paragraph' } },
  required: ['answer'],
  outputs: () => ['text', 'result'],
  messageField: 'answer',
  run(step, data) {
    const text = step.text(readText(data, 'answer'))
    return { outputs: { text, result: text } }
  },
}
