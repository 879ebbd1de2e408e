import assert from 'node:assert/strict'
import test from 'node:test'
import { agent } from '../../src/nodes/agent.ts'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import { waitForChildren } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'
import { lastWords, onlyModel, scriptedLanguageModel, systemOf } from '../support/scripted-language-model.ts'

const weather = { type: 'http', name: 'weather', method: 'GET', url: 'https://api.test/{city}' }
const http: NodeServices['http'] = {
  request: async () => ({ status: 200, headers: {}, text: 'sunny' }),
}
const callOf = (city: string) => ({ id: 'c1', name: 'weather', arguments: JSON.stringify({ city }) })

test('a described agent answers its own message with persona, knowledge and tools, and lists its steps', async () => {
  const model = scriptedLanguageModel((_, count) =>
    count === 1 ? { toolCalls: [callOf('Rome')] } : { text: 'Sunny [1].' },
  )
  const queries: string[] = []
  const searchKnowledge = async (_: string, id: string, { query }: { query: string }) => {
    queries.push(`${id}: ${query}`)
    return { items: [] } as never
  }
  const step = fakeStep({
    values: { 'a.text': 'Is it sunny?', 'a.bases': ['kb_2'] },
    system: { query: 'other' },
  })
  const outputs = await outputsOf(
    agent,
    step,
    {
      query: '{{#a.text#}}',
      persona: 'You are terse. Asked: {{#sys.query#}}',
      tools: [weather],
      knowledge_ids: ['kb_1', '{{#a.bases#}}'],
    },
    { ...onlyModel(model), http, searchKnowledge },
  )
  assert.equal(lastWords(model.requests[0]!), 'Is it sunny?')
  assert.match(systemOf(model.requests[0]!), /You are terse. Asked: other/)
  assert.deepEqual(queries, ['kb_1: Is it sunny?', 'kb_2: Is it sunny?'])
  assert.equal(outputs['text'], 'Sunny [1].')
  assert.deepEqual(outputs['steps'], [{ tool: 'weather', arguments: { city: 'Rome' }, result: 'sunny' }])
  assert.equal(step.pieces.join(''), 'Sunny [1].')
})

test('max_rounds limits the calls of tools: then the model must answer', async () => {
  const model = scriptedLanguageModel(({ tools }) =>
    tools ? { toolCalls: [callOf('Rome')] } : { text: 'enough' },
  )
  const outputs = await outputsOf(
    agent,
    fakeStep(),
    { query: 'q', persona: 'p', tools: [weather], max_rounds: 2 },
    { ...onlyModel(model), http },
  )
  assert.equal(model.requests.length, 3)
  assert.equal((outputs['steps'] as unknown[]).length, 2)
  assert.equal(outputs['text'], 'enough')
})

test('an existing agent answers with its own settings, which are the same after a crash', async () => {
  const model = scriptedLanguageModel()
  let found = 0
  const findAgent: NodeServices['findAgent'] = async (workspaceId, id) => {
    found += 1
    assert.deepEqual([workspaceId, id], ['ws_1', 'agent_1'])
    return { settings: { system_prompt: 'You are Ada.', history_turns: 1, '数据源/API工具': [] } }
  }
  const history = ['one', 'two'].flatMap(content => [
    { role: 'user' as const, content },
    { role: 'assistant' as const, content: `to ${content}` },
  ])
  const step = fakeStep({ system: { history } })
  const services = { ...onlyModel(model), findAgent }
  const outputs = await outputsOf(agent, step, { agent_id: 'agent_1', query: 'Who?' }, services)
  assert.equal(outputs['text'], 'echo: Who?')
  assert.match(systemOf(model.requests[0]!), /You are Ada/)
  assert.equal(model.requests[0]!.messages.length, 4)
  const again = fakeStep({ journal: step.journal })
  await outputsOf(agent, again, { agent_id: 'agent_1', query: 'Who?' }, services)
  assert.deepEqual([found, model.requests.length], [1, 1])
})

test('an agent that is bound to a workflow runs it, and waits with it', async () => {
  const findAgent = async () => ({ workflowId: 'wf_1' })
  const files = [{ file_id: 'file_1', name: 'a.txt', mime_type: 'text/plain', size: 3 }]
  const runWorkflow = () => ({ status: 'succeeded', outputs: { x: 1 }, answer: 'done' }) as const
  const step = fakeStep({ system: { files }, runWorkflow })
  const data = { agent_id: 'a', query: 'go', inputs: { city: '{{#sys.user_id#}}' } }
  const outputs = await outputsOf(agent, step, data, { findAgent })
  assert.deepEqual([outputs['text'], outputs['steps']], ['done', []])
  assert.deepEqual(step.calls, [
    {
      name: 'agent',
      workflowId: 'wf_1',
      inputs: { city: 'user-1', query: 'go', files },
      sendsMessages: false,
    },
  ])
  const asking = fakeStep({ runWorkflow: () => ({ status: 'waiting' }) })
  const outcome = await runKind(agent, asking, { agent_id: 'a', query: 'go' }, { findAgent })
  assert.equal(outcome, waitForChildren)
})

test('an unknown agent fails the step', async () => {
  const run = outputsOf(
    agent,
    fakeStep(),
    { agent_id: 'nobody', query: 'q' },
    { findAgent: async () => undefined },
  )
  await assert.rejects(run, { reason: 'step_failed', message: /There is no agent "nobody"/ })
})

test('an agent is chosen or described, not both', () => {
  const places = (data: Record<string, unknown>) => agent.gaps!(data).map(({ place }) => place.join('/'))
  assert.deepEqual(places({}), ['agent_id'])
  assert.deepEqual(places({ persona: 'You help.' }), [])
  assert.deepEqual(places({ agent_id: 'a', model: 'fast' }), [])
  const both = { agent_id: 'a', persona: 'p', tools: [weather], knowledge_ids: ['kb'] }
  assert.deepEqual(places(both), ['persona', 'tools', 'knowledge_ids'])
  assert.deepEqual(places({ persona: 'p', tools: [{ type: 'http' }] }), ['tools/0/url'])
  assert.deepEqual(places({ persona: 'p', max_rounds: 0 }), ['max_rounds'])
})
