import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { agentOperations } from '../../src/contract/agent-operations.ts'
import { conversationOperations } from '../../src/contract/conversation-operations.ts'
import { openaiOperations } from '../../src/contract/openai-operations.ts'
import { operations } from '../../src/contract/operations.ts'
import { patternMessages } from '../../src/contract/patterns.ts'
import { runOperations } from '../../src/contract/run-operations.ts'
import { secretOperations } from '../../src/contract/secret-operations.ts'
import { type Check, compileBody, compileQuery, findingsOf } from '../../src/http/validation.ts'

const messagesOf = (check: Check, value: object): Record<string, string> => {
  assert.equal(check(value), false)
  return Object.fromEntries(findingsOf(check.errors ?? []).map(({ path, message }) => [path, message]))
}

describe('the message of a refused field', () => {
  test('names what its pattern allows', () => {
    const origins = messagesOf(compileBody(agentOperations.create.body), {
      name: 'x',
      allowed_origins: ['x'],
    })
    assert.match(origins['/allowed_origins/0']!, /https:\/\/example\.com.*without a path/)
    const secret = messagesOf(compileBody(secretOperations.set.body), { name: '1', value: 'long enough' })
    assert.match(secret['/name']!, /starting with a letter/)
    const query = { agent_id: 'a', conversation_id: 'b', chat_id: 'c', version: '0' }
    const versions = messagesOf(compileQuery(conversationOperations.versions.query), query)
    assert.deepEqual(versions, { '/version': 'must be an integer >= 1' })
  })

  test('names every alternative', () => {
    const run = compileBody(runOperations.run.body)
    assert.deepEqual(messagesOf(run, { id: 'x', version: 'x' }), {
      '/version': 'must be an integer or "draft"',
    })
    assert.deepEqual(messagesOf(run, { id: 'x', inputs: { files: [5] } }), {
      '/inputs/files/0': 'must be a string or an object',
    })
    const feedback = compileBody(conversationOperations.feedback.body)
    const sent = { conversation_id: 'x', message_id: 'y', rating: 'z' }
    assert.deepEqual(messagesOf(feedback, sent), { '/rating': 'must be one of like, dislike or null' })
  })

  test('is that of the closest alternative', () => {
    const agent = compileBody(agentOperations.create.body)
    assert.deepEqual(messagesOf(agent, { name: 'x', config: { tools: { t: { version: 1 } } } }), {
      '/config/tools/t/version': 'must be a string',
    })
    const run = compileBody(runOperations.run.body)
    assert.deepEqual(messagesOf(run, { id: 'x', version: 0 }), { '/version': 'must be >= 1' })
    const chat = compileBody(openaiOperations.chatCompletions.body)
    const sent = { model: 'x', messages: [{ role: 'user', content: [{ type: 'poem' }] }] }
    const [path, ...others] = Object.keys(messagesOf(chat, sent))
    assert.deepEqual([path, others], ['/messages/0/content/0/type', []])
  })

  test('names a key that is wrong', () => {
    const agent = compileBody(agentOperations.create.body)
    assert.deepEqual(messagesOf(agent, { name: 'x', learn: { 知识库: {} } }), {
      '/learn/知识库': 'has an invalid name, which must be 1 to 64 letters, digits, _ or -',
    })
    const long = messagesOf(agent, { name: 'x', config: { tools: { ['t'.repeat(1e6)]: {} } } })
    assert.deepEqual(long, {
      [`/config/tools/${'t'.repeat(100)}`]:
        'has an invalid name, which must NOT have more than 64 characters',
    })
  })

  test('exists for every pattern of the API', () => {
    const patterns = JSON.stringify(operations, (key, value) => (key === 'pattern' ? { is: value } : value))
    const found = [...patterns.matchAll(/"pattern":\{"is":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
      JSON.parse(json!),
    )
    assert.ok(found.length > 0)
    for (const pattern of new Set(found)) assert.ok(patternMessages[pattern], pattern)
  })
})
