import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import { demo } from '../contract/demo.ts'
import type { Clock } from '../kernel/clock.ts'
import type { DocumentService } from '../knowledge/document-service.ts'
import type { KnowledgeService } from '../knowledge/knowledge-service.ts'
import type { WorkflowService } from '../workflow/workflow-service.ts'
import { demoGraph } from './demo-graph.ts'

const projectFolder = join(import.meta.dirname, '../..')

export interface DemoParts {
  agents: AgentStore
  workflows: WorkflowService
  bases: KnowledgeService
  documents: DocumentService
  clock: Clock
}

/** Something to talk to from the first moment: an agent that knows the project's own documentation. */
export async function makeDemo(parts: DemoParts, workspaceId: string): Promise<void> {
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

async function readDocs(): Promise<{ name: string; content: string }[]> {
  const folder = join(projectFolder, 'docs')
  const pages = (await readdir(folder)).filter(name => name.endsWith('.md') && name !== 'benchmarks.md')
  const names = pages.map(name => join(folder, name))
  // Not the README: it quotes the very questions that it tells people to ask first.
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
  createdAt: now,
  updatedAt: now,
})
