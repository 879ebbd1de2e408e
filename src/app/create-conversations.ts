import { AgentService } from '../agents/agent-service.ts'
import type { AgentReferences } from '../agents/warn-agent.ts'
import { Annotations } from '../conversations/annotations.ts'
import type { ChatParts } from '../conversations/chat-request.ts'
import { ChatService } from '../conversations/chat-service.ts'
import { ConversationListener } from '../conversations/conversation-listener.ts'
import { ConversationService } from '../conversations/conversation-service.ts'
import { TurnLifecycle } from '../conversations/turn-lifecycle.ts'
import type { FileService } from '../files/file-service.ts'
import { textTerms } from '../knowledge/text/text-terms.ts'
import { isConfigured } from '../models/language-model.ts'
import type { WorkflowService } from '../workflow/workflow-service.ts'
import type { Adapters } from './adapters.ts'
import { every } from './background-jobs.ts'

/** The part of conversations below the runs: it stores what runs report, and never calls them. */
export function createTurns(adapters: Adapters, files: FileService) {
  const { stores, clock, cluster } = adapters
  const { agents, conversations, turns } = stores
  const lifecycle = new TurnLifecycle(turns, clock, cluster)
  const listener = new ConversationListener({ conversations, turns, lifecycle, agents, files, clock })
  return { lifecycle, listener }
}

/** Agents, and the part of conversations above the runs. */
export function createConversations(
  { clock, cluster, stores }: Adapters,
  dependencies: Pick<ChatParts, 'models' | 'transcriber' | 'runs' | 'lifecycle' | 'smallModel'> & {
    files: FileService
  },
  workflows: WorkflowService,
) {
  const { models, runs, files } = dependencies
  const references: AgentReferences = {
    hasWorkflow: async (workspaceId, id) => (await stores.workflows.find(workspaceId, id)) !== undefined,
    missingKnowledge: (workspaceId, ids) => stores.bases.missing(workspaceId, ids),
    hasModel: (workspaceId, name) => isConfigured(models, workspaceId, name),
    checkGraph: async (workspaceId, graph) => {
      const sent = { value: graph, text: JSON.stringify(graph), depth: 0, pointer: '' }
      const { errors, warnings } = await workflows.check(workspaceId, sent)
      return errors.length > 0 ? errors : warnings
    },
  }
  const agents = new AgentService(stores.agents, references, clock)
  const conversations = new ConversationService(
    stores.conversations,
    stores.conversationSweep,
    runs,
    files,
    clock,
  )
  const { conversations: store, turns } = stores
  const annotations = new Annotations({
    ...{ store: stores.annotations, clock, terms: textTerms },
    hasAgent: async (workspaceId, id) => (await stores.agents.find(workspaceId, id)) !== undefined,
  })
  const chats = new ChatService({
    annotations,
    conversations: store,
    turns,
    clock,
    ...dependencies,
  })
  // A process that was starting a run before this one began has crashed.
  let before = cluster.isAlone ? clock.now() : undefined
  const freeTurns = async (): Promise<void> => {
    const crashed = { before }
    before = undefined
    await chats.endInterrupted(crashed)
  }
  const jobs = [
    every(20, 'sweep deleted conversations', signal => conversations.sweep(signal)),
    every(20, 'free turns without a run', freeTurns),
  ]
  return { agents, conversations, annotations, chats, jobs }
}
