import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { type ImportedRecord, importedRecords } from '../kernel/imported-records.ts'
import { isBlank } from '../kernel/is-blank.ts'
import { isRecord } from '../kernel/is-record.ts'
import { parsedJson } from '../kernel/parsed-json.ts'
import { problemOfCheck } from './run-checks.ts'
import type { TestCheck } from './test-set.ts'

export interface CaseValues {
  name: string
  inputs: Record<string, unknown>
  checks: readonly TestCheck[]
}

const types: readonly string[] = ['equals', 'contains', 'regex', 'json_schema', 'judge']

const refuse = (line: number, message: string) => invalidField('/content', `line ${line}: ${message}`)

/** A check as it is sent: its type with a value, or with a schema. */
function checkOf(sent: unknown, line: number): TestCheck {
  const { type, value, schema } = isRecord(sent) ? sent : {}
  if (typeof type !== 'string' || !types.includes(type))
    throw refuse(line, `a check must be one of ${types.join(', ')}`)
  if (type === 'json_schema') {
    if (!isRecord(schema)) throw refuse(line, 'json_schema needs a JSON object')
    return { type, schema }
  }
  if (typeof value !== 'string' || value === '') throw refuse(line, `${type} needs a text`)
  if (value.length > limits.testAnswerLength)
    throw refuse(line, `a check has at most ${limits.testAnswerLength} characters`)
  const check = { type, value } as TestCheck
  const problem = problemOfCheck(check)
  if (problem) throw refuse(line, `the pattern ${problem}`)
  return check
}

/** The check for the expected answer, from the columns `expected` and `check`. */
function expectedOf(fields: Record<string, unknown>, line: number): unknown[] {
  const { expected, check } = fields
  if (expected === undefined || expected === '') return []
  if (check === 'json_schema')
    return [{ type: check, schema: typeof expected === 'string' ? parsedJson(expected) : expected }]
  if (typeof expected !== 'string') throw refuse(line, '`expected` must be a text')
  return [{ type: check || 'contains', value: expected }]
}

function caseOf({ line, fields }: ImportedRecord): CaseValues {
  const { name, question, query, expected: _e, check: _c, checks, inputs, ...others } = fields
  const asked = question ?? query
  const given = isRecord(inputs) ? inputs : others
  if (inputs !== undefined && !isRecord(inputs)) throw refuse(line, '`inputs` must be an object')
  if (checks !== undefined && !Array.isArray(checks)) throw refuse(line, '`checks` must be a list')
  if (asked === undefined && Object.keys(given).length === 0)
    throw refuse(line, 'has no `question` and no inputs')
  const sent = (checks as unknown[] | undefined) ?? expectedOf(fields, line)
  if (sent.length > limits.testChecks) throw refuse(line, `a case has at most ${limits.testChecks} checks`)
  const title = [name, asked, given['query']].find(text => typeof text === 'string' && !isBlank(text))
  return {
    name: String(title ?? `Line ${line}`)
      .slice(0, 100)
      .toWellFormed(),
    inputs: { ...given, ...(asked !== undefined && { query: asked }) },
    checks: sent.map(each => checkOf(each, line)),
  }
}

/** Cases of CSV or JSON lines: `question`, `expected`, `check`, `name`; every other column is an input. */
export const importedCases = (format: 'csv' | 'jsonl', content: string): CaseValues[] =>
  importedRecords(format, content, limits.testCases).map(caseOf)
