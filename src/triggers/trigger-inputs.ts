import { type Finding, pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { isRecord } from '../kernel/is-record.ts'
import { DottedNames, findReferences } from '../workflow/references.ts'
import { parseTemplate, templateValue } from '../workflow/run/template.ts'
import type { SystemValues } from '../workflow/step.ts'
import type { Trigger } from './trigger.ts'

/** The event that fired a trigger, for references in its inputs. */
export interface Fired {
  /** The occurrence of a schedule, or when the webhook arrived. */
  time: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
}

const names = {
  schedule: ['time'],
  webhook: ['time', 'body', 'headers', 'query'],
} satisfies Record<Trigger['kind'], (keyof Fired)[]>

export const defaultInputs = {
  schedule: {},
  webhook: { query: '{{#trigger.body#}}' },
} satisfies Record<Trigger['kind'], Trigger['inputs']>

/** References of inputs have this name in place of a node id. */
const source = 'trigger'
const sources = new DottedNames([source])
const places = new Map([[source, 0]])
/** The limit for all values that references insert. */
const maxInsertedLength = 4 * limits.webhookBytes

/** Refuses references to anything but the event that fires a trigger of this kind. */
export function checkInputs(kind: Trigger['kind'], inputs: Trigger['inputs']): void {
  if (JSON.stringify(inputs).length > limits.triggerInputsLength)
    throw invalidField('/inputs', `must have at most ${limits.triggerInputsLength} characters as JSON`)
  const known: readonly string[] = names[kind]
  const allowed = known.map(name => `{{#${source}.${name}#}}`).join(', ')
  const errors: Finding[] = []
  const check = (value: unknown, path: string): void => {
    if (typeof value === 'string')
      for (const reference of findReferences(value)) {
        const [head, name] = reference.path
        if (reference.malformed || head !== source || !known.includes(name!))
          errors.push({ path, message: `has the reference ${reference.text}; a ${kind} has ${allowed}` })
      }
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) check(inner, `${path}/${pointerSegment(key)}`)
  }
  check(inputs, '/inputs')
  if (errors.length > 0)
    throw new AppError('invalid_request', `${errors[0]!.path}: ${errors[0]!.message}`, {
      errors: errors.slice(0, limits.findings),
    })
}

/** Whether a value is known only when the trigger fires. */
export const hasReference = (value: unknown): boolean => (JSON.stringify(value) ?? '').includes('{{#')

export function fillInputs(inputs: Trigger['inputs'], fired: Fired): Record<string, unknown> {
  const values = { system: {} as SystemValues, memory: {}, environment: {}, outputs: [{ ...fired }] }
  let inserted = 0
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const template = parseTemplate(value, sources, places)
      if (!template.parts.some(part => typeof part === 'object')) return value
      const filled = templateValue(template, values) ?? null
      inserted += JSON.stringify(filled).length
      if (inserted > maxInsertedLength)
        throw invalidField('/inputs', `must insert at most ${maxInsertedLength} characters of the webhook`)
      return filled
    }
    if (Array.isArray(value)) return value.map(fill)
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
  }
  return fill(inputs) as Record<string, unknown>
}
