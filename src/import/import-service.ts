import type { AgentService } from '../agents/agent-service.ts'
import { pointerSegment } from '../contract/finding.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import { inSlices } from '../kernel/slices.ts'
import type { SentGraph } from '../workflow/graph-checker.ts'
import type { LayoutStore } from '../workflow/layout-store.ts'
import type { Warning } from '../workflow/warning.ts'
import type { WorkflowService } from '../workflow/workflow-service.ts'
import type { ConvertedWorkflow } from './dify/conversion.ts'
import type { ConvertedApp } from './dify/convert-app.ts'
import { documentMembers, type PortableDocument, readDocument } from './portable-document.ts'
import type { ReportLine } from './report.ts'

const importFormats = ['banyan.workflow', 'dify'] as const
type ImportFormat = (typeof importFormats)[number]

interface ImportRequest {
  /** The text of a file. */
  content: string
  /** By default the format is recognized. */
  format?: ImportFormat | undefined
  /** By default that of the file. */
  name?: string | undefined
  /** Must be free; by default a fresh one. */
  id?: string | undefined
  /** The knowledge bases that replace data sets of the file. */
  knowledge?: Readonly<Record<string, string>> | undefined
  author?: string | undefined
}

interface KnowledgeBases {
  /** Undefined if the workspace has no such knowledge base. */
  find(workspaceId: string, id: string): Promise<object | undefined>
}

export interface Imported {
  id: string
  message: 'created'
  version: number
  warnings: Warning[]
  agentId: string | undefined
  report: readonly ReportLine[]
}

/** Imports files of this and of other platforms. What it stores, it stores in the transaction of its caller. */
export class ImportService {
  readonly #workflows: WorkflowService
  readonly #agents: AgentService
  readonly #layouts: LayoutStore
  readonly #bases: KnowledgeBases

  constructor(workflows: WorkflowService, agents: AgentService, layouts: LayoutStore, bases: KnowledgeBases) {
    this.#workflows = workflows
    this.#agents = agents
    this.#layouts = layouts
    this.#bases = bases
  }

  async importFile(workspaceId: string, request: ImportRequest): Promise<Imported> {
    // Some editors write a byte order mark.
    const content = request.content.replace(/^\uFEFF/, '')
    const format = request.format ?? (await recognizeFormat(content))
    if (format === 'dify') return this.#importApp(workspaceId, { ...request, content })
    const document = await readDocument(content)
    const { id, author, name = document.name } = request
    return this.importDocument(workspaceId, { ...document, name, id, author })
  }

  /** Stores an exported workflow. */
  async importDocument(
    workspaceId: string,
    document: PortableDocument & Pick<ImportRequest, 'id' | 'author'>,
  ): Promise<Imported> {
    const { positions, shapes, ...workflow } = document
    const saved = await this.#workflows.create(workspaceId, workflow, true)
    if (positions.size > 0) await this.#layouts.place(workspaceId, saved.id, positions)
    if (shapes.size > 0) await this.#layouts.putShapes(workspaceId, saved.id, shapes)
    return { ...saved, message: 'created', agentId: undefined, report: [] }
  }

  async #importApp(workspaceId: string, request: ImportRequest): Promise<Imported> {
    const { id = mintId('wf'), author, knowledge = {} } = request
    for (const [dataSet, base] of Object.entries(knowledge))
      if (!(await this.#bases.find(workspaceId, base)))
        throw invalidField(
          `/knowledge/${pointerSegment(dataSet)}`,
          `refers to a knowledge base that does not exist: ${base}`,
        )
    const app = await convertFile(request, id)
    const all = [app.workflow, ...app.children].map(each => {
      // One file may become several graphs; the main one is named as in an update.
      const pointer = each === app.workflow ? '/workflow' : `/workflows/${each.id}`
      return { id: each.id, name: each.name, graph: sentGraph(each, pointer), author }
    })
    const [main, ...children] = await this.#workflows.createAll(workspaceId, all, true)
    const agent = app.agent && (await this.#agents.create(workspaceId, app.agent))
    const warnings = [main!, ...children].flatMap(each => each.warnings)
    return {
      id,
      message: 'created',
      version: main!.version,
      warnings: warnings.slice(0, limits.findings),
      agentId: agent?.agent.id,
      report: app.report,
    }
  }
}

/** The converters are loaded when they are needed: most servers never import anything. */
async function convertFile(
  { content, name, knowledge = {} }: ImportRequest,
  id: string,
): Promise<ConvertedApp> {
  if (content.length > limits.importLength)
    throw new AppError('too_large', `The file has more than ${limits.importLength} characters`, {
      errors: [{ path: '/content', message: `must have at most ${limits.importLength} characters` }],
    })
  const [{ parseYaml }, { convertApp }] = await Promise.all([
    import('../kernel/parse-yaml.ts'),
    import('./dify/convert-app.ts'),
  ])
  const file = await inSlices(parseYaml(content))
  const options = { name, knowledge: new Map(Object.entries(knowledge)), mintId: () => mintId('wf') }
  return convertApp(file, id, options)
}

/** A document of our own is JSON; an application of Dify is YAML with a member `app`, and may be written in JSON, too. */
async function recognizeFormat(content: string): Promise<ImportFormat> {
  if (/^\s*\{/.test(content)) return (await documentMembers(content)).has('app') ? 'dify' : 'banyan.workflow'
  if (/^(app|kind|version|workflow|model_config|dependencies)\s*:/m.test(content)) return 'dify'
  throw invalidField(
    '/content',
    'is neither an exported workflow in JSON nor an app that was exported from Dify in YAML',
  )
}

function sentGraph({ graph }: ConvertedWorkflow, pointer: string): SentGraph {
  const text = JSON.stringify(graph)
  return { value: JSON.parse(text), text, depth: 0, pointer }
}
