import { type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import type { Step } from '../workflow/step.ts'
import { fillJsonText } from './fill-json-text.ts'

export interface RequestBody {
  text: string
  contentType: string
}

const json = 'application/json'

/**
 * A text goes as it is, anything else as JSON; nothing is sent where there is nothing. `contentType` is what the
 * author set. A text that is JSON is filled as such, so that what people write cannot break out of its quotes.
 */
export function requestBody(
  step: Step,
  data: JsonRecord,
  contentType: string | undefined,
): RequestBody | undefined {
  const given = ownValue(data, 'body')
  if (typeof given === 'string' && looksLikeJson(given, contentType))
    return { text: fillJsonText(step, given), contentType: contentType ?? json }
  const body = step.fill(given)
  if (body === undefined || body === null || body === '') return undefined
  if (typeof body === 'string') return { text: body, contentType: contentType ?? 'text/plain; charset=utf-8' }
  return { text: JSON.stringify(body), contentType: contentType ?? json }
}

/** Where the author names no type, a text in brackets is taken for JSON, which is what nearly all services want. */
function looksLikeJson(template: string, contentType: string | undefined): boolean {
  const text = template.trim()
  if (!/^[[{](?!\{#)/.test(text)) return false
  return contentType === undefined ? /[\]}]$/.test(text) : /[/+]json\b/i.test(contentType)
}
