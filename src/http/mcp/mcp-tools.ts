import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import { agentOperations } from '../../contract/agent-operations.ts'
import { conversationOperations } from '../../contract/conversation-operations.ts'
import type { InputVariable } from '../../contract/input-variable.ts'
import { knowledgeOperations } from '../../contract/knowledge-operations.ts'
import { limits } from '../../contract/limits.ts'
import { basePath, type Operation } from '../../contract/operation.ts'
import { runOperations } from '../../contract/run-operations.ts'
import { workflowOperations } from '../../contract/workflow-operations.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { InternalCall } from './internal-call.ts'

type Arguments = Readonly<Record<string, unknown>>

export interface McpTool {
  definition: Tool
  /** Completes the definition by calling another operation; only a list of tools needs this. */
  complete?(): Promise<Tool>
  run(args: Arguments): Promise<CallToolResult>
}

/** A JSON result, also as text for clients that read only text. */
const jsonResult = (value: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

/** Settings of operations that make no sense in a tool. */
const omitted = new Set(['stream', 'autosave', 'wait', 'user_id'])

/** The parameters of an operation, wherever it takes them from. */
function inputSchema({ params, query, body }: Operation): Tool['inputSchema'] {
  const schemas = [params, query, body].filter(isRecord)
  const properties = schemas.flatMap(({ properties }) => Object.entries(properties ?? {}))
  const required = schemas.flatMap(({ required }) => (required ?? []) as string[])
  const kept = properties.filter(([name]) => !omitted.has(name))
  return { type: 'object', properties: Object.fromEntries(kept) as Record<string, object>, required }
}

const textsOf = (args: Arguments): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]))

/** A tool that is an operation of the API under another name. */
function operationTool(call: InternalCall, name: string, operation: Operation): McpTool {
  const { summary, details, method, access } = operation
  return {
    definition: {
      name,
      description: [summary, details].filter(Boolean).join('. '),
      inputSchema: inputSchema(operation),
      annotations: { readOnlyHint: access === 'read' || method === 'GET', openWorldHint: access === 'run' },
    },
    run: async sent => {
      const args = Object.fromEntries(Object.entries(sent).filter(([name]) => !omitted.has(name)))
      const input =
        method === 'GET'
          ? { params: textsOf(args), query: textsOf(args) }
          : { params: textsOf(args), body: args }
      return jsonResult(await call(operation, input))
    },
  }
}

/** Tools with which an assistant can build, test and publish a workflow. */
const workflowTools: Readonly<Record<string, Operation>> = {
  list_workflows: workflowOperations.list,
  get_workflow: workflowOperations.get,
  check_workflow: workflowOperations.check,
  create_workflow: workflowOperations.create,
  update_workflow: workflowOperations.update,
  publish_workflow: workflowOperations.publish,
  run_workflow: runOperations.run,
  get_run: runOperations.getRun,
  resume_run: runOperations.resumeRun,
}

const readingTools: Readonly<Record<string, Operation>> = {
  search_knowledge: knowledgeOperations.search,
  list_knowledge: knowledgeOperations.list,
}

/** The tools that do not depend on the content of the workspace. */
export function fixedTools(call: InternalCall, token: TokenRecord): McpTool[] {
  const operations = {
    ...(isAllowed(token, 'read') ? readingTools : {}),
    ...(isAllowed(token, 'write') ? workflowTools : {}),
  }
  return Object.entries(operations).map(([name, operation]) => operationTool(call, name, operation))
}

/** An agent or a workflow. */
interface Listed {
  id: string
  name: string
  intro?: string
}

const fixedNames = new Set([...Object.keys(workflowTools), ...Object.keys(readingTools)])

/** The tools for agents and published workflows. `origin` is that of this server, as the client calls it. */
export async function ownTools(call: InternalCall, token: TokenRecord, origin: string): Promise<McpTool[]> {
  if (!isAllowed(token, 'run')) return []
  const agents = await listAgents(call, token)
  const agentNames = toolNames('ask', agents, fixedNames)
  const agentTools = agents.map((agent, at) => agentTool(call, agentNames[at]!, agent, origin))
  if (token.agentIds.length > 0 || !isAllowed(token, 'read')) return agentTools
  const body = { published: true, page_size: limits.mcpTools }
  const workflows = (await call(workflowOperations.list, { body }))['items'] as Listed[]
  const workflowNames = toolNames('run', workflows, fixedNames)
  return [...agentTools, ...workflows.map((each, at) => workflowTool(call, workflowNames[at]!, each, origin))]
}

