import { AgentService } from '../agents/agent-service.ts'
import type { AgentReferences } from '../agents/warn-agent.ts'
import { ChatService } from '../conversations/chat-service.ts'
import { ConversationListener } from '../conversations/conversation-listener.ts'
import { ConversationService } from '../conversations/conversation-service.ts'
import { TurnLifecycle } from '../conversations/turn-lifecycle.ts'
import type { FileService } from '../files/file-service.ts'
import { type LanguageModels, ModelNotConfigured } from '../models/language-model.ts'
import { nodeKinds } from '../nodes/registry.ts'
import { refuseGraph } from '../workflow/refuse-graph.ts'
import type { Runs } from '../workflow/run/runs.ts'
import { warnGraph } from '../workflow/warn-graph.ts'
import type { Chore } from './create-knowledge.ts'
import type { Adapters } from './runtime-parts.ts'

/** The part of conversations below the runs: it stores what runs report, and never calls them. */
export function createTurns(adapters: Adapters, files: FileService) {
  const { agentStore, conversationStore, turnStore, clock } = adapters
  const lifecycle = new TurnLifecycle(turnStore, clock)
  const listener = new ConversationListener({
    conversations: conversationStore,
    turns: turnStore,
    lifecycle,
    agents: agentStore,
    files,
    clock,
  })
  return { lifecycle, listener }
}

interface ConversationDependencies {
  files: FileService
  models: LanguageModels
  runs: Runs
  lifecycle: TurnLifecycle
  /** No other process uses the database. */
  isAlone: boolean
}

/** Agents, and the part of conversations above the runs, which starts and reads them. */
export function createConversations(adapters: Adapters, dependencies: ConversationDependencies) {
  const { clock, agentStore, conversationStore, turnStore, workflowStore, knowledgeStore, transcriber } =
    adapters
  const { models, runs, isAlone } = dependencies
  const references: AgentReferences = {
    hasWorkflow: async (workspaceId, id) => (await workflowStore.find(workspaceId, id)) !== undefined,
    missingKnowledge: async (workspaceId, ids) => {
      const found = await Promise.all(ids.map(id => knowledgeStore.find(workspaceId, id)))
      return ids.filter((_, index) => !found[index])
    },
    hasModel: (workspaceId, name) =>
      models.find(workspaceId, name).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ModelNotConfigured) return false
          throw error
        },
      ),
    checkGraph: graph => {
      const refused = refuseGraph(graph, nodeKinds, '')
      return refused.length > 0 ? refused : warnGraph(graph, nodeKinds, '')
    },
  }
  const agents = new AgentService(agentStore, references, clock)
  const conversations = new ConversationService(conversationStore, runs, clock)
  const stores = { conversations: conversationStore, turns: turnStore }
  const chats = new ChatService({ ...stores, clock, transcriber, ...dependencies })
  const startedAt = clock.now()
  let isFirst = true
  const freeTurns = async (): Promise<void> => {
    // A process that was starting a run before this one began has crashed.
    const before = isFirst && isAlone ? { before: startedAt } : {}
    isFirst = false
    await chats.endInterrupted(before)
  }
  const chores = (signal: AbortSignal): Chore[] => [
    { name: 'sweep deleted conversations', seconds: 20, run: () => conversations.sweep(signal) },
    { name: 'free turns without a run', seconds: 20, run: freeTurns },
  ]
  return { agents, conversations, chats, chores }
}
