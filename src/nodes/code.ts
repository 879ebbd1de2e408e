import type { CodeCall, CodeLanguage } from '../tools/code-runner.ts'
import { findUnsupported } from '../tools/python-support.ts'
import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { gapAt } from './gaps.ts'
import { choice, defineKind, field, type Option, valuesByName } from './kind-definition.ts'
import type { NodeServices } from './node-services.ts'
import { readRecord, readText } from './read-setting.ts'
import { storeReturned } from './stored-files.ts'

const firstCode: Readonly<Record<CodeLanguage, string>> = {
  javascript: 'function main(inputs) {\n  return { text: inputs.query.trim() }\n}\n',
  python: 'def main(query):\n    return {"text": query.strip()}\n',
}

const languages: Readonly<Record<CodeLanguage, Option>> = {
  javascript: { en: 'JavaScript', zh: 'JavaScript 代码', data: { code: firstCode.javascript } },
  python: { en: 'Python', zh: 'Python 代码', data: { code: firstCode.python } },
}

export const code = defineKind({
  kind: 'code',
  nodeType: 'tool',
  group: 'data',
  en: ['Code', 'Runs a JavaScript or Python function in a sandbox; it can access nothing but its inputs.'],
  zh: ['代码', '在沙箱中运行 JavaScript 或 Python 函数；它只能访问自己的输入。'],
  fields: {
    language: field(
      choice(languages),
      ['Language', 'JavaScript if empty.'],
      ['语言', '不填时为 JavaScript。'],
    ),
    // Not a template: output of another node or of a user must never become code.
    code: field(
      { is: 'text', input: 'code' },
      [
        'Code',
        'A function main that returns the result. JavaScript gets all inputs in one object, Python as named arguments. The fields of a returned object become outputs; those in "files" with "name" and "content" or "content_base64" are stored.',
      ],
      [
        '代码',
        '写一个返回结果的函数 main：JavaScript 用一个对象接收全部输入，Python 按参数名接收；若返回对象，其各字段即为输出；files 中带有 name 和 content 或 content_base64 的项会存为文件。',
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
    language: 'javascript',
    code: firstCode.javascript,
    inputs: { query: '{{#sys.query#}}' },
  },
  gaps: codeGaps,
  // Known only after it ran.
  outputs: () => undefined,
  waitsForTurn: true,
  async run(step, data, services) {
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    let logs: readonly string[] = []
    const call: CodeCall = {
      workspaceId: step.workspaceId,
      language: languageOf(data),
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

/** Stores the contents in `files`, and replaces them by the stored files. */
async function withStoredFiles(step: Step, services: NodeServices, result: unknown): Promise<unknown> {
  const files = isJsonRecord(result) ? ownValue(result, 'files') : undefined
  if (!isJsonRecord(result) || !Array.isArray(files)) return result
  return { ...result, files: await storeReturned(step, services, files) }
}

const languageOf = (data: JsonRecord): CodeLanguage =>
  readText(data, 'language') === 'python' ? 'python' : 'javascript'

const mainPatterns: Readonly<Record<CodeLanguage, RegExp>> = {
  javascript: /\bmain\b|\bexport\s+default\b/,
  python: /\bdef\s+main\b|^main\s*=/m,
}

/** Looks at the text only: checking by running would let everyone who may save a graph run code. */
function codeGaps(data: JsonRecord): Gap[] {
  const text = readText(data, 'code')
  const language = languageOf(data)
  const gaps = language === 'python' ? pythonGaps(text) : []
  if (text.trim() === '' || mainPatterns[language].test(text)) return gaps
  const begin = language === 'python' ? 'def main(query):' : 'function main(inputs) {'
  return [...gaps, ...gapAt('code', `The code needs a function main that returns the result: ${begin}`)]
}

/** Warns before the code runs, which may be hours later; the warning does not block, because the line may never run. */
const pythonGaps = (text: string): Gap[] =>
  findUnsupported(text).map(message => ({ place: ['code'], message, rule: 'code_unsupported' }))
