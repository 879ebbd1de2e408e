import { Readable } from 'node:stream'
import type { Agent, AgentChange } from '../../src/agents/agent.ts'
import { AgentService } from '../../src/agents/agent-service.ts'
import { AgentStore } from '../../src/agents/agent-store.ts'
import type { ChatParts, ChatRequest } from '../../src/conversations/chat-request.ts'
import { ChatService } from '../../src/conversations/chat-service.ts'
import type { ChatTurn } from '../../src/conversations/chat-turn.ts'
import type { Conversation, Message } from '../../src/conversations/conversation.ts'
import { ConversationListener } from '../../src/conversations/conversation-listener.ts'
import { ConversationService } from '../../src/conversations/conversation-service.ts'
import { ConversationStore } from '../../src/conversations/conversation-store.ts'
import { ConversationSweep } from '../../src/conversations/conversation-sweep.ts'
import type { TurnAnswer } from '../../src/conversations/turn-events.ts'
import { TurnLifecycle } from '../../src/conversations/turn-lifecycle.ts'
import { TurnStore } from '../../src/conversations/turn-store.ts'
import type { LocatedFile } from '../../src/files/file-store.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { type LanguageModels, ModelNotConfigured } from '../../src/models/language-model.ts'
import { localCluster } from '../support/local-cluster.ts'
import { openTestDatabase } from '../support/open-test-database.ts'
import { ScriptedRuns } from './scripted-runs.ts'

export const workspaceId = 'w'
const never = new AbortController().signal

/** No file belongs to a conversation. */
const notUsed = () => Promise.reject(new Error('not used'))
const noFiles = { remove: notUsed, store: { leaveConversation: notUsed } }

/** Files in memory, by workspace and id. */
class FakeFiles {
  readonly files = new Map<string, LocatedFile>()

  add(workspace: string, id: string, mimeType: string, name = `${id}.bin`): void {
    const file = {
      id,
      name,
      size: 3,
      mimeType,
      sha256: '',
      createdAt: 0,
      userId: '',
      conversationId: undefined,
      blobKey: id,
    }
    this.files.set(`${workspace} ${id}`, file)
  }

  async info(workspace: string, ids: string[]) {
    const items = ids.flatMap(id => this.files.get(`${workspace} ${id}`) ?? [])
    return { items, missing: ids.filter(id => !this.files.has(`${workspace} ${id}`)) }
  }

  async find(workspace: string, id: string): Promise<LocatedFile> {
    const file = this.files.get(`${workspace} ${id}`)
    if (!file) throw new AppError('not_found', 'There is no such file')
    return file
  }

  async read(file: LocatedFile): Promise<Readable> {
    return Readable.from([Buffer.from(file.id)])
  }
}

const text = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  dataType: 'text',
  content,
  fileIds: [],
  userId: undefined,
  chatId: undefined,
  messageId: undefined,
  timestamp: undefined,
  fingerprint: '',
  ...more,
})

export type ChatWorld = Awaited<ReturnType<typeof openChatWorld>>

/** Everything about conversations but the engine, which is scripted. */
export async function openChatWorld(more: Partial<ChatParts> = {}) {
  const opened = await openTestDatabase()
  const store = new ConversationStore(opened.database)
  const turns = new TurnStore(opened.database)
  const agentStore = new AgentStore(opened.database)
  const files = new FakeFiles()
  const time = { now: 1_700_000_000_000 }
  const clock = { now: () => time.now }
  const lifecycle = new TurnLifecycle(turns, clock, localCluster())
  const stores = { conversations: store, turns, lifecycle }
  const model = { name: 'scripted' }
  const models: LanguageModels = {
    defaultName: async () => model.name,
    find: async () => {
      throw new ModelNotConfigured('Set MODEL_BASE_URL')
    },
  }
  const listener = new ConversationListener({ ...stores, agents: agentStore, files, clock })
  const runs = new ScriptedRuns(listener)
  const parts: ChatParts = {
    ...stores,
    runs,
    models,
    files,
    clock,
    transcriber: async () => undefined,
    annotations: { match: async () => undefined, countHit: async () => {} },
    ...more,
  }
  const chats = new ChatService(parts)
  const conversations = new ConversationService(
    store,
    new ConversationSweep(opened.database),
    runs,
    noFiles,
    clock,
  )
  const nothingMissing = {
    ...{ hasWorkflow: async () => true, missingKnowledge: async () => [] },
    ...{ hasModel: async () => true, checkGraph: async () => [] },
  }
  const agents = new AgentService(agentStore, nothingMissing, clock)

  const agent = async (change: AgentChange = {}): Promise<Agent> =>
    (await agents.create(workspaceId, { name: 'Butler', ...change })).agent
  const talk = async (with_: Agent, userId = ''): Promise<Conversation> =>
    conversations.create(workspaceId, { agentId: with_.id, userId })
  const begin = async (
    conversation: Conversation,
    content: string,
    change: Partial<ChatRequest> = {},
    service = chats,
    signal = never,
    isAnonymous = false,
  ): Promise<ChatTurn> => {
    const target = {
      workspaceId,
      agent: await agents.get(workspaceId, conversation.agentId),
      conversation: await conversations.get(workspaceId, conversation.id),
      isAnonymous,
      admit: async () => {},
    }
    return service.chat(target, text(content, change), signal)
  }
  const say = async (...parameters: Parameters<typeof begin>): Promise<TurnAnswer> =>
    (await begin(...parameters)).answer(never)
  const read = async (conversation: Conversation, limit = 100, offset = 0): Promise<Message[]> => {
    const found = await conversations.get(workspaceId, conversation.id)
    const all: Message[] = []
    for await (const part of conversations.retrieve(workspaceId, found, { limit, offset })) all.push(...part)
    return all
  }

  return {
    ...{ store, turns, agentStore, files, time, model, models, listener, runs, parts, chats },
    ...{ conversations, agents, agent, talk, begin, say, read, never },
    close: () => opened.cleanup(),
  }
}

export const contents = (answer: TurnAnswer): string[] => answer.replies.map(({ content }) => content)
