import { type ImportNote, sentenceOf } from '../../../contract/import-notes.ts'
import type { GraphNode } from '../../../workflow/graph.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import type { DifyNode } from '../app.ts'
import type { NewGraph } from '../build-graph.ts'
import type { Conversion, ConvertedWorkflow } from '../conversion.ts'
import type { Use } from '../outputs.ts'
import { flagAt, numberAt } from '../read.ts'
import type { Scope } from '../scope.ts'

/** A node that cannot be imported; the message says what to do instead. */
export class Unmapped extends Error {
  readonly note: ImportNote

  constructor(code: ImportNote['code'], values: ImportNote['values'] = {}) {
    super(sentenceOf({ code, values }))
    this.note = { code, values }
  }
}

/** The settings of one of our nodes, and nodes that must run right before it. */
export interface ConvertedNode {
  readonly type: 'base' | 'tool' | 'embody'
  readonly data: JsonRecord
  readonly before?: readonly GraphNode[]
}

export const asBase = (data: JsonRecord, before: readonly GraphNode[] = []): ConvertedNode => ({
  type: 'base',
  data,
  before,
})

export const asTool = (data: JsonRecord, before: readonly GraphNode[] = []): ConvertedNode => ({
  type: 'tool',
  data,
  before,
})

export function retrySettings(data: JsonRecord): JsonRecord {
  const times = numberAt(data, 'retry_config', 'max_retries') ?? 0
  if (!flagAt(data, 'retry_config', 'retry_enabled') || times <= 0) return {}
  const delay = numberAt(data, 'retry_config', 'retry_interval') ?? 1000
  return { retry: { times: Math.min(times, 9), delay_ms: Math.min(delay, 60_000) } }
}

/** The node that a converter works on, and methods that it needs. */
export class NodeConversion {
  readonly node: DifyNode
  readonly id: string
  readonly scope: Scope
  readonly conversion: Conversion
  /** Converts the nodes inside it to a workflow of their own. */
  readonly buildInner: (scope: Scope, graph: NewGraph) => ConvertedWorkflow

  constructor(node: DifyNode, scope: Scope, buildInner: NodeConversion['buildInner']) {
    this.node = node
    this.scope = scope
    this.buildInner = buildInner
    this.conversion = scope.conversion
    this.id = this.conversion.idOf(node)
  }

  get data(): JsonRecord {
    return this.node.data
  }

  /** A text with its references rewritten. */
  text(text: string): string {
    return this.scope.text(this.node, text)
  }

  /** A reference for a selector. */
  value(selector: unknown, use?: Use): string {
    return this.scope.value(this.node, selector, use)
  }

  /** Reports a difference. */
  note(code: ImportNote['code'], values?: ImportNote['values']): void {
    this.conversion.note(this.node, code, values)
  }

  /** The id for a node that is added before or after this one. */
  newId(end: string): string {
    return this.conversion.newId(`${this.id}_${end}`)
  }
}

export type Convert = (given: NodeConversion) => ConvertedNode
