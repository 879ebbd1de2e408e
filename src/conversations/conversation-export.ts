import type { Agent } from '../agents/agent.ts'
import { limits } from '../contract/limits.ts'
import { everyItem } from '../contract/paging.ts'
import { isoTime } from '../kernel/clock.ts'
import { csvRow } from '../kernel/csv.ts'
import { nextTurn } from '../kernel/pause.ts'
import type { Conversation, Message } from './conversation.ts'
import type { ConversationService } from './conversation-service.ts'
import type { ConversationFilter } from './conversation-store.ts'

type Conversations = Pick<ConversationService, 'store' | 'retrieve' | 'now'>

/** Clocks of replicas may differ by so much. */
const clockTolerance = 60_000

/** A message as a line of an export, in the order of the columns. */
const lineOf = (conversation: Conversation, message: Message) => ({
  conversation_id: conversation.id,
  conversation_name: conversation.name,
  conversation_updated_at: isoTime(conversation.updatedAt),
  agent_id: conversation.agentId,
  user_id: conversation.userId,
  ...messageLine(message),
})

const messageLine = ({ role, annotationId, turnStatus, ...message }: Message) => ({
  message_id: message.id,
  chat_id: message.chatId,
  run_id: message.runId ?? '',
  time: isoTime(message.at),
  role: role === 0 ? 'user' : 'agent',
  data_type: message.dataType,
  content: message.content,
  file_list: message.fileIds,
  rating: message.rating ?? '',
  comment: message.comment ?? '',
  annotation_id: annotationId ?? '',
  stopped: role === 1 && turnStatus === 'stopped',
})

const columns = [
  ...['conversation_id', 'conversation_name', 'conversation_updated_at', 'agent_id', 'user_id', 'message_id'],
  ...['chat_id', 'run_id', 'time', 'role', 'data_type', 'content', 'file_list', 'rating', 'comment'],
  ...['annotation_id', 'stopped'],
]

const csvLine = (line: ReturnType<typeof lineOf>): string =>
  csvRow(Object.values(line).map(cell => (Array.isArray(cell) ? cell.join(' ') : String(cell))))

/** Messages with their run and rating, oldest first, in batches of limited length. */
const batchesOf = (conversations: Conversations, workspaceId: string, conversation: Conversation) =>
  conversations.retrieve(workspaceId, conversation, {
    ...{ limit: conversation.messageCount, offset: 0, withDetails: true },
  })

/** A line per message of the conversations of a filter, in pieces: neither conversations nor messages are all in memory. */
export async function* exportConversations(
  conversations: Conversations,
  workspaceId: string,
  filter: ConversationFilter,
  format: 'csv' | 'jsonl',
): AsyncGenerator<string> {
  const write = format === 'csv' ? csvLine : (line: object) => `${JSON.stringify(line)}\n`
  if (format === 'csv') yield csvRow(columns)
  for await (const conversation of conversationsOf(conversations, workspaceId, filter))
    for await (const batch of batchesOf(conversations, workspaceId, conversation)) {
      yield batch.map(message => write(lineOf(conversation, message))).join('')
      // A client that reads fast must not block all others.
      await nextTurn()
    }
}

/** One that gets a message meanwhile moves past the pages that were read, so the newest are listed again at the end. */
async function* conversationsOf(
  { store, now }: Conversations,
  workspaceId: string,
  filter: ConversationFilter,
): AsyncGenerator<Conversation> {
  const startedAt = now()
  const seen = new Set<string>()
  for (const from of [undefined, startedAt - clockTolerance]) {
    const narrowed = from === undefined ? filter : { ...filter, from: Math.max(from, filter.from ?? from) }
    for await (const conversation of everyItem(page => store.list(workspaceId, narrowed, page))) {
      if (seen.has(conversation.id)) continue
      if (seen.size === limits.exportedConversations) return
      seen.add(conversation.id)
      yield conversation
    }
  }
}

type ExportFormat = 'csv' | 'jsonl' | 'json' | 'markdown'

/** The messages of one conversation, in pieces. */
export async function* exportOne(
  conversations: Conversations,
  workspaceId: string,
  conversation: Conversation,
  { format, agent }: { format: ExportFormat; agent: Agent },
): AsyncGenerator<string> {
  const { head, write, tail = '' } = writerOf(format, conversation, agent)
  yield head
  let index = 0
  for await (const batch of batchesOf(conversations, workspaceId, conversation))
    yield batch.map(message => write(message, index++)).join('')
  yield tail
}

interface ConversationWriter {
  head: string
  write(message: Message, index: number): string
  tail?: string
}

function writerOf(format: ExportFormat, conversation: Conversation, agent: Agent): ConversationWriter {
  const { id, name, agentId, userId, createdAt, updatedAt } = conversation
  switch (format) {
    case 'csv':
      return { head: csvRow(columns), write: message => csvLine(lineOf(conversation, message)) }
    case 'jsonl':
      return { head: '', write: message => `${JSON.stringify(lineOf(conversation, message))}\n` }
    case 'json': {
      const fields = { conversation_id: id, name, agent_id: agentId, agent_name: agent.name, user_id: userId }
      const times = { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) }
      return {
        head: `${JSON.stringify({ ...fields, ...times }).slice(0, -1)},"messages":[`,
        write: (message, index) => `${index > 0 ? ',' : ''}\n${JSON.stringify(messageLine(message))}`,
        tail: '\n]}\n',
      }
    }
    case 'markdown':
      return {
        head: `# ${inLine(name || id)}\n\n${inLine(agent.name)} · ${id} · ${isoTime(createdAt)}\n`,
        write: message => markdownOf(message, message.role === 0 ? userId || 'user' : agent.name),
      }
  }
}

/** Escapes a name, which must not start a heading, a list or a new line. */
const inLine = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&')

/** Messages are Markdown themselves, so they are separated by lines and not by headings. */
function markdownOf(message: Message, sender: string): string {
  const { content, fileIds, dataType, rating, at } = message
  const marks = [isoTime(at), ...(rating === undefined ? [] : [rating])].join(' · ')
  const text = dataType === 'action' ? `\`\`\`json\n${content}\n\`\`\`` : content
  const files = fileIds.map(id => `- ${dataType}: ${id}`).join('\n')
  const body = [text, files].filter(Boolean).join('\n\n')
  return `\n---\n\n**${inLine(sender)}** · ${marks}\n\n${body}\n`
}
