import { createHash } from 'node:crypto'
import type { JsonRecord } from '../workflow/node-kind.ts'
import { type Step, stepFailed } from '../workflow/step.ts'
import { quote, readRecord, textOf } from './read-setting.ts'

const nameForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** The characters that HTTP allows in a value: visible Latin-1, spaces and tabs. */
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers that the author set in `data.headers`, with their references replaced. */
export function requestHeaders(step: Step, data: JsonRecord): Record<string, string> {
  const headers: [string, string][] = []
  for (const [name, template] of Object.entries(readRecord(data, 'headers'))) {
    if (!nameForm.test(name))
      throw stepFailed(
        `${quote(name)} is not a valid header name: use letters, digits and hyphens without spaces.`,
      )
    const value = step.withSecrets.text(textOf(template)).trim()
    if (!valueForm.test(value)) throw stepFailed(valueProblem(name, value))
    headers.push([name, value])
  }
  return Object.fromEntries(headers)
}

/** Without the value itself, which may be a secret. */
function valueProblem(name: string, value: string): string {
  const header = `The value of the header ${quote(name)}`
  if (/[\r\n]/.test(value)) return `${header} has a line break; a header is a single line.`
  return `${header} has a character that headers cannot carry; encode it, or send it in the body.`
}

/** A value that every server accepts in a header. */
const plainKey = /^[\x21-\x7e]{1,255}$/

/** The idempotency key of a step as the value of a header; the key contains a node id, which may hold any characters. */
export const idempotencyHeader = (key: string): string =>
  plainKey.test(key) ? key : createHash('sha256').update(key).digest('hex')
