import type { AgentReferences } from '../agents/agent-references.ts'
import { AgentService } from '../agents/agent-service.ts'
import { ChatService } from '../conversations/chat-service.ts'
import { ConversationListener } from '../conversations/conversation-listener.ts'
import { ConversationService } from '../conversations/conversation-service.ts'
import { TurnWaiters } from '../conversations/turn-waiters.ts'
import type { FileService } from '../files/file-service.ts'
import { type LanguageModels, ModelNotConfigured } from '../models/language-model.ts'
import { nodeKinds } from '../nodes/registry.ts'
import { refuseGraph } from '../workflow/refuse-graph.ts'
import type { Runs } from '../workflow/run/runs.ts'
import { warnGraph } from '../workflow/warn-graph.ts'
import type { Chore } from './create-knowledge.ts'
import type { Adapters } from './runtime-parts.ts'

/** Whoever the runs of conversations work for; it is there before the runs are. */
export function createListener({ agentStore, conversationStore, clock }: Adapters, files: FileService) {
  const waiters = new TurnWaiters()
  const listener = new ConversationListener({
    store: conversationStore,
    agents: agentStore,
    files,
    waiters,
    clock,
  })
  return { listener, waiters }
}

/** The parts of agents and conversations, put together. */
export function createConversations(
  adapters: Adapters,
  around: {
    files: FileService
    models: LanguageModels
    runs: Runs
    waiters: TurnWaiters
    /** No other machine works on the same database. */
    isAlone: boolean
  },
) {
  const { clock, agentStore, conversationStore, workflowStore, knowledgeStore, transcriber } = adapters
  const references: AgentReferences = {
    hasWorkflow: async (workspaceId, id) => (await workflowStore.find(workspaceId, id)) !== undefined,
    missingKnowledge: async (workspaceId, ids) => {
      const found = await Promise.all(ids.map(id => knowledgeStore.find(workspaceId, id)))
      return ids.filter((_, index) => !found[index])
    },
    hasModel: (workspaceId, name) =>
      around.models.find(workspaceId, name).then(
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
  const conversations = new ConversationService(conversationStore, around.runs, clock)
  const chats = new ChatService({ store: conversationStore, clock, transcriber, ...around })
  const startedAt = clock.now()
  let isFirst = true
  const freeTurns = async (): Promise<void> => {
    // Whoever was about to start a run when this process began has died.
    const before = isFirst && around.isAlone ? { before: startedAt } : {}
    isFirst = false
    await chats.endInterrupted(before)
  }
  const chores = (signal: AbortSignal): Chore[] => [
    { name: 'sweep deleted conversations', seconds: 20, run: () => conversations.sweep(signal) },
    { name: 'free turns without a run', seconds: 20, run: freeTurns },
  ]
  return { agents, conversations, chats, chores }
}
