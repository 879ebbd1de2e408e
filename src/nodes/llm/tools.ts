import { limits } from '../../contract/limits.ts'
import type { ToolDefinition } from '../../models/language-model.ts'
import type { WebSearch } from '../../models/web-search.ts'
import { httpToolRequest, namesInUrl } from '../../tools/http-tool.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ServedTool, ToolServer, ToolServers } from '../../tools/tool-server.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import { type RunFile, type Step, StepFailure, stepFailed } from '../../workflow/step.ts'
import type { NodeServices } from '../node-services.ts'
import { idempotencyHeader } from '../request-headers.ts'
import { storeBody } from '../stored-files.ts'
import { callTool, toolServerOf } from '../tool-server-of.ts'
import { webSearchNotConfigured } from '../web-search.ts'
import { withFilesOnly } from '../workflow.ts'
import { parameterSchema, requireTexts, type Source } from './sources.ts'

/** What a tool gives to the model. */
export interface ToolResult {
  text: string
  files: readonly RunFile[]
}

/** A tool that is offered to the model. The message of a failure is for the model, too. */
export interface Tool extends ToolDefinition {
  /** The name of the call is unique within the step, and the same after a crash. */
  call(args: JsonRecord, callName: string): Promise<string | ToolResult>
}

interface OfferedTools {
  tools: Tool[]
  /** Why tools are missing, one sentence each. */
  problems: string[]
}

/** Thrown by a tool whose workflow waits for the user: the whole step waits and runs again after the answer. */
export class ChildWaits extends Error {}

const maxNameLength = 64
/** The names in lists of MCP servers may have any length; only this much of them is processed. */
const readLength = 200

/** All tools of the sources, under unique names that every provider accepts. */
export async function collectTools(
  sources: readonly Source[],
  step: Step,
  services: NodeServices,
): Promise<OfferedTools> {
  const offered = await Promise.all(sources.map((source, place) => toolsOf(source, place, step, services)))
  const tools = offered.flatMap(each => (typeof each === 'string' ? [] : each))
  return {
    tools: renamed(tools.slice(0, limits.modelTools)),
    problems: offered.filter(each => typeof each === 'string'),
  }
}

/** The tools of a source, or why there are none. */
async function toolsOf(
  source: Source,
  place: number,
  step: Step,
  services: NodeServices,
): Promise<Tool[] | string> {
  if (source.type === 'http') return [httpTool(source, step, services)]
  if (source.type === 'workflow') return [await workflowTool(source, step, services)]
  if (source.type === 'mcp') return serverTools(source, place, step, services)
  if (source.type !== 'web_search') return []
  if (services.webSearch) return [webSearchTool(services.webSearch, step)]
  throw new StepFailure('not_configured', webSearchNotConfigured)
}

function renamed(tools: readonly Tool[]): Tool[] {
  const taken = new Set<string>()
  return tools.map((tool, place) => {
    const name = freeName(safeName(tool.name) || `tool_${place + 1}`, taken)
    taken.add(name)
    return { ...tool, name }
  })
}

const safeName = (name: string): string =>
  name
    .slice(0, readLength)
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, maxNameLength)

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1)
    free = `${name.slice(0, maxNameLength - 1 - String(number).length)}_${number}`
  return free
}

const httpTimeout = 30_000
/** A repeated request changes nothing. */
const safeMethods = ['GET', 'HEAD']
/** The model chooses the arguments, but neither the host nor the headers. */
function httpTool(source: Source, step: Step, services: NodeServices): Tool {
  const inUrl = namesInUrl(source.shownUrl)
  return {
    name: source.name,
    description: source.description || `Calls ${source.method} ${publicUrl(source.shownUrl)}`,
    parameters: requireTexts(parameterSchema(source.parameters), inUrl),
    async call(args, callName) {
      const made = httpToolRequest(source, args, inUrl)
      const key = { 'idempotency-key': idempotencyHeader(`${step.idempotencyKey}.${callName}`) }
      const request = safeMethods.includes(made.method)
        ? made
        : { ...made, headers: { ...made.headers, ...key } }
      const { signal } = step
      const answer = await services.http.request({ ...request, signal, timeoutMilliseconds: httpTimeout })
      const files = await storeBody(step, services, request.url, answer)
      const names = files.map(({ name }) => `[${name}]`).join(' ')
      const text = answer.text.trim() === '' ? names || '(no content)' : answer.text
      return { files, text: answer.status < 400 ? text : `failed: HTTP ${answer.status}\n${text}` }
    },
  }
}

