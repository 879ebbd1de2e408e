import { limits } from '../../contract/limits.ts'
import { edge } from '../../workflow/graph.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'
import type { DifyNode } from './app.ts'
import { type Conversion, type ConvertedWorkflow, node } from './conversion.ts'
import { rounds } from './kinds/agent.ts'
import { agentTools } from './kinds/agent-tools.ts'
import { knowledgeOf } from './kinds/data.ts'
import { NodeConversion } from './kinds/kind.ts'
import { allTurns, type Message, modelSettings, promptOf } from './kinds/model.ts'
import { inputVariables, variableName } from './kinds/start.ts'
import { clipped, flagAt, numberAt, recordAt, recordsAt, setMembers, textAt } from './read.ts'
import { Scope } from './scope.ts'

/** An application without a graph: a model with a prompt, knowledge and tools, as a workflow of one such node. */
export function convertChat(conversion: Conversion, id: string): ConvertedWorkflow {
  const { app } = conversion
  const { modelConfig } = app
  const own: DifyNode = {
    id: 'agent',
    type: app.mode,
    title: app.name,
    data: modelConfig,
    parentId: undefined,
  }
  const given = new NodeConversion(own, new Scope(conversion), noInner)
  const variables = inputVariables(formFields(modelConfig), (code, values) => given.note(code, values))
  const answering = app.mode === 'agent-chat' ? agentData(given) : modelData(given)
  const chain = [
    node('input', 'base', { type: 'input', title: 'Input', ...variables }),
    node('agent', 'base', { ...answering, title: app.name }),
    node('answer', 'base', { type: 'output', title: 'Answer', answer: '{{#agent.text#}}' }),
    node('end', 'base', { type: 'end', title: 'End' }),
  ]
  conversion.report.add('agent', { nodeId: 'agent', title: app.name, kind: app.mode, state: 'mapped' })
  const edges = chain.slice(1).map((each, index) => edge(chain[index]!.id, each.id))
  return { id, name: clipped(app.name, limits.nameLength), graph: { nodes: chain, edges } }
}

const noInner = (): never => {
  throw new Error('An application without a graph has no inner nodes')
}

/** The fields of the form. Each is an object whose only key is its type. */
const formFields = (config: JsonRecord): JsonRecord[] =>
  recordsAt(config, 'user_input_form').flatMap(each =>
    Object.keys(each).map(type => ({ type, ...recordAt(each, type) })),
  )

/** The prompt: one text, or in the expert mode all messages, or one text with places for the passages and the question. */
function readMessages(config: JsonRecord): Message[] {
  const instructions = textAt(config, 'pre_prompt')
  if (textAt(config, 'prompt_type') !== 'advanced') return [{ role: 'system', text: instructions }]
  if (textAt(config, 'model', 'mode') !== 'completion')
    return recordsAt(config, 'chat_prompt_config', 'prompt').map(each => ({
      role: textAt(each, 'role') || 'user',
      text: textAt(each, 'text'),
    }))
  const text = textAt(config, 'completion_prompt_config', 'prompt', 'text')
  // Once: a text of many places for long instructions would take gigabytes.
  return [{ role: 'user', text: text.replace('{{#pre_prompt#}}', () => instructions) }]
}

/** The messages refer to the fields of the form as {{name}}. Our node adds passages and earlier turns itself. */
function messagesOf(config: JsonRecord): Message[] {
  const names = new Set(formFields(config).map(field => textAt(field, 'variable')))
  const filled = (text: string): string =>
    text
      .replace(/\{\{#(context|histories)#\}\}/g, '')
      .replaceAll('{{#query#}}', question)
      .replace(/\{\{([^{}]+)\}\}/g, (place, name: string) =>
        names.has(name) ? `{{#input.${variableName(name)}#}}` : place,
      )
  return readMessages(config)
    .map(({ role, text }) => ({ role, text: filled(text) }))
    .filter(({ text }) => text.trim() !== '')
}

const question = '{{#sys.query#}}'

function knowledgeIds(given: NodeConversion, config: JsonRecord): string[] {
  const chosen = recordsAt(config, 'dataset_configs', 'datasets', 'datasets')
  const tools = recordsAt(config, 'agent_mode', 'tools')
  const sets = [...chosen, ...tools]
    .map(each => recordAt(each, 'dataset'))
    .filter(each => flagAt(each, 'enabled'))
  return knowledgeOf(
    given,
    sets.map(each => textAt(each, 'id')).filter(id => id !== ''),
  )
}

function modelData(given: NodeConversion): JsonRecord {
  const { data } = given
  const messages = messagesOf(data)
  const isAsked = messages.some(({ text }) => text.includes(question))
  return {
    type: 'llm',
    ...promptOf(given, messages, isAsked ? '' : question),
    history_turns: allTurns,
    ...modelSettings(given, recordAt(data, 'model')),
    attach_files: flagAt(data, 'file_upload', 'image', 'enabled') || flagAt(data, 'file_upload', 'enabled'),
    '数据源/API工具': knowledgeIds(given, data),
  }
}

function agentData(given: NodeConversion): JsonRecord {
  const { data } = given
  const tools = recordsAt(data, 'agent_mode', 'tools').filter(each => textAt(each, 'tool_name') !== '')
  const { sources, hints } = agentTools(given, tools, [])
  if (Object.keys(modelSettings(given, recordAt(data, 'model'))).length > 0) given.note('model_has_settings')
  return setMembers({
    type: 'agent',
    persona: [...messagesOf(data).map(({ text }) => text), ...hints].join('\n\n') || 'Answer the user.',
    query: question,
    history_turns: allTurns,
    tools: sources,
    knowledge_ids: knowledgeIds(given, data),
    max_rounds: rounds(numberAt(data, 'agent_mode', 'max_iteration')),
  })
}
