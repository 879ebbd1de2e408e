import { limits } from '../../contract/limits.ts'
import { unusableFile } from '../../kernel/app-error.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import { flagAt, recordAt, recordsAt, textAt } from './read.ts'

export interface DifyNode {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly data: JsonRecord
  /** The iteration or loop around it. */
  readonly parentId: string | undefined
}

export interface DifyEdge {
  readonly source: string
  readonly target: string
  /** The branch of its source. */
  readonly handle: string
}

const difyModes = ['workflow', 'advanced-chat', 'agent-chat', 'chat'] as const

/** An application as Dify exports it. */
export interface DifyApp {
  readonly name: string
  readonly description: string
  /** An emoji, or the id of an uploaded image. */
  readonly icon: string
  readonly mode: (typeof difyModes)[number]
  /** Set in the modes workflow and advanced-chat. */
  readonly nodes: readonly DifyNode[]
  readonly edges: readonly DifyEdge[]
  readonly workflow: JsonRecord
  /** Set in the modes agent-chat and chat. */
  readonly modelConfig: JsonRecord
}

const firstVersion = 1
const lastVersion = 6

/** Whether a parsed file looks like an export of Dify. */
const isDifyFile = (value: unknown): value is JsonRecord =>
  isRecord(value) &&
  isRecord(value['app']) &&
  ('kind' in value || 'workflow' in value || 'model_config' in value)

/** Fails if the file is no application of a known version and mode; the error says why. */
export function readApp(file: unknown): DifyApp {
  if (!isDifyFile(file))
    throw unusableFile('it is not an application that was exported from Dify ("app" is missing)')
  const kind = textAt(file, 'kind') || 'app'
  if (kind !== 'app')
    throw unusableFile(`it holds a "${kind}" of Dify; only applications (kind: app) can be imported`)
  refuseVersion(textAt(file, 'version'))
  const mode = textAt(file, 'app', 'mode')
  if (!difyModes.includes(mode as DifyApp['mode']))
    throw unusableFile(
      `applications of the mode "${mode}" are not supported; supported are ${difyModes.join(', ')}`,
    )
  const workflow = recordAt(file, 'workflow')
  const nodes = recordsAt(workflow, 'graph', 'nodes').map(readNode)
  const app = {
    name: textAt(file, 'app', 'name'),
    description: textAt(file, 'app', 'description'),
    icon: textAt(file, 'app', 'icon'),
    mode: mode as DifyApp['mode'],
    nodes,
    edges: recordsAt(workflow, 'graph', 'edges').map(readEdge),
    workflow,
    modelConfig: recordAt(file, 'model_config'),
  }
  const hasGraph = mode === 'workflow' || mode === 'advanced-chat'
  if (hasGraph && nodes.length === 0) throw unusableFile('its workflow has no nodes')
  if (!hasGraph && Object.keys(app.modelConfig).length === 0) throw unusableFile('"model_config" is missing')
  refuseSize(app)
  refuseRepeated(nodes)
  return app
}

/** Files of the first versions have none. */
function refuseVersion(version: string): void {
  if (version === '') return
  const [, major, minor] = /^(\d+)\.(\d+)(?:\.|$)/.exec(version) ?? []
  const isKnown = major === '0' && Number(minor) >= firstVersion && Number(minor) <= lastVersion
  if (!isKnown)
    throw unusableFile(
      `version "${version}" of the Dify format is not known; known are 0.${firstVersion} to 0.${lastVersion}`,
    )
}

function readNode(node: JsonRecord): DifyNode {
  const data = recordAt(node, 'data')
  const inside = flagAt(data, 'isInIteration')
    ? textAt(data, 'iteration_id')
    : flagAt(data, 'isInLoop')
      ? textAt(data, 'loop_id')
      : ''
  const parentId = inside || textAt(node, 'parentId')
  return {
    id: textAt(node, 'id'),
    // For a note on the canvas the type is that of the node, and its data has none.
    type: textAt(data, 'type') || (textAt(node, 'type') === 'custom-note' ? 'note' : ''),
    title: textAt(data, 'title'),
    data,
    parentId: parentId === '' ? undefined : parentId,
  }
}

const readEdge = (edge: JsonRecord): DifyEdge => ({
  source: textAt(edge, 'source'),
  target: textAt(edge, 'target'),
  handle: textAt(edge, 'sourceHandle') || 'source',
})

function refuseSize({ nodes, edges }: DifyApp): void {
  for (const [name, list, max] of [
    ['nodes', nodes, limits.graphNodes],
    ['edges', edges, limits.graphEdges],
  ] as const)
    if (list.length > max) throw unusableFile(`it has ${list.length} ${name}; at most ${max} can be imported`)
}

function refuseRepeated(nodes: readonly DifyNode[]): void {
  const seen = new Set<string>()
  for (const { id } of nodes) {
    if (id === '') throw unusableFile('a node has no id')
    if (seen.has(id)) throw unusableFile(`two nodes have the id "${id.slice(0, 100)}"`)
    seen.add(id)
  }
}
