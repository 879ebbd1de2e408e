import type { ImportNote } from '../../contract/import-notes.ts'
import { UniqueNames } from '../../kernel/unique-names.ts'
import type { GraphEdge, GraphNode } from '../../workflow/graph.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import { Report } from '../report.ts'
import type { DifyApp, DifyNode } from './app.ts'
import { recordsAt, textAt, textsAt, valueAt } from './read.ts'

/** A value of the input node: `environment` or `memory`. */
interface Declared {
  readonly name: string
  readonly type: string
  readonly value: unknown
  readonly description: string
}

/** A workflow to store; `id` is already known to the workflows that run it. */
export interface ConvertedWorkflow {
  readonly id: string
  readonly name: string
  readonly graph: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] }
}

export interface ConversionOptions {
  /** Replaces the name in the file. */
  readonly name?: string | undefined
  /** The knowledge bases that replace data sets of the file. */
  readonly knowledge: ReadonlyMap<string, string>
  /** The id for a new workflow. */
  mintId(): string
}

const safeId = /^[A-Za-z0-9_-]{1,64}$/
/** Ids that are reserved for kinds, or that begin references to something other than nodes. */
const reservedIds = new Set(['input', 'end', 'sys', 'memory', 'secret', 'env', 'loop'])

/** The key in `memory` of the number of turns, which Dify has as a system value. */
export const turnCount = 'sys.dialogue_count'

/** What all parts of one import share: the nodes of the file, their new ids, variables, and the report. */
export class Conversion {
  readonly app: DifyApp
  readonly options: ConversionOptions
  readonly report = new Report()
  /** Workflows that iterations and loops run, inner ones first. */
  readonly children: ConvertedWorkflow[] = []
  readonly nodes: ReadonlyMap<string, DifyNode>
  readonly environment = new Map<string, Declared>()
  readonly memory = new Map<string, Declared>()
  /** Names of secrets by the name of their environment variable. */
  readonly secrets = new Map<string, string>()
  readonly models = new Set<string>()
  /** Values that are files, as `owner.name`. */
  readonly files: ReadonlySet<string>
  /** Variables that assigners set, as `owner.name`. */
  readonly #assigned: ReadonlySet<string>
  readonly #ids = new Map<string, string>()
  readonly #taken = new Set(reservedIds)

  constructor(app: DifyApp, options: ConversionOptions) {
    this.app = app
    this.options = options
    this.nodes = new Map(app.nodes.map(node => [node.id, node]))
    for (const { id } of app.nodes) if (safeId.test(id) && !this.#taken.has(id)) this.#take(id, id)
    for (const { id } of app.nodes) if (!this.#ids.has(id)) this.#take(id, this.newId('node'))
    this.#assigned = new Set(app.nodes.flatMap(assignedBy))
    this.#declareEnvironment()
    for (const each of recordsAt(app.workflow, 'conversation_variables')) declare(this.memory, each)
    const remembered = [...this.memory].filter(([, { type }]) => type === 'file' || type === 'array[file]')
    this.files = new Set([
      'sys.files',
      ...app.nodes.flatMap(filesOf),
      ...remembered.map(([name]) => `conversation.${name}`),
    ])
  }

  /** The id in our graph for a node of the file. */
  idOf(node: DifyNode): string {
    const isInput = node.parentId === undefined && /^(start$|trigger-)/.test(node.type)
    return isInput ? 'input' : (this.#ids.get(node.id) ?? node.id)
  }

  /** Whether a node of the loop sets the variable of the loop. */
  isAssigned(loop: DifyNode, name: string): boolean {
    return this.#assigned.has(`${loop.id}.${name}`)
  }

  /** An id that no node has. */
  newId(start: string): string {
    let id = start
    for (let number = 1; this.#taken.has(id); number += 1) id = `${start}_${number}`
    this.#taken.add(id)
    return id
  }

  /** Declares the memory with the number of turns, and returns its key. */
  countTurns(user: DifyNode): string {
    if (!this.memory.has(turnCount)) {
      const names = new Set([...this.memory.values()].map(({ name }) => name))
      let name = 'dialogue_count'
      while (names.has(name)) name += '_'
      this.memory.set(turnCount, {
        name,
        type: 'number',
        value: 0,
        description: 'Turns of the conversation, this one included.',
      })
    }
    this.note(user, 'turns_counted')
    return turnCount
  }

  note(node: DifyNode, code: ImportNote['code'], values: ImportNote['values'] = {}): void {
    this.report.add(node.id, { ...lineOf(node, this.idOf(node)), state: 'changed' }, { code, values })
  }

  noteApp(code: ImportNote['code'], values: ImportNote['values'] = {}): void {
    const line = { nodeId: '', title: this.app.name, kind: 'app', state: 'changed' } as const
    this.report.add('', line, { code, values })
  }

  #take(difyId: string, id: string): void {
    this.#ids.set(difyId, id)
    this.#taken.add(id)
  }

  /** The value of a secret is not imported, because it belongs into the secrets of the workspace. */
  #declareEnvironment(): void {
    // Values that shared a secret would be sent to the servers of each other.
    const names = new UniqueNames([], maxSecretLength)
    for (const each of recordsAt(this.app.workflow, 'environment_variables')) {
      if (textAt(each, 'value_type') !== 'secret') declare(this.environment, each)
      else {
        const variable = textAt(each, 'name')
        const secret = names.nameOf(variable, secretName(variable))
        this.secrets.set(variable, secret)
        this.noteApp('set_secret', { variable, secret })
      }
    }
  }
}

/** Outputs of code may have any name; the outputs `files` of these nodes are always files. */
const makesFiles = new Set(['http-request', 'tool', 'llm', 'agent'])

function filesOf({ id, type, data }: DifyNode): string[] {
  if (type !== 'start') return makesFiles.has(type) ? [`${id}.files`] : []
  const given = recordsAt(data, 'variables').filter(each => /^file(-list)?$/.test(textAt(each, 'type')))
  return given.map(each => `${id}.${textAt(each, 'variable')}`)
}

const assignedBy = ({ type, data }: DifyNode): string[] =>
  type === 'assigner'
    ? [
        textsAt(data, 'assigned_variable_selector'),
        ...recordsAt(data, 'items').map(each => textsAt(each, 'variable_selector')),
      ].map(selector => selector.join('.'))
    : []

export const lineOf = ({ title, type }: DifyNode, nodeId: string) => ({ nodeId, title, kind: type })

function declare(into: Map<string, Declared>, each: JsonRecord): void {
  const name = textAt(each, 'name')
  if (name === '') return
  into.set(name, {
    name: name.replace(/[.#{}\s]/g, '_'),
    type: textAt(each, 'value_type'),
    value: valueAt(each, 'value') ?? '',
    description: textAt(each, 'description'),
  })
}

const maxSecretLength = 64

/** Secrets have names of letters, digits, _ and -, starting with a letter. */
const secretName = (name: string): string => {
  const safe = name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')
  return (/^[a-z]/.test(safe) ? safe : `secret_${safe}`).slice(0, maxSecretLength)
}

export const node = (id: string, type: 'base' | 'tool' | 'embody', data: JsonRecord): GraphNode => ({
  id,
  type,
  data,
})
