import { useLanguage } from '../../ui/preferences.ts'
import { defineWords } from '../../ui/words.ts'
import type { TestResult } from './test-set-data.ts'

type Check = TestResult['checks'][number]

export const checkTypes = ['contains', 'equals', 'regex', 'json_schema', 'judge'] as const

/** Words that several parts of the test sets share. */
export const useTestWords = defineWords(
  {
    equals: 'Equals',
    contains: 'Contains',
    regex: 'Matches a pattern',
    json_schema: 'Matches a JSON schema',
    judge: 'Judged by the model',
    draft: 'Draft',
    published: 'Published',
    agent: 'Agent',
    open: 'Open',
    passed: 'Passed',
    failed: 'Failed',
    error: 'Could not run',
    stopped: 'Stopped',
    version: (number: number) => `version ${number}`,
    passedOf: (passed: number, total: number) => `${passed} of ${total} passed`,
    anyAnswer: 'The run succeeds',
    gate: 'Before publishing',
    gateOff: 'Off',
    gateWarn: 'Warn',
    gateRefuse: 'Refuse',
    tests: 'Test sets',
    cancel: 'Cancel',
    delete: 'Delete',
  },
  {
    equals: '等于',
    contains: '包含',
    regex: '匹配正则表达式',
    json_schema: '符合 JSON Schema',
    judge: '由模型评判',
    draft: '草稿',
    published: '已发布',
    agent: '智能体',
    open: '未开始',
    passed: '通过',
    failed: '未通过',
    error: '无法运行',
    stopped: '已停止',
    version: (number: number) => `版本 ${number}`,
    passedOf: (passed: number, total: number) => `${total} 项中通过 ${passed} 项`,
    anyAnswer: '运行成功即可',
    gate: '发布前检查',
    gateOff: '关闭',
    gateWarn: '警告',
    gateRefuse: '阻止发布',
    tests: '测试集',
    cancel: '取消',
    delete: '删除',
  },
)

export const expectedValue = ({ type, value, schema }: Check): string =>
  type === 'json_schema' ? JSON.stringify(schema) : (value ?? '')

/** Chinese for the server's sentences about answers; the expected values in them are kept. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/^The answer is not JSON$/, '回答不是 JSON'],
  [/^The answer is not (".*)$/s, '回答不等于 $1'],
  [/^The answer does not contain (".*)$/s, '回答不包含 $1'],
  [/^The answer does not match (".*)$/s, '回答不匹配 $1'],
  [/^The answer could not be matched with (".*?"): (.*)$/s, '无法用 $1 匹配：$2'],
  [/^The answer does not fit the JSON schema: (.*)$/s, '回答不符合 JSON Schema：$1'],
  [/^The answer does not meet the criterion: (.*)$/s, '回答不符合标准：$1'],
  [/^The answer could not be judged: (.*)$/s, '无法评判：$1'],
  [/^The run asked a question, which a test cannot answer$/, '运行向用户提问，测试无法回答'],
]

/** Why a result did not pass, one sentence per check. */
export function useVerdict(): (message: string) => string[] {
  const language = useLanguage()
  return message =>
    message
      .split('\n')
      .filter(line => line !== '')
      .map(line => {
        const known = language === 'zh' ? sentences.find(([pattern]) => pattern.test(line)) : undefined
        return known ? line.replace(known[0], known[1]) : line
      })
}