async function listAgents(call: InternalCall, token: TokenRecord): Promise<Listed[]> {
  if (token.agentIds.length === 0) {
    const { items } = await call(agentOperations.list, { body: { page_size: limits.mcpTools } })
    return items as Listed[]
  }
  const { agents } = await call(agentOperations.gets, {
    body: { id: token.agentIds.slice(0, limits.mcpTools) },
  })
  const found = Object.values(agents as Record<string, { exist: boolean; data?: Listed }>)
  return found.map(({ data }) => data).filter(data => data !== undefined)
}

/** `everyCall`: every call needs the input variables, not only the first message of a conversation. */
async function withVariables(
  definition: Tool,
  listed: Promise<Record<string, unknown>>,
  everyCall: boolean,
): Promise<Tool> {
  // A workflow that cannot run has no variables here; calling it reports the problem.
  const { variables } = await listed.catch(() => ({ variables: [] }))
  const inputs = inputsSchema(variables as InputVariable[])
  if (!inputs) return definition
  const { properties, required = [], ...schema } = definition.inputSchema
  const needed = everyCall && inputs.required.length > 0 ? [...required, 'inputs'] : required
  return {
    ...definition,
    inputSchema: { ...schema, properties: { ...properties, inputs }, required: needed },
  }
}

function agentTool(call: InternalCall, tool: string, { id, name, intro }: Listed, origin: string): McpTool {
  const definition: Tool = {
    name: tool,
    title: name,
    description: `Asks the agent "${name}".${intro ? ` ${intro}` : ''}`,
    inputSchema: {
      type: 'object',
      properties: {
        message: {
          type: 'string',
          description: 'What to say to the agent.',
          maxLength: limits.messageLength,
        },
        conversation_id: {
          type: 'string',
          description: 'Of an earlier answer, to continue that conversation. Omit it to begin a new one.',
        },
      },
      required: ['message'],
    },
  }
  return {
    definition,
    complete: () =>
      withVariables(definition, call(agentOperations.variables, { query: { agent_id: id } }), false),
    run: args => askAgent(call, id, args, origin),
  }
}

/** A message of an answer. */
interface Reply {
  content: string
  file_list?: string[]
}

/** The text of an answer and links to its files. An answer of files alone has no text. */
function answerContent(text: string, files: readonly string[], origin: string): CallToolResult['content'] {
  const links = files.map(id => ({
    ...{ type: 'resource_link' as const, name: id, uri: `${origin}${basePath}/files/${id}` },
    description: 'A file of the answer; reading it needs the same token.',
  }))
  return [...(text === '' && links.length > 0 ? [] : [{ type: 'text' as const, text }]), ...links]
}

const filesOf = (replies: readonly Reply[]): string[] => replies.flatMap(({ file_list = [] }) => file_list)

async function askAgent(
  call: InternalCall,
  agentId: string,
  args: Arguments,
  origin: string,
): Promise<CallToolResult> {
  const isNew = (args['conversation_id'] ?? null) === null
  const { conversation_id: conversationId } = isNew
    ? await call(conversationOperations.create, { body: { agent_id: agentId } })
    : args
  const place = { agent_id: agentId, conversation_id: conversationId }
  const body = { ...place, data_type: 'text', content: args['message'], inputs: args['inputs'] }
  const turn = await call(conversationOperations.chat, { body }).catch(async (error: unknown) => {
    // If this fails, too, the log says so, and the client still gets the reason of the refusal.
    if (isNew) await removeIfEmpty(call, place).catch(() => {})
    throw error
  })
  const replies = turn['feedback'] as Reply[]
  const answer = replies
    .map(({ content }) => content)
    .filter(Boolean)
    .join('\n\n')
  const files = filesOf(replies)
  const { waiting, options } = turn
  const more = { ...(waiting === true && { waiting, options }), ...(files.length > 0 && { files }) }
  return {
    content: [
      ...answerContent(answer, files, origin),
      {
        type: 'text',
        text: `conversation_id: ${String(conversationId)} (send it with the next message to continue this conversation)`,
      },
    ],
    structuredContent: { answer, conversation_id: conversationId, ...more },
  }
}

