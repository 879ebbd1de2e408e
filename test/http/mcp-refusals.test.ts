import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TokenRecord } from '../../src/access/access-store.ts'
import { agentOperations } from '../../src/contract/agent-operations.ts'
import { conversationOperations } from '../../src/contract/conversation-operations.ts'
import { type InternalCall, InternalCallFailure } from '../../src/http/mcp/internal-call.ts'
import { ownTools } from '../../src/http/mcp/mcp-tools.ts'

test('a refused first message is reported, also if its conversation cannot be removed', async () => {
  const call: InternalCall = async operation => {
    if (operation === agentOperations.gets)
      return { agents: { agent_a: { exist: true, data: { id: 'agent_a', name: 'A' } } } }
    if (operation === conversationOperations.create) return { conversation_id: 'conv_a' }
    if (operation === conversationOperations.chat)
      throw new InternalCallFailure('rate_limited', 'too many turns')
    throw new InternalCallFailure('unavailable', 'the database does not answer')
  }
  const token = { role: 'runner', agentIds: ['agent_a'] } as unknown as TokenRecord
  const [ask] = await ownTools(call, token, 'http://here')
  await assert.rejects(async () => ask!.run({ message: 'hi' }), /too many turns/)
})
