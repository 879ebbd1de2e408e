import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { shownScore } from '../agents/agent-graph.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import { demo } from '../contract/demo.ts'
import type { Clock } from '../kernel/clock.ts'
import type { DocumentService } from '../knowledge/document-service.ts'
import type { KnowledgeService } from '../knowledge/knowledge-service.ts'
import { edge, type Graph, type GraphNode } from '../workflow/graph.ts'
import type { WorkflowService } from '../workflow/workflow-service.ts'
import { type DemoLanguage, type DemoTexts, demoTexts } from './demo-texts.ts'

const projectFolder = join(import.meta.dirname, '../..')

interface DemoParts {
  agents: AgentStore
  workflows: WorkflowService
  bases: KnowledgeService
  documents: DocumentService
  clock: Clock
}

/** Creates an agent for the first start that answers from the project's own documentation. Returns its knowledge base. */
export async function createDemo(
  parts: DemoParts,
  workspaceId: string,
  language: DemoLanguage,
): Promise<string> {
  const texts = demoTexts[language]
  const { workflows, bases, documents, agents, clock } = parts
  const base = await bases.create(workspaceId, {
    name: demo.knowledgeName[language],
    description: texts.knowledgeDescription,
    embedding: null,
  })
  await documents.add(workspaceId, base.id, { fileIds: [], texts: await readDocs() })
  const text = JSON.stringify(demoGraph(base.id, texts.titles))
  await workflows.save(workspaceId, {
    id: demo.workflowId,
    name: texts.workflowName,
    graph: { value: JSON.parse(text), text, depth: 0, pointer: '/workflow' },
    expected: 'anything',
  })
  await agents.add(workspaceId, demoAgent(base.id, clock.now(), texts))
  return base.id
}

/** Without a model: two or three short quotes with their sources, and how to connect a model. */
const quoteCode = `function main({ query, items }) {
  const isChinese = /[\\u4e00-\\u9fff]/.test(query)
  const plain = text => text.replace(/\`\`\`[^]*?(\`\`\`|$)/g, ' ').replace(/^[#>|\\s-]+/gm, '').replace(/[*\`|]/g, '').replace(/\\s+/g, ' ').trim()
  const short = text => text.length <= 220 ? text : text.slice(0, 220).replace(/[\\s,，、]+\\S{0,12}$/, '') + '…'
  const bodyOf = (heading, content) => {
    const title = (heading || '').split(' › ').at(-1)
    return title && content.startsWith(title) ? content.slice(title.length) : content
  }
  const quotes = items.filter(item => item.score >= ${shownScore}).slice(0, 3)
    .map(({ index, file_name, heading, content }) => '> ' + (short(plain(bodyOf(heading, content))) || '…') + '\\n>\\n> [' + index + '] ' + file_name + (heading ? ' › ' + heading : ''))
  const found = isChinese ? '文档中最相关的内容：' : 'The most relevant passages of the documentation:'
  const none = isChinese ? '文档中没有找到与问题相关的内容，请换一种说法。' : 'The documentation contains nothing relevant to the question. Try other words.'
  const how = isChinese
    ? '目前还没有接入语言模型，所以只列出原文。在控制台的“模型”页接入一个模型后，这里就会直接回答问题。'
    : 'No language model is connected yet, so there are only quotes. Connect one on the Models page of the console to get answers.'
  return { text: [quotes.length > 0 ? found : none, ...quotes, how].join('\\n\\n') }
}`

/** Pages for contributors, and lists of measurements and of tests: they mention every subject but help no user. */
const notForUsers = new Set(['architecture.md', 'benchmarks.md', 'reliability.md'])

async function readDocs(): Promise<{ name: string; content: string }[]> {
  const folder = join(projectFolder, 'docs')
  const pages = (await readdir(folder)).filter(name => name.endsWith('.md') && !notForUsers.has(name))
  const names = pages.map(name => join(folder, name))
  // Not the README: it quotes the questions that it suggests to ask first.
  const paths = [join(folder, 'reference', 'settings.md'), ...names]
  return Promise.all(
    paths.map(async path => ({ name: basename(path), content: await readFile(path, 'utf8') })),
  )
}

const demoAgent = (knowledgeId: string, now: number, texts: DemoTexts): Agent => ({
  id: demo.agentId,
  name: texts.agentName,
  intro: texts.intro,
  memory: {},
  learn: { [knowledgeId]: {} },
  config: {
    avatar: { emoji: '🌳', color: 'green' },
    prologue: texts.prologue,
    recommendation_question: [...texts.questions],
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

/** Searches the knowledge base and lets a model answer from the passages, if one is configured. */
const demoGraph = (knowledgeId: string, titles: DemoTexts['titles']): Graph => ({
  nodes: [
    node('input', 'base', { type: 'input', title: titles.input }),
    node('retrieve', 'tool', {
      type: 'knowledge_retrieval',
      title: titles.retrieve,
      query: '{{#sys.query#}}',
      knowledge_ids: [knowledgeId],
      top_k: 4,
    }),
    node('has_model', 'base', {
      type: 'condition',
      title: titles.hasModel,
      cases: [{ id: 'yes', when: [{ left: '{{#sys.model#}}', op: 'not_empty' }] }, { id: 'no' }],
    }),
    node('answer', 'base', {
      type: 'llm',
      title: titles.answer,
      system_prompt:
        'You answer questions about Banyan, an agent platform, in the language of the question, briefly and only from the passages below. Cite them as [1]. If they do not hold the answer, say so.\n\n{{#retrieve.result#}}',
      prompt_template: '{{#sys.query#}}',
      history_turns: 5,
      '数据源/API工具': [],
    }),
    node('say', 'base', { type: 'output', title: titles.say, answer: '{{#answer.text#}}' }),
    node('quote', 'tool', {
      type: 'code',
      title: titles.quote,
      language: 'javascript',
      code: quoteCode,
      inputs: { query: '{{#sys.query#}}', items: '{{#retrieve.items#}}' },
    }),
    node('show', 'base', {
      type: 'output',
      title: titles.show,
      answer: '{{#quote.text#}}',
    }),
    node('end', 'base', { type: 'end', title: titles.end }),
  ],
  edges: [
    edge('input', 'retrieve'),
    edge('retrieve', 'has_model'),
    edge('has_model', 'answer', 'yes'),
    edge('has_model', 'quote', 'no'),
    edge('quote', 'show'),
    edge('answer', 'say'),
    edge('say', 'end'),
    edge('show', 'end'),
  ],
})