/** The URL without password, query and secrets, which the model does not need. */
function publicUrl(template: string): string {
  const url = URL.parse(template.replace(/\{\{#secret\..*?#\}\}/g, '***'))
  return url ? `${url.origin}${url.pathname}`.replaceAll('%7B', '{').replaceAll('%7D', '}') : 'a URL'
}

const refused = (message: string): ToolFailure => new ToolFailure(message, { retryable: false })

const queryParameter = { query: { type: 'string', description: 'The question to the workflow.' } }

/** The workflow sends no messages to the user; its answer goes to the model. */
async function workflowTool(source: Source, step: Step, services: NodeServices): Promise<Tool> {
  const schema = parameterSchema(source.parameters)
  const properties = ownValue(schema, 'properties')
  const takesFiles = isJsonRecord(properties) && Object.hasOwn(properties, 'files')
  const takesNothing = isJsonRecord(properties) && Object.keys(properties).length === 0
  return {
    name: source.name || 'run_workflow',
    description: source.description || (await describedByName(source, step, services)),
    parameters: takesNothing ? { type: 'object', properties: queryParameter, required: ['query'] } : schema,
    async call(args, name) {
      const call = { name, workflowId: source.id, inputs: inputsOf(args, takesFiles), sendsMessages: false }
      const result = await step.runWorkflow(call)
      if (result.status === 'waiting') throw new ChildWaits()
      return JSON.stringify({ answer: result.answer, outputs: result.outputs })
    },
  }
}

async function describedByName({ id, name }: Source, step: Step, services: NodeServices): Promise<string> {
  const workflow = await services.findWorkflow(step.workspaceId, id)
  return `Runs the workflow ${JSON.stringify(workflow?.name || name || id)} and returns its answer.`
}

/** Without a declared parameter `files`, the model must not choose files of the workspace: those of the run apply. */
function inputsOf({ files, ...args }: JsonRecord, takesFiles: boolean): JsonRecord {
  return takesFiles && files !== undefined ? withFilesOnly({ ...args, files }) : args
}

/** The tools of an MCP server. They are listed once, so that an attempt after a crash offers the same ones. */
async function serverTools(
  source: Source,
  place: number,
  step: Step,
  services: NodeServices,
): Promise<Tool[] | string> {
  const server = toolServerOf(step, source)
  const served = await step.once(`tools-${place}`, () =>
    listOrProblem(services.toolServers, server, step.signal),
  )
  if (typeof served === 'string') return served
  const missing = source.tools?.filter(name => !served.some(tool => tool.name === name)) ?? []
  if (missing.length > 0) {
    // The rest of the URL often holds a key.
    const host = URL.parse(source.url)?.host ?? 'of "url"'
    throw stepFailed(`The MCP server ${host} has no tool named ${missing.join(', ')}; check "tools".`)
  }
  return served
    .filter(tool => source.tools?.includes(tool.name) ?? true)
    .map(tool => ({
      ...tool,
      call: async args => {
        const { text, structured, files } = await callTool(step, services, [server, tool.name, args])
        const stored = files.map(
          ({ name, mime_type, file_id }) => `File ${name} (${mime_type}, id ${file_id})`,
        )
        const shown = text === '' && structured !== undefined ? JSON.stringify(structured) : text
        return { text: [shown, ...stored].filter(Boolean).join('\n') || '(no content)', files }
      },
    }))
}

/** A server that is down does not fail the turn: the prompt says that its tools are missing, and the model answers without them. */
async function listOrProblem(
  toolServers: ToolServers,
  server: ToolServer,
  signal: AbortSignal,
): Promise<ServedTool[] | string> {
  try {
    return await toolServers.list(server, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolFailure)) throw error
    return `The tools of a server are not available now: ${error.message}.`
  }
}

const webSearchTool = (webSearch: WebSearch, step: Step): Tool => ({
  name: 'web_search',
  description: 'Searches the web and returns titles, URLs and excerpts of pages.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'The search query.' } },
    required: ['query'],
  },
  async call(args) {
    const query = ownValue(args, 'query')
    if (typeof query !== 'string' || query.trim() === '') throw refused('The argument "query" is missing.')
    return JSON.stringify(await webSearch.search(query, step))
  },
})
