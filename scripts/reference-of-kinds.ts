import type { KindField, KindRecord, KindShape } from '../src/contract/kind-operations.ts'
import { kindCatalog } from '../src/nodes/kind-catalog.ts'
import { nodeKinds } from '../src/nodes/registry.ts'
import type { NodeKind } from '../src/workflow/node-kind.ts'
import type { Fields, Shape } from '../src/workflow/shape.ts'
import { type StepRule, stepRule } from '../src/workflow/step-rule.ts'
import { table } from './markdown-table.ts'

// biome-ignore lint/suspicious/noExplicitAny: only the registry knows the services of its kinds
type AnyKind = NodeKind<any>

const plainWords: Readonly<Record<string, string>> = {
  text: 'text',
  template: 'template',
  tree: 'JSON of templates',
  number: 'number',
  boolean: 'true or false',
  anything: 'JSON',
}

/** A shape in words: list of objects (`id` text, `description` template). */
function shapeWords(shape: KindShape, isMany = false): string {
  if (shape.is === 'list')
    return `${isMany ? 'lists' : 'list'}${shape.of ? ` of ${shapeWords(shape.of, true)}` : ''}`
  if (shape.is === 'dictionary') return `object by name${shape.of ? `, each: ${shapeWords(shape.of)}` : ''}`
  if (shape.is === 'object') {
    const fields = (shape.fields ?? []).map(each => `\`${each.name}\` ${shapeWords(each.shape)}`)
    return `${isMany ? 'objects' : 'object'} (${fields.join('; ')})`
  }
  if (shape.options) return `${plainWords[shape.is]}: ${names(shape.options.map(({ value }) => value))}`
  const words = plainWords[shape.is]!
  return isMany && /^(text|template|number)$/.test(words) ? `${words}s` : words
}

/** Sample data of a shape, to see which outputs depend on the settings. */
function sampleOf(shape: Shape): unknown {
  if (shape.is === 'list') return shape.of ? [sampleOf(shape.of)] : []
  if (shape.is === 'dictionary') return { '<name>': shape.of ? sampleOf(shape.of) : '<name>' }
  if (shape.is === 'object') return sampleData(shape.fields)
  return shape.is === 'number' ? 1 : shape.is === 'boolean' ? true : '<name>'
}

const sampleData = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, sampleOf(shape)]))

const names = (list: readonly string[]): string => list.map(name => `\`${name}\``).join(', ')

function outputWords(kind: AnyKind): string {
  if (kind.gathers) return 'those of the nodes connected to it, which are the outputs of the run'
  const always = kind.outputs({})
  if (!always) return 'any name'
  const more = (kind.outputs(sampleData(kind.fields)) ?? []).filter(name => !always.includes(name))
  return more.length === 0 ? names(always) : `${names(always)}; depending on its settings also ${names(more)}`
}

function traits(kind: AnyKind): string[] {
  return [
    kind.cases ? 'It branches: an outgoing edge has its case in `data.case`.' : '',
    kind.streams ? `It streams ${names(kind.streams)}.` : '',
    kind.messageField ? `It streams \`${kind.messageField}\` to the user.` : '',
    kind.sendsMessages && !kind.waits ? 'It sends whole messages to the user.' : '',
    kind.sendsMessages && kind.waits ? 'The workflow it runs may send messages to the user.' : '',
    kind.waits ? 'The run may wait here for an answer.' : '',
    kind.repeatsNodeId ? `\`data.${kind.repeatsNodeId}\`, if present, repeats the id of the node.` : '',
  ].filter(words => words !== '')
}

const time = (milliseconds: number): string =>
  milliseconds % 60_000 === 0 && milliseconds > 120_000
    ? `${milliseconds / 60_000} min`
    : `${milliseconds / 1000} s`

const fieldsTable = (fields: readonly KindField[]): string =>
  table(
    ['Field', 'Type', 'Required', 'Meaning'],
    fields.map(({ name, shape, required, label, help }) => [
      `\`${name}\``,
      shapeWords(shape),
      required ? 'yes' : '',
      `${label.en}.${help ? ` ${help.en}` : ''}`,
    ]),
  )

const limitWords = ({ timeoutMilliseconds, attempts }: StepRule): string =>
  `${time(timeoutMilliseconds)} per attempt, ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}`

const usualLimits = limitWords(stepRule({} as AnyKind, {}))

function kindSection({ kind: name, title, about, fields }: KindRecord): string {
  const kind: AnyKind = nodeKinds.get(name)!
  const limits = limitWords(stepRule(kind, {}))
  return [
    `## ${name}`,
    `${title.en}; node type \`${kind.nodeType}\`. ${about.en}`,
    ...(fields.length > 0 ? [fieldsTable(fields)] : []),
    [
      `Outputs: ${outputWords(kind)}.`,
      ...traits(kind),
      ...(limits === usualLimits ? [] : [`Default limits: ${limits}.`]),
    ].join(' '),
  ].join('\n\n')
}

/** Every kind of node with its fields and outputs, and the common fields. */
export function kindSections(): string[] {
  const { common, kinds } = kindCatalog()
  return [
    `Every node may also have these fields. The default limits are ${usualLimits}.`,
    fieldsTable(common),
    ...kinds.map(kindSection),
  ]
}
