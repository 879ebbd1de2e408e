import type { KindRecord, KindShape, LocalizedText } from '../contract/kind-operations.ts'
import { AppError } from '../kernel/app-error.ts'
import { ModelNotConfigured } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { type Gap, type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import type { Shape } from '../workflow/shape.ts'
import { StepFailure } from '../workflow/step.ts'
import { gapsWithin } from './gaps.ts'
import type { NodeServices } from './node-services.ts'
import { quote, readText } from './read-setting.ts'

/** Temporary errors of our own services. */
const temporaryReasons: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timed_out'])

/** The failure of a step for an error of a service. An unknown error is returned, so that the engine sees the cause. */
export function stepFailureOf(error: unknown): unknown {
  const reason = reasonOf(error)
  if (reason === undefined) return error
  const { message, cause } = error as Error
  // A feature wraps the failure of its model; only that knows whether a retry makes sense.
  const failure = (cause instanceof ModelFailure ? cause : error) as Partial<ModelFailure>
  const { retryable = temporaryReasons.has(reason), retryAfterMilliseconds } = failure
  return new StepFailure(reason, message, { retryable, retryAfterMilliseconds, cause: error })
}

function reasonOf(error: unknown) {
  if (error instanceof AppError) return error.reason
  if (error instanceof ModelFailure) return 'model_failed'
  if (error instanceof ModelNotConfigured) return 'not_configured'
  return error instanceof ToolFailure ? 'step_failed' : undefined
}

/** A value with a meaning: its label, and the settings that a node with this value starts with. */
export type Option = LocalizedText & { readonly data?: JsonRecord }

/** How the editor asks for a value. */
interface Presentation {
  readonly input?: NonNullable<KindShape['input']>
  /** The only values that have a meaning in this field. */
  readonly options?: Readonly<Record<string, Option>>
}

/** The shape of a value, with labels down to the innermost field. */
export type FieldShape =
  | (Exclude<Shape, { is: 'list' | 'dictionary' | 'object' }> & Presentation)
  | { readonly is: 'list'; readonly of?: FieldShape }
  | { readonly is: 'dictionary'; readonly of?: FieldShape; readonly input?: Presentation['input'] }
  | { readonly is: 'object'; readonly fields: KindFields; readonly required?: readonly string[] }

type CheckedShape = FieldShape & {
  /** Finds gaps in a value that has the declared types, with places inside the value. */
  check?(value: unknown): Gap[]
}

/** A field of `data`: what is checked, and what the editor and the reference show, in one place. */
type KindField = CheckedShape & {
  readonly label: LocalizedText
  readonly help?: LocalizedText
  /** The field is used only if this other field is not set (`unless`), or is set (`with`). */
  readonly unless?: string
  readonly with?: string
}

export type KindFields = Readonly<Record<string, KindField>>

/** A kind of node with the texts of the editor: one file, and one line in the registry. */
export interface KindDefinition extends NodeKind<NodeServices>, Pick<KindRecord, 'group' | 'about'> {
  readonly label: LocalizedText
  readonly fields: KindFields
  readonly initialData: Readonly<Record<string, unknown>>
  /** The texts among it, for an author who works in Chinese. */
  readonly initialDataZh?: Readonly<Record<string, string>>
  /** Palettes leave the kind out, because its nodes are not created by hand. */
  readonly isHidden?: boolean
}

/** A label in one language, and what it means. */
type Words = readonly [label: string, help?: string]

interface KindSource extends Omit<KindDefinition, 'label' | 'about'> {
  readonly en: Words
  readonly zh: Words
}

/** A kind, whose `run` may also fail with the errors of services. */
export function defineKind({ en, zh, ...kind }: KindSource): KindDefinition {
  const checked = Object.entries(kind.fields).filter(([, { check }]) => check)
  return {
    ...kind,
    label: { en: en[0], zh: zh[0] },
    about: { en: en[1] ?? '', zh: zh[1] ?? '' },
    gaps: data => [...fieldGaps(data, checked), ...(kind.gaps?.(data) ?? [])],
    run(step, data, services) {
      const outcome = kind.run(step, data, services)
      // A kind that waits for nothing uses no service.
      return outcome instanceof Promise ? outcome.catch(failAsStep) : outcome
    },
  }
}

const failAsStep = (error: unknown): never => {
  throw stepFailureOf(error)
}

const fieldGaps = (data: JsonRecord, checked: readonly [string, KindField][]): Gap[] =>
  checked.flatMap(([name, { check, unless }]) => {
    const value = ownValue(data, name) ?? null
    if (value === null || (unless !== undefined && readText(data, unless).trim() !== '')) return []
    return gapsWithin(name, check!(value))
  })

export const field = (shape: CheckedShape, en: Words, zh: Words): KindField => ({
  ...shape,
  label: { en: en[0], zh: zh[0] },
  ...(en[1] && zh[1] && { help: { en: en[1], zh: zh[1] } }),
})

/** Fields that are used only where the field `name` is not set. */
export const unless = (name: string, fields: KindFields): KindFields =>
  Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, { ...each, unless: name }]))

export const line = { is: 'template', input: 'line' } as const
/** A template in one line of a request, which may refer to secrets. */
export const secretLine = { ...line, secrets: true } as const
export const paragraph = { is: 'template', input: 'paragraph' } as const
/** Any values, or references to them, under names that the author chooses. */
export const valuesByName = { is: 'dictionary', of: { is: 'tree', input: 'line' } } as const

/** A list of objects, which `check` gets only if they have the declared types. */
export const objects = (
  required: readonly string[],
  fields: KindFields,
  check: (list: readonly JsonRecord[]) => Gap[],
): CheckedShape => ({
  is: 'list',
  of: { is: 'object', required, fields },
  check: value => check(value as readonly JsonRecord[]),
})

export const number = (from: number, to: number, { isWhole = false } = {}): CheckedShape => ({
  is: 'number',
  check: value => {
    const given = value as number
    if (given >= from && given <= to && (!isWhole || Number.isInteger(given))) return []
    const name = isWhole ? 'whole number' : 'number'
    return [{ place: [], message: `Must be a ${name} from ${from} to ${to}, but is ${given}.` }]
  },
})

export const wholeNumber = (from: number, to: number) => number(from, to, { isWhole: true })

/** One of the options; `normalize` gives the form in which a value is compared with them. */
export const choice = (
  options: Readonly<Record<string, Option>>,
  normalize = (text: string): string => text,
): CheckedShape => ({
  is: 'text',
  options,
  check: value => {
    const given = value as string
    if (Object.hasOwn(options, normalize(given))) return []
    const names = Object.keys(options).join(', ')
    return [{ place: [], message: `Must be one of ${names}, but is ${quote(given)}.` }]
  },
})

export const modelField = field(
  { is: 'template', input: 'model' },
  ['Model', 'Uses the default model if empty.'],
  ['模型', '不填时使用默认模型。'],
)

/** The field that edges name in `data.case`. */
export const caseIdField = field(
  { is: 'text', input: 'line' },
  ['ID', 'Edges refer to the branch by this ID.'],
  ['标识', '连线通过此标识对应分支。'],
)
