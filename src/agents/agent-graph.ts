import { edge, type Graph, type GraphNode } from '../workflow/graph.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/json-record.ts'
import type { Agent } from './agent.ts'

const historyTurns = 10
const retrievedPassages = 5
const toolTypes = ['http', 'workflow', 'mcp', 'knowledge', 'tool']

const node = (id: string, type: string, data: JsonRecord): GraphNode => ({ id, type, data })

/** The nodes in sequence, between an input and an end. */
function chain(...between: GraphNode[]): Graph {
  const nodes = [
    node('input', 'base', { type: 'input', title: 'Input' }),
    ...between,
    node('end', 'base', { type: 'end', title: 'End' }),
  ]
  return { nodes, edges: nodes.slice(1).map(({ id }, at) => edge(nodes[at]!.id, id)) }
}

const output = (answer: string, more: JsonRecord = {}): GraphNode =>
  node('output', 'base', { type: 'output', title: 'Output', answer, ...more })

/** A tool in the form of an llm node; undefined if its running_config is not usable. */
function toolSource(name: string, tool: unknown): JsonRecord | undefined {
  if (name === 'web_search') return { type: 'web_search' }
  const running = isJsonRecord(tool) ? ownValue(tool, 'running_config') : undefined
  if (!isJsonRecord(running)) return undefined
  return toolTypes.some(type => type === ownValue(running, 'type')) ? { name, ...running } : undefined
}

/** The tools of the model, and the names of unusable tools, which are ignored. */
export function toolsOf({ config }: Agent): { used: [string, JsonRecord][]; ignored: string[] } {
  const all = Object.entries(isJsonRecord(config.tools) ? config.tools : {})
  const read = all.map(([name, tool]) => [name, toolSource(name, tool)] as const)
  return {
    used: read.flatMap(([name, tool]): [string, JsonRecord][] => (tool ? [[name, tool]] : [])),
    ignored: read.flatMap(([name, tool]) => (tool ? [] : [name])),
  }
}

/** Keeps reference marks in a plain text from being read as a template. */
const literal = (text: string): string => text.replaceAll('{{#', '{{ #')

function persona({ name, intro, config }: Agent): string {
  const profile = config.character_profile?.trim()
  return profile ? profile : literal([`You are ${name}.`, intro.trim()].filter(Boolean).join('\n'))
}

/** The settings of an llm node, without the prompt, with which the model of a persona answers. */
export const personaSettings = (agent: Agent): JsonRecord => ({
  system_prompt: persona(agent),
  history_turns: historyTurns,
  '数据源/API工具': [...Object.keys(agent.learn), ...toolsOf(agent).used.map(([, tool]) => tool)],
  ...(agent.config.model ? { model: agent.config.model } : {}),
})

function modelGraph(agent: Agent, hasInstructions: boolean): Graph {
  const llm = node('llm', 'base', {
    type: 'llm',
    title: 'Model',
    prompt_template: `${hasInstructions ? '{{#sys.inputs.instructions#}}\n\n' : ''}{{#sys.query#}}`,
    ...personaSettings(agent),
  })
  return chain(
    llm,
    output('{{#llm.text#}}{{#llm.notice#}}', {
      file_list: ['{{#llm.files#}}'],
      voice: '{{#sys.inputs.voice#}}',
    }),
  )
}

/** A graph that gives a known answer. The text is an input of the run, so that references in it are not resolved. */
export const annotationGraph = (): Graph =>
  chain(
    node('annotation', 'base', {
      ...{ type: 'output', title: 'Annotated answer', answer: '{{#sys.inputs.annotation#}}' },
      voice: '{{#sys.inputs.voice#}}',
    }),
  )

/** A model that answers one message by an instruction, without tools and history. */
export const promptGraph = (instruction: string, model: string | undefined): Graph =>
  chain(
    node('llm', 'base', {
      ...{
        type: 'llm',
        title: 'Model',
        prompt_template: '{{#sys.query#}}',
        system_prompt: literal(instruction),
      },
      ...{ history_turns: 0, attach_files: false, max_tokens: 1000, ...(model && { model }) },
    }),
    output('{{#llm.text#}}'),
  )

const noModelNotice = `尚未配置模型：设置 MODEL_BASE_URL、MODEL_NAME 和 MODEL_API_KEY 后，将由模型来回答。
No model is configured: set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY to get an answer from a model.`
const foundNotice = '以上是知识库中找到的内容。These passages are from the knowledge bases.'
const nothingFound = `知识库中没有找到与问题相关的内容。
The knowledge bases contain nothing relevant to the question.`

/**
 * The minimum score of passages that are shown without a model to judge them. All English questions to the documentation
 * of this project score higher, and questions about something else lower (docs/decisions/2026-11-16-relevance-scores.md).
 */
export const shownScore = 0.42

function retrievalGraph(agent: Agent): Graph {
  const retrieve = node('retrieve', 'tool', {
    type: 'knowledge_retrieval',
    title: 'Knowledge',
    query: '{{#sys.query#}}',
    knowledge_ids: Object.keys(agent.learn),
    top_k: retrievedPassages,
    score_threshold: shownScore,
  })
  const isFound = node('found', 'base', {
    type: 'condition',
    title: 'Found?',
    cases: [{ id: 'yes', when: [{ left: '{{#retrieve.result#}}', op: 'not_empty' }] }, { id: 'no' }],
  })
  const { nodes, edges } = chain(
    retrieve,
    isFound,
    output(`{{#retrieve.result#}}\n\n${foundNotice}\n${noModelNotice}`),
  )
  const none = { ...output(`${nothingFound}\n\n${noModelNotice}`), id: 'nothing' }
  return {
    nodes: [...nodes, none],
    edges: [
      ...edges.filter(({ source }) => source.cell !== isFound.id),
      edge('found', 'output', 'yes'),
      edge('found', 'nothing', 'no'),
      edge('nothing', 'end'),
    ],
  }
}

interface GraphOptions {
  hasModel: boolean
  /** The client sent instructions of its own: the model reads them with the message, and the persona stays. */
  hasInstructions?: boolean
}

/** The graph of a persona. Without a model, one with knowledge shows passages; without both, the llm node fails. */
export const agentGraph = (agent: Agent, { hasModel, hasInstructions = false }: GraphOptions): Graph =>
  hasModel || Object.keys(agent.learn).length === 0
    ? modelGraph(agent, hasInstructions)
    : retrievalGraph(agent)
