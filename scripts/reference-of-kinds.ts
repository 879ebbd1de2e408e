import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonFields, type NodeKind } from '../src/workflow/node-kind.ts'
import { type StepRule, stepRule } from '../src/workflow/run/step-rule.ts'
import type { Fields, Shape } from '../src/workflow/shape.ts'
import { table } from './markdown-table.ts'

// biome-ignore lint/suspicious/noExplicitAny: only the registry knows the services of its kinds
type AnyKind = NodeKind<any>

const nodesFolder = join(import.meta.dirname, '../src/nodes')

/** The comment above the kind, which no running program can see, from the source itself. */
function meaningOf({ kind }: AnyKind): string {
  const source = readFileSync(join(nodesFolder, `${kind.replaceAll('_', '-')}.ts`), 'utf8')
  const comment = /\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\s*export const \w+: NodeKind/.exec(source)
  return (comment?.[1] ?? '').replace(/^\*\s*/, '').replace(/\s*\n\s*\*\s*/g, ' ')
}

const plainWords: Readonly<Record<string, string>> = {
  text: 'text',
  template: 'template',
  tree: 'JSON of templates',
  number: 'number',
  boolean: 'true or false',
  anything: 'JSON',
}

/** A shape as a person says it: list of objects (`id` text, `description` template). */
function shapeWords(shape: Shape, isMany = false): string {
  if (shape.is === 'list')
    return `${isMany ? 'lists' : 'list'}${shape.of ? ` of ${shapeWords(shape.of, true)}` : ''}`
  if (shape.is === 'dictionary') return `object by name${shape.of ? `, each: ${shapeWords(shape.of)}` : ''}`
  if (shape.is === 'object') {
    const fields = Object.entries(shape.fields).map(([name, each]) => `\`${name}\` ${shapeWords(each)}`)
    return `${isMany ? 'objects' : 'object'} (${fields.join('; ')})`
  }
  const words = plainWords[shape.is]!
  return isMany && /^(text|template|number)$/.test(words) ? `${words}s` : words
}

/** Something of a shape, to see which outputs a kind has because of its settings. */
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
  if (kind.gathers) return 'those of the nodes wired into it, which are the outputs of the run'
  const always = kind.outputs({})
  if (!always) return 'any name that comes out of it'
  const more = (kind.outputs(sampleData(kind.fields)) ?? []).filter(name => !always.includes(name))
  return more.length === 0 ? names(always) : `${names(always)}; by its settings also ${names(more)}`
}

function traits(kind: AnyKind): string[] {
  return [
    kind.cases ? 'It branches: an edge that leaves it names its case in `data.case`.' : '',
    kind.streams ? `It writes ${names(kind.streams)} piece by piece.` : '',
    kind.speaks ? `It says \`${kind.speaks}\` to the user.` : '',
    kind.says && !kind.waits ? 'It sends whole messages to the user.' : '',
    kind.says && kind.waits ? 'What it runs may speak to the user.' : '',
    kind.waits ? 'The run may wait there for an answer.' : '',
    kind.repeatsNodeId ? `\`data.${kind.repeatsNodeId}\`, where present, repeats the id of the node.` : '',
  ].filter(words => words !== '')
}

const time = (milliseconds: number): string =>
  milliseconds % 60_000 === 0 && milliseconds > 120_000
    ? `${milliseconds / 60_000} min`
    : `${milliseconds / 1000} s`

const fieldsTable = (fields: Fields, required: readonly string[]): string =>
  table(
    ['Field', 'Form', 'Needed'],
    Object.entries(fields).map(([name, shape]) => [
      `\`${name}\``,
      shapeWords(shape),
      required.includes(name) ? 'yes' : '',
    ]),
  )

const limitWords = ({ timeoutMilliseconds, attempts }: StepRule): string =>
  `${time(timeoutMilliseconds)} an attempt, ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}`

const usualLimits = limitWords(stepRule({} as AnyKind, {}))

function kindSection(kind: AnyKind): string {
  const limits = limitWords(stepRule(kind, {}))
  return [
    `## ${kind.kind}`,
    `${kind.title ?? kind.kind}; node type \`${kind.nodeType}\`. ${meaningOf(kind)}`,
    ...(Object.keys(kind.fields).length > 0 ? [fieldsTable(kind.fields, kind.required)] : []),
    [
      `Outputs: ${outputWords(kind)}.`,
      ...traits(kind),
      ...(limits === usualLimits ? [] : [`Unless the node says otherwise: ${limits}.`]),
    ].join(' '),
  ].join('\n\n')
}

/** Every kind of node with its fields and outputs, and what all of them share. */
export const kindSections = (kinds: Iterable<AnyKind>): string[] => [
  `Every node may have these fields besides. Where neither the node nor its kind says otherwise: ${usualLimits}.`,
  fieldsTable(commonFields, []),
  ...[...kinds].map(kindSection),
]
