import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AgentStore } from '../../src/agents/agent-store.ts'
import { ConversationService } from '../../src/conversations/conversation-service.ts'
import { ConversationStore } from '../../src/conversations/conversation-store.ts'
import { ConversationSweep } from '../../src/conversations/conversation-sweep.ts'
import type { BlobStore } from '../../src/files/blob-store.ts'
import { FileService } from '../../src/files/file-service.ts'
import { FileStore, type FileUses } from '../../src/files/file-store.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

const workspaceId = 'w'
let opened: Awaited<ReturnType<typeof openTestDatabase>>
let files: FileService
let agents: AgentStore
let conversations: ConversationService
let sweep: ConversationSweep
const removedBlobs: string[] = []
/** Files that documents of knowledge bases were made from. */
const used = new Set<string>()
const uses: FileUses = {
  find: async (_transaction, _workspaceId, ids) =>
    ids.filter(id => used.has(id)).map(fileId => ({ fileId, knowledgeId: 'kb' })),
  lock: async () => [],
  remove: async (_transaction, _workspaceId, removed) => removed.map(({ fileId }) => used.delete(fileId)),
}

before(async () => {
  opened = await openTestDatabase()
  const blobs = { remove: async (key: string) => void removedBlobs.push(key) } as unknown as BlobStore
  files = new FileService(new FileStore(opened.database, uses), blobs, clock, 1)
  agents = new AgentStore(opened.database)
  const runs = { stop: () => Promise.reject(new Error('no run')) }
  sweep = new ConversationSweep(opened.database)
  conversations = new ConversationService(new ConversationStore(opened.database), sweep, runs, files, clock)
})
after(() => opened.cleanup())

async function talk(agentId: string): Promise<string> {
  const rest = {
    intro: '',
    memory: {},
    learn: {},
    config: {},
    allowedOrigins: [],
    createdAt: 1,
    updatedAt: 1,
  }
  await agents.add(workspaceId, { id: agentId, name: agentId, access: 'public', ...rest })
  return (await conversations.create(workspaceId, { agentId })).id
}

const add = async (name: string, conversationId?: string): Promise<string> => {
  const blob = { key: name, size: 1, sha256: name, head: Buffer.from('x') }
  return (await files.add(workspaceId, name, blob, { conversationId })).id
}

const exists = async (id: string): Promise<boolean> => (await files.store.find(workspaceId, id)) !== undefined

test('files that were uploaded in a conversation are deleted with it, and with its agent', async () => {
  const [kept, first, second] = [await talk('kept'), await talk('first'), await talk('second')]
  const ids = await Promise.all([
    ...[add('workspace'), add('kept', kept), add('a', first), add('b', first), add('c', second)],
  ])
  await conversations.remove(workspaceId, first)
  await agents.remove(workspaceId, 'second', 1)
  await conversations.sweep(AbortSignal.timeout(60_000))
  assert.deepEqual(await Promise.all(ids.map(exists)), [true, true, false, false, false])
  assert.deepEqual(removedBlobs.sort(), ['a', 'b', 'c'])
  assert.equal((await sweep.sweep()).isMore, false)
  assert.equal(await files.store.bytesOfConversations(workspaceId), 1)
})

test('a file that an editor made a document from stays when its conversation is deleted', async () => {
  const conversation = await talk('editors')
  const [document, other] = await Promise.all([add('document', conversation), add('other', conversation)])
  used.add(document)
  await conversations.remove(workspaceId, conversation)
  await conversations.sweep(AbortSignal.timeout(60_000))
  assert.deepEqual([await exists(document), await exists(other), used.has(document)], [true, false, true])
  assert.equal((await files.find(workspaceId, document)).conversationId, undefined)
})
