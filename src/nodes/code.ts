import type { CodeCall } from '../tools/code-runner.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { defineKind, field, valuesByName } from './kind-definition.ts'
import type { NodeServices } from './node-services.ts'
import { readRecord, readText, textOf } from './read-setting.ts'
import { storeReturned } from './stored-files.ts'

export const code = defineKind({
  kind: 'code',
  nodeType: 'tool',
  group: 'data',
  en: ['Code', 'Runs a JavaScript function in a sandbox; it can access nothing but its inputs.'],
  zh: ['代码', '在沙箱中运行 JavaScript 函数；它只能访问自己的输入。'],
  fields: {
    // Not a template: output of another node or of a user must never become code.
    code: field(
      { is: 'text', input: 'code', check: checkCode },
      [
        'Code',
        'A function main(inputs) that returns the result. The fields of a returned object become outputs; those in "files" with "name" and "content" or "content_base64" are stored.',
      ],
      [
        '代码',
        '写一个返回结果的函数 main(inputs)；若返回对象，其各字段即为输出；files 中带有 name 和 content 或 content_base64 的项会存为文件。',
      ],
    ),
    inputs: field(
      valuesByName,
      ['Inputs', 'Arguments of main, by name.'],
      ['输入', '传给 main 的参数，按名称填写。'],
    ),
  },
  required: ['code'],
  initialData: {
    code: 'function main(inputs) {\n  return { text: inputs.query.trim() }\n}\n',
    inputs: { query: '{{#sys.query#}}' },
  },
  // Known only after it ran.
  outputs: () => undefined,
  // The code itself has 5 seconds; the rest is for a busy machine.
  timeoutMilliseconds: 10_000,
  waitsForTurn: true,
  async run(step, data, services) {
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    let logs: readonly string[] = []
    const call: CodeCall = {
      workspaceId: step.workspaceId,
      code: readText(data, 'code'),
      inputs,
      onStart: () => step.startTimeout(),
      onLines: lines => {
        logs = lines
      },
    }
    const result = await services.code.run(call, step.signal)
    const stored = await withStoredFiles(step, services, result)
    // A returned field named "result" or "logs" takes precedence.
    const fields = isJsonRecord(stored) ? stored : {}
    return { outputs: { ...(logs.length > 0 && { logs }), result: stored, ...fields } }
  },
})

/** Files take the place of their contents in `files`. */
async function withStoredFiles(step: Step, services: NodeServices, result: unknown): Promise<unknown> {
  const files = isJsonRecord(result) ? ownValue(result, 'files') : undefined
  if (!isJsonRecord(result) || !Array.isArray(files)) return result
  return { ...result, files: await storeReturned(step, services, files) }
}

/** Looks at the text only: checking by running would let everyone who may save a graph run code. */
function checkCode(code: unknown): Gap[] {
  const text = textOf(code)
  if (text.trim() === '' || /\bmain\b|\bexport\s+default\b/.test(text)) return []
  return [{ place: [], message: 'The code needs a function main(inputs) that returns the result.' }]
}
