import { type Gap, isJsonRecord, type JsonRecord } from '../workflow/node-kind.ts'
import type { KindDefinition } from './kind-definition.ts'
import { readRecord, readText } from './read-setting.ts'
import { stepFailureOf } from './step-failure-of.ts'

export const code: KindDefinition = {
  kind: 'code',
  nodeType: 'tool',
  group: 'data',
  label: { en: 'Code', zh: '代码' },
  about: {
    en: 'Runs a JavaScript function in a sandbox; it can access nothing but its inputs.',
    zh: '在沙箱中运行 JavaScript 函数；它只能访问自己的输入。',
  },
  fields: {
    // Not a template: output of another node or of a user must never become code.
    code: {
      is: 'text',
      input: 'code',
      label: { en: 'Code', zh: '代码' },
      help: {
        en: 'A function main(inputs) that returns the result. The fields of a returned object become outputs.',
        zh: '写一个返回结果的函数 main(inputs)；若返回对象，其各字段即为输出。',
      },
    },
    inputs: {
      is: 'dictionary',
      of: { is: 'tree', input: 'line' },
      label: { en: 'Inputs', zh: '输入' },
      help: { en: 'Arguments of main, by name.', zh: '传给 main 的参数，按名称填写。' },
    },
  },
  required: ['code'],
  initialData: {
    code: 'function main(inputs) {\n  return { text: inputs.query.trim() }\n}\n',
    inputs: { query: '{{#sys.query#}}' },
  },
  gaps: findGaps,
  // Known only after it ran.
  outputs: () => undefined,
  // The code itself has 5 seconds; the rest is for waiting in the queue.
  timeoutMilliseconds: 10_000,
  async run(step, data, services) {
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    try {
      let logs: readonly string[] = []
      const result = await services.code.run(readText(data, 'code'), inputs, step.signal, lines => {
        logs = lines
      })
      // A returned field named "result" or "logs" takes precedence.
      return {
        outputs: { ...(logs.length > 0 && { logs }), result, ...(isJsonRecord(result) ? result : {}) },
      }
    } catch (error) {
      throw stepFailureOf(error)
    }
  },
}

/** Looks at the text only: checking by running would let everyone who may save a graph run code. */
function findGaps(data: JsonRecord): Gap[] {
  const text = readText(data, 'code')
  if (text.trim() === '' || /\bmain\b|\bexport\s+default\b/.test(text)) return []
  const message = 'The code needs a function main(inputs) that returns the result.'
  return [{ place: ['code'], message }]
}
