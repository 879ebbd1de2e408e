import { type Finding, firstFinding } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { inSlices } from '../kernel/slices.ts'
import { credentialMask, credentialsIn, isMasked, type PlacedCredential } from './credentials.ts'
import type { Graph } from './graph.ts'
import type { KindRegistry } from './node-kind.ts'
import { type NodeOutline, outlineGraph } from './outline-graph.ts'
import { refuseGraph } from './refuse-graph.ts'
import { namedKnowledge, type SharedToolTypes, warnCredentials, warnGraph } from './warn-graph.ts'
import type { SecretCheck } from './warn-references.ts'
import { isRunnable, type Warning } from './warning.ts'

/** A graph of a request: `text` is stored, `value` is checked. */
export interface SentGraph {
  value: unknown
  text: string
  depth: number
  /** JSON pointer to the graph in the request, for findings. */
  pointer: string
}

export interface CheckResult {
  runnable: boolean
  errors: Finding[]
  warnings: Warning[]
  /** Only on request. */
  outline?: Record<string, NodeOutline>
}

/** A graph that was checked and can be stored. */
export interface PreparedGraph {
  nodeCount: number
  hasCredentials: boolean
  warnings: Warning[]
}

/** The names of a workspace's secrets. */
interface SecretNames {
  names(workspaceId: string): Promise<ReadonlySet<string>>
}

/** The types of a workspace's shared tools, by id. */
interface SharedTools {
  types(workspaceId: string): Promise<SharedToolTypes>
}

interface KnowledgeBases {
  /** The ids that are not knowledge bases of the workspace. */
  missing(workspaceId: string, ids: readonly string[]): Promise<string[]>
}

export interface GraphCheckerParts {
  kinds: KindRegistry
  secrets: SecretNames
  tools: SharedTools
  knowledge: KnowledgeBases
}

/** Checks graphs of requests, with the secrets, shared tools and knowledge bases of their workspace. */
export class GraphChecker {
  readonly #kinds: KindRegistry
  readonly #secrets: SecretNames
  readonly #tools: SharedTools
  readonly #knowledge: KnowledgeBases

  constructor({ kinds, secrets, tools, knowledge }: GraphCheckerParts) {
    this.#kinds = kinds
    this.#secrets = secrets
    this.#tools = tools
    this.#knowledge = knowledge
  }

  async check(workspaceId: string, sent: SentGraph, outline = false): Promise<CheckResult> {
    const errors = await this.#refuse(sent)
    const warnings = errors.length > 0 ? [] : await this.#warn(workspaceId, sent)
    return {
      runnable: errors.length === 0 && isRunnable(warnings),
      errors: errors.slice(0, limits.findings),
      warnings: warnings.slice(0, limits.findings),
      ...(outline && { outline: await inSlices(outlineGraph(sent.value, this.#kinds)) }),
    }
  }

  /** Checks a graph before its transaction begins, because the transaction should wait for nothing but the database. */
  async prepare(workspaceId: string, sent: SentGraph, isForeign: boolean): Promise<PreparedGraph> {
    const graph = await this.#accept(sent)
    const found = await inSlices(credentialsIn(graph, sent.pointer))
    refuseMasks(found)
    const warnings = await this.#warn(workspaceId, sent, { isForeign, found })
    return { nodeCount: graph.nodes.length, hasCredentials: found.length > 0, warnings }
  }

  /** Only what a graph may refer to is read; ids of shared tools begin with tool_. */
  async #warn(
    workspaceId: string,
    sent: SentGraph,
    { isForeign = false, found }: { isForeign?: boolean; found?: PlacedCredential[] } = {},
  ): Promise<Warning[]> {
    let secrets: SecretCheck | undefined
    if (sent.text.includes('secret.')) secrets = { names: await this.#secrets.names(workspaceId), isForeign }
    const tools = sent.text.includes('"tool_') ? await this.#tools.types(workspaceId) : new Map()
    const graph = sent.value as Graph
    const named = [...(await inSlices(namedKnowledge(graph, this.#kinds)))]
    const missingKnowledge =
      named.length > 0 ? new Set(await this.#knowledge.missing(workspaceId, named)) : undefined
    const known = { secrets, tools, missingKnowledge }
    const warnings = await inSlices(warnGraph(graph, this.#kinds, sent.pointer, known))
    return [...warnings, ...warnCredentials(found ?? (await inSlices(credentialsIn(graph, sent.pointer))))]
  }

  async #refuse(sent: SentGraph): Promise<Finding[]> {
    if (sent.depth > limits.graphDepth) {
      const message = `is nested deeper than ${limits.graphDepth} levels`
      const errors = [{ path: sent.pointer, message }]
      throw new AppError('too_deep', `The graph ${message}`, { errors })
    }
    return inSlices(refuseGraph(sent.value, this.#kinds, sent.pointer))
  }

  async #accept(sent: SentGraph): Promise<Graph> {
    const findings = await this.#refuse(sent)
    if (findings.length === 0) return sent.value as Graph
    const message = `The graph cannot be stored: ${firstFinding(findings)}`
    const errors = findings.slice(0, limits.findings)
    throw new AppError('graph_invalid', message, { errors, data: { error_count: findings.length } })
  }
}

/** A mask that is sent back would replace the stored credential. */
function refuseMasks(found: readonly PlacedCredential[]): void {
  const masked = found.filter(isMasked)
  if (masked.length === 0) return
  const message = `is the mask ${credentialMask}; send the real value, or {{#secret.name#}}`
  throw new AppError('graph_invalid', `The graph cannot be stored: it contains the mask ${credentialMask}`, {
    errors: masked.slice(0, limits.findings).map(({ pointer }) => ({ path: pointer, message })),
    data: { error_count: masked.length },
  })
}
