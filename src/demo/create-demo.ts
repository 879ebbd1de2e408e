import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import { demo } from '../contract/demo.ts'
import type { Clock } from '../kernel/clock.ts'
import type { DocumentService } from '../knowledge/document-service.ts'
import type { KnowledgeService } from '../knowledge/knowledge-service.ts'
import { type Graph, type GraphNode, sourcePort, targetPort } from '../workflow/graph.ts'
import type { WorkflowService } from '../workflow/workflow-service.ts'

const projectFolder = join(import.meta.dirname, '../..')

export interface DemoParts {
  agents: AgentStore
  workflows: WorkflowService
  bases: KnowledgeService
  documents: DocumentService
  clock: Clock
}

/** Creates an agent for the first start that answers from the project's own documentation. */
export async function createDemo(parts: DemoParts, workspaceId: string): Promise<void> {
  const { workflows, bases, documents, agents, clock } = parts
  const base = await bases.create(workspaceId, {
    name: demo.knowledgeName,
    description: '本项目的文档，供示例智能体使用。The documentation of this project, for the demo agent.',
    embedding: null,
  })
  await documents.add(workspaceId, base.id, { fileIds: [], texts: await readDocs() })
  const text = JSON.stringify(demoGraph(base.id))
  await workflows.save(workspaceId, {
    id: demo.workflowId,
    name: '示例：查文档回答 Demo: answers from the docs',
    graph: { value: JSON.parse(text), text, depth: 0, pointer: '/workflow' },
    expected: 'anything',
  })
  await agents.add(workspaceId, demoAgent(base.id, clock.now()))
}

/** Lists of measurements and of tests, which answer no question of a user but mention every subject. */
const figures = new Set(['benchmarks.md', 'reliability.md'])

async function readDocs(): Promise<{ name: string; content: string }[]> {
  const folder = join(projectFolder, 'docs')
  const pages = (await readdir(folder)).filter(name => name.endsWith('.md') && !figures.has(name))
  const names = pages.map(name => join(folder, name))
  // Not the README: it quotes the questions that it suggests to ask first.
  const paths = [join(folder, 'reference', 'settings.md'), ...names]
  return Promise.all(
    paths.map(async path => ({ name: basename(path), content: await readFile(path, 'utf8') })),
  )
}

const demoAgent = (knowledgeId: string, now: number): Agent => ({
  id: demo.agentId,
  name: '榕树向导 Banyan guide',
  intro: '回答关于 Banyan 的问题。Answers questions about Banyan.',
  memory: {},
  learn: { [knowledgeId]: {} },
  config: {
    prologue: '你好！关于 Banyan 的问题都可以问我。Hello! Ask me anything about Banyan.',
    recommendation_question: [
      'Banyan 怎么备份？',
      '如何连接 PostgreSQL？',
      'How do I connect a language model?',
      'Which documents can a knowledge base read?',
    ],
    workflow_id: demo.workflowId,
  },
  access: 'public',
  allowedOrigins: [],
  createdAt: now,
  updatedAt: now,
})

const node = (id: string, type: string, data: Record<string, unknown>): GraphNode => ({
  id,
  type,
  data: { desc: '', ...data },
})

const edge = (from: string, to: string, chosen?: string) => ({
  source: { cell: from, port: sourcePort(from) },
  target: { cell: to, port: targetPort(to) },
  ...(chosen !== undefined && { data: { case: chosen } }),
})

/** Searches the knowledge base and lets a model answer from the passages, if one is configured. */
const demoGraph = (knowledgeId: string): Graph => ({
  nodes: [
    node('input', 'base', { type: 'input', title: '提问 Question' }),
    node('retrieve', 'tool', {
      type: 'knowledge_retrieval',
      title: '检索文档 Search the docs',
      query: '{{#sys.query#}}',
      knowledge_ids: [knowledgeId],
      top_k: 4,
    }),
    node('has_model', 'base', {
      type: 'condition',
      title: '有模型吗 Model configured?',
      cases: [{ id: 'yes', when: [{ left: '{{#sys.model#}}', op: 'not_empty' }] }, { id: 'no' }],
    }),
    node('answer', 'base', {
      type: 'llm',
      title: '回答 Answer',
      system_prompt:
        'You answer questions about Banyan, an agent platform, in the language of the question, briefly and only from the passages below. Cite them as [1]. If they do not hold the answer, say so.\n\n{{#retrieve.result#}}',
      prompt_template: '{{#sys.query#}}',
      history_turns: 5,
      '数据源/API工具': [],
    }),
    node('say', 'base', { type: 'output', title: '回复 Reply', answer: '{{#answer.text#}}' }),
    node('show', 'base', {
      type: 'output',
      title: '列出原文 Show the passages',
      answer:
        '{{#retrieve.result#}}\n\n---\n以上是文档中找到的原文。还没有配置模型：设置 MODEL_BASE_URL、MODEL_NAME（以及 MODEL_API_KEY）并重新启动，就会由模型来回答。\nThese are the passages that match. No model is configured yet: set MODEL_BASE_URL, MODEL_NAME (and MODEL_API_KEY) and restart to get answers from a model.',
    }),
    node('end', 'base', { type: 'end', title: '结束 End' }),
  ],
  edges: [
    edge('input', 'retrieve'),
    edge('retrieve', 'has_model'),
    edge('has_model', 'answer', 'yes'),
    edge('has_model', 'show', 'no'),
    edge('answer', 'say'),
    edge('say', 'end'),
    edge('show', 'end'),
  ],
})
