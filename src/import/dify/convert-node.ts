import type { GraphNode } from '../../workflow/graph.ts'
import { errorCase, takesErrorBranch } from '../../workflow/graph-links.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import type { DifyNode } from './app.ts'
import { buildGraph, type PlacedNode } from './build-graph.ts'
import { lineOf, node } from './conversion.ts'
import { agent } from './kinds/agent.ts'
import { iteration, loop, loopEnd } from './kinds/container.ts'
import {
  answer,
  code,
  documentExtractor,
  httpRequest,
  knowledgeRetrieval,
  templateTransform,
} from './kinds/data.ts'
import { type Convert, type ConvertedNode, NodeConversion, retrySettings, Unmapped } from './kinds/kind.ts'
import { aggregator, assigner, ended, ifElse, listOperator } from './kinds/logic.ts'
import { classifier, llm, parameterExtractor } from './kinds/model.ts'
import { tool } from './kinds/tool.ts'
import { outputPath } from './outputs.ts'
import { namedIn, recordsAt, textAt, typedValue, valueAt } from './read.ts'
import type { Scope } from './scope.ts'

const converters: Readonly<Record<string, Convert>> = {
  answer,
  end: ended,
  llm,
  'question-classifier': classifier,
  'parameter-extractor': parameterExtractor,
  agent,
  'if-else': ifElse,
  iteration,
  loop,
  'loop-end': loopEnd,
  'variable-aggregator': aggregator,
  'variable-assigner': aggregator,
  assigner,
  'list-operator': listOperator,
  code,
  'template-transform': templateTransform,
  'document-extractor': documentExtractor,
  'knowledge-retrieval': knowledgeRetrieval,
  'http-request': httpRequest,
  tool,
}

/** The name of the error branch in Dify, in the settings of a node and on an edge. */
const failBranch = 'fail-branch'

export function convertNode(given: DifyNode, scope: Scope): PlacedNode {
  const step = new NodeConversion(given, scope, (inner, graph) => buildGraph(inner, graph, convertNode))
  const { report } = scope.conversion
  const line = lineOf(given, step.id)
  try {
    const converted = converterOf(given)(step)
    report.add(given.id, { ...line, state: 'mapped' })
    return place(step, converted)
  } catch (error) {
    if (!(error instanceof Unmapped)) throw error
    report.add(given.id, { ...line, state: 'unmapped' }, error.note)
    const data = { type: 'unmapped', source: 'dify', message: error.message, original: originalOf(step) }
    return place(step, { type: 'base', data })
  }
}

/** The original settings of a node, with the nodes inside it, which would be lost otherwise. */
function originalOf({ node: { id, data }, conversion }: NodeConversion): JsonRecord {
  const inside = conversion.app.nodes.filter(({ parentId }) => parentId === id)
  return inside.length === 0
    ? data
    : { ...data, nodes: inside.map(each => ({ id: each.id, data: each.data })) }
}

function converterOf({ type }: DifyNode): Convert {
  const found = namedIn(converters, type)
  if (found) return found
  throw new Unmapped('no_kind', { type: type.slice(0, 100) })
}

function place(step: NodeConversion, { type, data, before = [] }: ConvertedNode): PlacedNode {
  const { id, node: given } = step
  const isUnmapped = data['type'] === 'unmapped'
  const texts = { title: given.title, desc: textAt(given.data, 'desc') }
  const onError = isUnmapped ? {} : errorSettings(step)
  const own = node(id, type, { ...data, ...texts, ...onError })
  const nodes = [...before, own]
  const hasCases = ['condition', 'classifier', 'unmapped'].includes(data['type'] as string)
  const hasErrorBranch = onError['on_error'] === 'branch'
  return {
    nodes,
    edges: nodes.slice(1).flatMap((each, index) => edgesBetween(nodes[index]!, each)),
    entry: nodes[0]!.id,
    exit: own.id,
    isEnd: data['type'] === 'end',
    caseOf: handle => {
      if (hasErrorBranch && handle === failBranch) return errorCase
      return hasCases && handle !== 'source' && handle !== 'success-branch' ? handle : undefined
    },
  }
}

/** A helper node with an error branch leaves its failures to the node after it. */
const edgesBetween = (from: GraphNode, to: GraphNode): PlacedNode['edges'] => [
  [from.id, to.id],
  ...(takesErrorBranch(from) ? [[from.id, to.id, errorCase] as const] : []),
]

/** Settings for retries, and the default outputs after a failure. */
function errorSettings(step: NodeConversion): JsonRecord {
  const given = step.data
  // The model before an extractor is retried instead.
  const retry = step.node.type === 'parameter-extractor' ? {} : retrySettings(given)
  const strategy = textAt(given, 'error_strategy')
  if (strategy === failBranch) return { ...retry, on_error: 'branch' }
  if (strategy !== 'default-value') return { ...retry }
  const values = recordsAt(given, 'default_value').map(each => {
    const path = outputPath(step.conversion, step.node, [textAt(each, 'key')], 'text')
    return [path?.[0] ?? textAt(each, 'key'), typedValue(valueAt(each, 'value'), textAt(each, 'type'))]
  })
  return { ...retry, on_error: { default: Object.fromEntries(values) } }
}
