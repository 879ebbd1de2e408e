import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import { agentOperations } from '../../contract/agent-operations.ts'
import { conversationOperations } from '../../contract/conversation-operations.ts'
import { knowledgeOperations } from '../../contract/knowledge-operations.ts'
import { limits } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { runOperations } from '../../contract/run-operations.ts'
import { workflowOperations } from '../../contract/workflow-operations.ts'
import { isRecord } from '../../kernel/is-record.ts'
import type { InnerCall } from './inner-call.ts'
import { ToolNames } from './tool-names.ts'

type Arguments = Readonly<Record<string, unknown>>
type Listed = Readonly<Record<string, string>>

export interface DoorTool {
  definition: Tool
  run(args: Arguments): Promise<CallToolResult>
}

/** JSON as text for clients that read only that, and as itself. */
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
function operationTool(call: InnerCall, name: string, operation: Operation): DoorTool {
  const { summary, details, method, access } = operation
  return {
    definition: {
      name,
      description: [summary, details].filter(Boolean).join('. '),
      inputSchema: inputSchema(operation),
      annotations: { readOnlyHint: access === 'read' || method === 'GET', openWorldHint: access === 'run' },
    },
    run: async args => {
      const input =
        method === 'GET'
          ? { params: textsOf(args), query: textsOf(args) }
          : { params: textsOf(args), body: args }
      return jsonResult(await call(operation, input))
    },
  }
}

/** So that an assistant can build, test and publish a workflow. */
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

/** The tools that are there whatever the workspace contains. */
export function fixedTools(call: InnerCall, token: TokenRecord): DoorTool[] {
  const operations = {
    ...(isAllowed(token, 'read') ? readingTools : {}),
    ...(isAllowed(token, 'write') ? workflowTools : {}),
  }
  return Object.entries(operations).map(([name, operation]) => operationTool(call, name, operation))
}

/** The tools that an agent, a published workflow or the names of knowledge bases make. */
export async function ownTools(call: InnerCall, token: TokenRecord): Promise<DoorTool[]> {
  const names = new ToolNames()
  if (!isAllowed(token, 'run')) return []
  const agents = (await listAgents(call, token)).map(agent => agentTool(call, names, agent))
  if (token.agentIds.length > 0 || !isAllowed(token, 'read')) return agents
  const { items } = await call(workflowOperations.list, {
    body: { published: true, page_size: limits.mcpTools },
  })
  return [...agents, ...(items as Listed[]).map(workflow => workflowTool(call, names, workflow))]
}

async function listAgents(call: InnerCall, token: TokenRecord): Promise<Listed[]> {
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

function agentTool(call: InnerCall, names: ToolNames, { id = '', name = '', intro }: Listed): DoorTool {
  return {
    definition: {
      name: names.of('ask', name, id),
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
            description: 'Of an earlier answer, to go on with that conversation. Omit it to begin a new one.',
          },
        },
        required: ['message'],
      },
    },
    run: args => askAgent(call, id, args),
  }
}

async function askAgent(call: InnerCall, agentId: string, args: Arguments): Promise<CallToolResult> {
  const conversationId =
    args['conversation_id'] ??
    (await call(conversationOperations.create, { body: { agent_id: agentId } }))['conversation_id']
  const turn = await call(conversationOperations.chat, {
    body: {
      agent_id: agentId,
      conversation_id: conversationId,
      data_type: 'text',
      content: args['message'],
    },
  })
  const replies = turn['feedback'] as { content: string; file_list?: string[] }[]
  const answer = replies
    .map(({ content }) => content)
    .filter(Boolean)
    .join('\n\n')
  const files = replies.flatMap(({ file_list = [] }) => file_list)
  const { waiting, options } = turn
  const more = { ...(waiting === true && { waiting, options }), ...(files.length > 0 && { files }) }
  return {
    content: [{ type: 'text', text: answer }],
    structuredContent: { answer, conversation_id: conversationId, ...more },
  }
}

function workflowTool(call: InnerCall, names: ToolNames, { id = '', name = '' }: Listed): DoorTool {
  return {
    definition: {
      name: names.of('run', name, id),
      title: name || id,
      description: `Runs the workflow "${name || id}" and returns its answer.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'The question to the workflow.' },
          inputs: { type: 'object', description: 'Further inputs of the workflow, by name.' },
        },
      },
    },
    run: async ({ query, inputs }) => {
      const given = { ...(isRecord(inputs) ? inputs : {}), ...(query !== undefined && { query }) }
      const run = await call(runOperations.run, { body: { id, inputs: given } })
      const { run_id, status, answer, outputs, error } = run
      const text =
        status === 'succeeded'
          ? String(answer || JSON.stringify(outputs))
          : JSON.stringify({ run_id, status, error })
      const isError = status === 'failed'
      return {
        content: [{ type: 'text', text }],
        structuredContent: { run_id, status, answer, outputs, error },
        isError,
      }
    },
  }
}