/** A refused message must not leave an empty conversation; one whose answer failed was stored. */
async function removeIfEmpty(call: InternalCall, place: object): Promise<void> {
  const { retrieve_data: messages } = await call(conversationOperations.retrieve, { body: place })
  if ((messages as unknown[]).length === 0) await call(conversationOperations.delete, { body: place })
}

/** As the outputs of an output node that sends files without a text. */
const holdsOnlyFiles = (outputs: unknown): boolean =>
  isRecord(outputs) && Object.entries(outputs).every(([name, value]) => name === 'files' || value === '')

function workflowTool(call: InternalCall, tool: string, { id, name }: Listed, origin: string): McpTool {
  const definition: Tool = {
    name: tool,
    title: name || id,
    description: `Runs the workflow "${name || id}" and returns its answer.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'The question to the workflow.' },
        inputs: { type: 'object', description: 'Further inputs of the workflow, by name.' },
      },
    },
  }
  return {
    definition,
    complete: () => withVariables(definition, call(runOperations.variables, { query: { id } }), true),
    run: async ({ query, inputs }) => {
      const given = { ...(isRecord(inputs) ? inputs : {}), ...(query !== undefined && { query }) }
      const run = await call(runOperations.run, { body: { id, inputs: given } })
      const { run_id, status, answer, outputs, error, waiting } = run
      const files = filesOf(run['messages'] as Reply[])
      const result = files.length > 0 && holdsOnlyFiles(outputs) ? '' : JSON.stringify(outputs)
      const text =
        status === 'succeeded' ? String(answer || result) : JSON.stringify({ run_id, status, error, waiting })
      const more = files.length > 0 && { files }
      return {
        content: answerContent(text, files, origin),
        structuredContent: { run_id, status, answer, outputs, error, waiting, ...more },
        isError: status === 'failed',
      }
    },
  }
}

/** The limit of the strictest clients. */
const maxNameLength = 64
const idSuffixLength = 6

const suffixOf = (id: string): string => id.replace(/[^A-Za-z0-9]/g, '').slice(-idSuffixLength)

function plainName(verb: string, { id, name }: Listed): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
  return `${verb}_${words || suffixOf(id)}`.slice(0, maxNameLength)
}

/** Tools with the same name get their ids at the end, so that none changes its name when the order changes. */
function toolNames(verb: string, objects: readonly Listed[], taken: ReadonlySet<string>): string[] {
  const names = objects.map(each => plainName(verb, each))
  const isUnique = (name: string): boolean =>
    !taken.has(name) && names.indexOf(name) === names.lastIndexOf(name)
  return names.map((name, at) =>
    isUnique(name)
      ? name
      : `${name.slice(0, maxNameLength - idSuffixLength - 1)}_${suffixOf(objects[at]!.id)}`,
  )
}

type Schema = Readonly<Record<string, unknown>>

const fileSchema = { type: 'string', description: 'Id of an uploaded file.' }

/** The JSON schema of a value, without its description. */
function valueSchema({ type, options, max_length }: InputVariable): Schema {
  const max = max_length ?? undefined
  if (type === 'number') return { type }
  if (type === 'checkbox') return { type: 'boolean' }
  if (type === 'select') return { type: 'string', enum: options }
  if (type === 'file') return { type: 'string' }
  if (type === 'files')
    return { type: 'array', items: fileSchema, ...(max !== undefined && { maxItems: max }) }
  return type === 'json' ? {} : { type: 'string', ...(max !== undefined && { maxLength: max }) }
}

const descriptionOf = ({ type, name, label, description }: InputVariable): string =>
  [label === name ? '' : label, description, type === 'file' ? fileSchema.description : '']
    .filter(Boolean)
    .join('. ')

function schemaOf(variable: InputVariable): Schema {
  const description = descriptionOf(variable)
  const { default: preset } = variable
  return {
    ...valueSchema(variable),
    ...(description !== '' && { description }),
    ...(preset !== null && { default: preset }),
  }
}

const isNeeded = ({ required, default: preset }: InputVariable): boolean => required && preset === null

/** The argument `inputs` of a tool; undefined for a workflow without input variables. */
function inputsSchema(variables: readonly InputVariable[]) {
  if (variables.length === 0) return undefined
  const required = variables.filter(isNeeded).map(({ name }) => name)
  const properties = Object.fromEntries(variables.map(each => [each.name, schemaOf(each)]))
  return { type: 'object' as const, description: 'Values that the workflow asks for.', properties, required }
}
