import type { JsonRecord } from '../workflow/node-kind.ts'
import { type Step, StepFailure } from '../workflow/step.ts'
import { quote, readRecord, readText, textOf } from './read-setting.ts'

/** The address with what `query` adds to it; a list gives its name once for each element. */
export function requestUrl(step: Step, data: JsonRecord): string {
  const text = step.text(readText(data, 'url')).trim()
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const message = `"url" must be an address that begins with http:// or https://, but is ${quote(withoutSecrets(text))}.`
    throw new StepFailure('step_failed', message)
  }
  const filled = step.fill(readRecord(data, 'query')) as JsonRecord
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(filled))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null) added.append(name, textOf(each))
  // By hand, because going through url.searchParams would write the author's own part anew, in another spelling.
  if (added.size > 0) url.search = url.search === '' ? `${added}` : `${url.search}&${added}`
  return url.href
}

/** Keys and passwords are often part of an address, and a message is no place for them. */
const withoutSecrets = (url: string): string => url.replace(/\?.*$/s, '?…').replace(/\/\/[^/]*@/, '//…@')

const nameForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What the protocol can carry: visible Latin-1, blanks and tabs. */
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/

export function requestHeaders(step: Step, data: JsonRecord): Record<string, string> {
  const headers: [string, string][] = []
  for (const [name, template] of Object.entries(readRecord(data, 'headers'))) {
    if (!nameForm.test(name)) {
      const message = `${quote(name)} is no name of a header: use letters, digits and hyphens, without blanks.`
      throw new StepFailure('step_failed', message)
    }
    const value = step.text(textOf(template)).trim()
    if (!valueForm.test(value)) throw new StepFailure('step_failed', problemOf(name, value))
    headers.push([name, value])
  }
  return Object.fromEntries(headers)
}

/** The value itself is left out, for it may be a secret. */
function problemOf(name: string, value: string): string {
  const header = `The header ${quote(name)}`
  if (/[\r\n]/.test(value)) return `${header} has a line break in its value; headers are one line each.`
  return `${header} has a character in its value that headers cannot carry; encode it, or send it in the body.`
}
