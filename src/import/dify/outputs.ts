import type { DifyNode } from './app.ts'
import type { Conversion } from './conversion.ts'
import { startVariable } from './kinds/start.ts'
import { namedIn, textAt } from './read.ts'

/** Whether a reference stands inside a text, or its value is passed on unchanged. */
export type Use = 'text' | 'value'

type Names = Readonly<Record<string, string>>

/** Outputs that have another name here, by the type of the node. */
const renamed: Readonly<Record<string, Names>> = {
  llm: { structured_output: 'object', reasoning_content: 'reasoning' },
  'template-transform': { output: 'text' },
  'variable-aggregator': { output: 'result' },
  'http-request': { body: 'text', status_code: 'status' },
  iteration: { output: 'result' },
  loop: { loop_round: 'rounds' },
  'list-operator': { first_record: 'first', last_record: 'last' },
  'question-classifier': { class_name: 'description', class_id: 'case' },
  agent: { json: 'steps' },
  answer: { answer: 'text' },
}

/** Outputs that have different names for their text, used inside texts, and for their value. */
const readable: Readonly<Record<string, Readonly<Record<Use, Names>>>> = {
  'knowledge-retrieval': { text: { result: 'text' }, value: { result: 'items' } },
  'document-extractor': { text: { text: 'text' }, value: { text: 'result' } },
}

/** Outputs of a node with an error branch. */
const errorOutputs: Names = { error_message: 'message', error_type: 'reason' }

/** The path of an output of the file in our node; undefined if our node has no such output. */
export function outputPath(
  conversion: Conversion,
  node: DifyNode,
  [name = '', ...rest]: readonly string[],
  use: Use,
): readonly string[] | undefined {
  if (name === '') return undefined
  const { type } = node
  const ofError = namedIn(errorOutputs, name)
  if (ofError && textAt(node.data, 'error_strategy') === 'fail-branch') return ['error', ofError, ...rest]
  if (type === 'start') return startVariable(conversion, node, [name, ...rest])
  if (type.startsWith('trigger-')) return ['inputs', name, ...rest]
  if (type === 'tool') return [name === 'json' ? jsonOutput(node) : name, ...rest]
  // A group of an aggregator has one output.
  if (isAggregator(type) && rest[0] === 'output') return [name, ...rest.slice(1)]
  const known = isAggregator(type) ? 'variable-aggregator' : type
  const names = namedIn(readable, type)?.[use] ?? namedIn(renamed, known) ?? {}
  return [namedIn(names, name) ?? name, ...rest]
}

/** Tools that search the web, whichever provider they belong to. */
export const searchTools: ReadonlySet<string> = new Set([
  'tavily_search',
  'ddgo_search',
  'google_search',
  'bing_web_search',
  'searxng_search',
  'serper',
  'brave_search',
  'wikipedia_search',
  'jina_search',
])

/** The output with the data of a tool. */
const jsonOutput = ({ data }: DifyNode): string =>
  searchTools.has(textAt(data, 'tool_name')) ? 'items' : 'result'

/** The first versions of Dify called an aggregator an assigner. */
const isAggregator = (type: string): boolean => type === 'variable-aggregator' || type === 'variable-assigner'
