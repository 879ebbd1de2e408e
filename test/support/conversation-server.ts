import { pino } from 'pino'
import { AccessService } from '../../src/access/access-service.ts'
import { AccessStore } from '../../src/access/access-store.ts'
import { AgentService } from '../../src/agents/agent-service.ts'
import { AgentStore } from '../../src/agents/agent-store.ts'
import { Metrics } from '../../src/app/metrics.ts'
import { AuditLog } from '../../src/audit/audit-log.ts'
import { AuditStore } from '../../src/audit/audit-store.ts'
import { ChatService } from '../../src/conversations/chat-service.ts'
import { ConversationListener } from '../../src/conversations/conversation-listener.ts'
import { ConversationService } from '../../src/conversations/conversation-service.ts'
import { ConversationStore } from '../../src/conversations/conversation-store.ts'
import { ConversationSweep } from '../../src/conversations/conversation-sweep.ts'
import { TurnLifecycle } from '../../src/conversations/turn-lifecycle.ts'
import { TurnStore } from '../../src/conversations/turn-store.ts'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import type { BlobStore } from '../../src/files/blob-store.ts'
import { FileService } from '../../src/files/file-service.ts'
import { FileStore } from '../../src/files/file-store.ts'
import { RequestLimiter } from '../../src/http/request-limiter.ts'
import { accessRoutes } from '../../src/http/routes/access-routes.ts'
import { agentRoutes } from '../../src/http/routes/agent-routes.ts'
import { conversationRoutes } from '../../src/http/routes/conversation-routes.ts'
import { createServer } from '../../src/http/server.ts'
import { IdempotencyService } from '../../src/idempotency/idempotency-service.ts'
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.ts'
import { systemClock as clock } from '../../src/kernel/clock.ts'
import { atOnce } from '../../src/kernel/slices.ts'
import { fileUses } from '../../src/knowledge/document-store.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import type { Graph } from '../../src/workflow/graph.ts'
import { warnGraph } from '../../src/workflow/warn-graph.ts'
import { ScriptedRuns } from '../conversations/scripted-runs.ts'
import { apiClient } from './api-client.ts'
import { localCluster } from './local-cluster.ts'
import { openTestDatabase } from './open-test-database.ts'
import { unlimited } from './unlimited.ts'

const operatorToken = 'operator-token-of-the-tests'

/** A server with agents and conversations whose runs are scripted by the test. */
export async function startConversationServer() {
  const opened = await openTestDatabase()
  const database = new AmbientDatabase(opened.database)
  const access = new AccessService(new AccessStore(database), clock, () => database.generation())
  const store = new ConversationStore(database)
  const turns = new TurnStore(database)
  const agentStore = new AgentStore(database)
  const files = new FileService(new FileStore(database, fileUses), {} as BlobStore, clock, 1)
  const stores = { conversations: store, turns, lifecycle: new TurnLifecycle(turns, clock, localCluster()) }
  const listener = new ConversationListener({ ...stores, agents: agentStore, files, clock })
  const runs = new ScriptedRuns(listener)
  const models = {
    defaultName: async () => 'scripted',
    find: () => Promise.reject(new Error('not used')),
  }
  const chats = new ChatService({
    ...{ ...stores, runs, models, files, clock, transcriber: async () => undefined },
    turnWaitMilliseconds: 50,
    annotations: { match: async () => undefined, countHit: async () => {} },
  })
  const conversations = new ConversationService(store, new ConversationSweep(database), runs, files, clock)
  const references = {
    hasWorkflow: async (_: string, id: string) => id !== 'wf_nope',
    missingKnowledge: async (_: string, ids: readonly string[]) => ids.filter(id => id === 'kb_nope'),
    hasModel: async (_: string, name: string) => name !== 'nope',
    checkGraph: async (_: string, graph: Graph) => atOnce(warnGraph(graph, nodeKinds, '')),
  }
  const agents = new AgentService(agentStore, references, clock)
  const parts = {
    ...{
      access,
      metrics: new Metrics(),
      limiter: new RequestLimiter({}, clock),
      log: pino({ level: 'silent' }),
      writeLog: undefined,
    },
    idempotency: new IdempotencyService(new IdempotencyStore(database), clock),
    audit: new AuditLog(new AuditStore(database), database, clock),
  }
  const server = createServer(parts, [
    ...agentRoutes(agents),
    ...conversationRoutes({
      ...{ agents, conversations, chats, access, quotas: unlimited(database) },
      files: { store: { documentsAmong: async () => new Set() } },
    }),
    ...accessRoutes(access, { abandonWorkspace: async () => {} }),
  ])
  await access.bootstrap(operatorToken, true)
  const base = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    base,
    runs,
    store,
    turns,
    conversations,
    token: operatorToken,
    api: apiClient(base, operatorToken),
    /** Shuts down as a stopping server does, and keeps the database. */
    close: () => server.close(),
    stop: async () => {
      await server.close()
      await opened.cleanup()
    },
  }
}

export type ConversationServer = Awaited<ReturnType<typeof startConversationServer>>
