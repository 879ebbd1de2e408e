import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { type Outcome, type Step, stepFailed, waitForChildren } from '../workflow/step.ts'
import { gapAt } from './gaps.ts'
import { defineKind, field, modelField, paragraph, valuesByName, wholeNumber } from './kind-definition.ts'
import { answerWithModel, modelOutputs, modelTask } from './llm/answer-with-model.ts'
import { sharedToolsIn } from './llm/shared-tools.ts'
import { knowledgeIn, knowledgeSource, sourceGaps, sourceList, sourcesField } from './llm/sources.ts'
import type { AgentAnswers, NodeServices } from './node-services.ts'
import { quote, readList, readNumber, readRecord, readText } from './read-setting.ts'

const defaultHistoryTurns = 10
/** Settings that an agent of the workspace brings itself. */
const ownSettings = ['persona', 'tools', 'knowledge_ids']

/** An agent of the workspace, or one that the node describes, answers as it does in a conversation. */
export const agent = defineKind({
  kind: 'agent',
  nodeType: 'base',
  group: 'model',
  en: ['Agent', 'Lets an agent answer: an existing one, or a persona with knowledge and tools.'],
  zh: ['智能体', '由智能体回答：选择已有的，或填写角色设定、知识和工具。'],
  fields: {
    agent_id: field(
      { is: 'template', input: 'agent' },
      ['Agent', 'An existing agent. Leave it empty to describe one here.'],
      ['智能体', '已有的智能体。留空则在下面填写。'],
    ),
    query: field(paragraph, ['Message', 'What the agent answers.'], ['消息', '智能体要回答的内容。']),
    persona: field(
      paragraph,
      ['Persona', 'Who the agent is, what it does and which rules it follows.'],
      ['角色设定', '智能体的身份、任务和须遵守的规则。'],
    ),
    tools: field(
      sourceList,
      ['Tools', 'What the agent may call: HTTP APIs, workflows, MCP servers, web search.'],
      ['工具', '智能体可以调用的工具：HTTP 接口、工作流、MCP 服务和联网搜索。'],
    ),
    knowledge_ids: field(
      { is: 'list', of: { is: 'template', input: 'knowledge' } },
      ['Knowledge bases', 'Searched with the message. A reference may supply one ID or a list of them.'],
      ['知识库', '按消息检索的知识库。引用可以给出一个或多个 ID。'],
    ),
    inputs: field(
      valuesByName,
      ['Inputs', 'By name, for the input variables of an agent that runs a workflow.'],
      ['输入', '按名称填写，供运行工作流的智能体作为输入变量。'],
    ),
    model: modelField,
    history_turns: field(
      wholeNumber(0, 50),
      [
        'Conversation history (turns)',
        `How many earlier turns the agent sees, 0 to 50; ${defaultHistoryTurns} if empty.`,
      ],
      ['历史轮数', `让智能体看到之前的多少轮对话，0 到 50；不填时为 ${defaultHistoryTurns}。`],
    ),
    max_rounds: field(
      wholeNumber(1, 50),
      ['Max rounds', 'How often it may call tools before it must answer, 1 to 50; 7 if empty.'],
      ['最多轮数', '在必须回答之前最多调用几轮工具，1 到 50；不填时为 7。'],
    ),
  },
  required: ['query'],
  initialData: { agent_id: '', query: '{{#sys.query#}}' },
  gaps: data => [...identityGaps(data), ...sourceGaps(data, 'tools')],
  sharedTools: data => sharedToolsIn(data, 'tools'),
  knowledge: data => [...knowledgeIn(data, 'tools'), ...knowledgeIn(data, 'knowledge_ids')],
  outputs: () => modelOutputs,
  streams: ['text', 'result'],
  // Several rounds of a model and its tools.
  timeoutMilliseconds: 600_000,
  attempts: 3,
  async run(step, data, services) {
    const id = step.text(readText(data, 'agent_id')).trim()
    const answers = id === '' ? { settings: inlineSettings(data) } : await agentAnswers(step, services, id)
    return 'workflowId' in answers
      ? runBoundWorkflow(step, data, answers.workflowId)
      : answerAs(step, data, services, answers.settings)
  },
})

function identityGaps(data: JsonRecord): Gap[] {
  const isSet = (name: string): boolean =>
    readText(data, name).trim() !== '' || readList(data, name).length > 0
  if (!isSet('agent_id'))
    return isSet('persona') ? [] : gapAt('agent_id', 'Choose an agent, or enter a persona.')
  return ownSettings
    .filter(isSet)
    .flatMap(name => gapAt(name, `The agent in "agent_id" has its own; remove "${name}" or "agent_id".`))
}

const inlineSettings = (data: JsonRecord): JsonRecord => ({
  system_prompt: readText(data, 'persona'),
  history_turns: defaultHistoryTurns,
  [sourcesField]: readList(data, 'tools'),
})

/** Journaled, so that an attempt after a crash continues with the same settings. */
async function agentAnswers(step: Step, services: NodeServices, id: string): Promise<AgentAnswers> {
  const found = await step.once('agent', async () => services.findAgent(step.workspaceId, id))
  if (!found) throw stepFailed(`There is no agent ${quote(id)} in this workspace; choose an existing one.`)
  if ('settings' in found) await step.loadSecrets(found.settings)
  return found
}

async function answerAs(step: Step, data: JsonRecord, services: NodeServices, settings: JsonRecord) {
  const { model, ...task } = await modelTask(step, settings, services)
  const prompt = step.text(readText(data, 'query'))
  const knowledge = (step.fill(readList(data, 'knowledge_ids')) as unknown[]).flat()
  const rounds = readNumber(data, 'max_rounds')
  return answerWithModel(step, services, {
    ...task,
    model: readText(data, 'model').trim() === '' ? model : ownValue(data, 'model'),
    prompt,
    query: prompt,
    sources: [
      ...knowledge.flatMap(each => (typeof each === 'string' && each !== '' ? [knowledgeSource(each)] : [])),
      ...task.sources,
    ],
    historyTurns: readNumber(data, 'history_turns') ?? task.historyTurns,
    ...(rounds !== undefined && { maxCalls: rounds + 1 }),
    listsSteps: true,
  })
}

/** The answer of an agent that is bound to a workflow. Its messages are not sent: the text is an output like any other. */
async function runBoundWorkflow(step: Step, data: JsonRecord, workflowId: string): Promise<Outcome> {
  const given = step.fill(readRecord(data, 'inputs')) as JsonRecord
  const query = step.text(readText(data, 'query'))
  const inputs = { ...given, query, files: step.system.files }
  const child = await step.runWorkflow({ name: 'agent', workflowId, inputs, sendsMessages: false })
  if (child.status === 'waiting') return waitForChildren
  const { answer: text } = child
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const ended = { model: '', reasoning: '', finish_reason: 'stop', notice: '' }
  return { outputs: { text, result: text, citations: [], usage, files: [], ...ended, steps: [] } }
}
