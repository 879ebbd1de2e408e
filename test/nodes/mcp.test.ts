import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mcp } from '../../src/nodes/mcp.ts'
import { nodeKinds } from '../../src/nodes/registry.ts'
import { ToolFailure } from '../../src/tools/tool-failure.ts'
import type { ToolAnswer, ToolServers } from '../../src/tools/tool-server.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

type Call = Parameters<ToolServers['call']>

/** Servers that note what they are asked and give one answer, or fail with one error. */
function servers(answer: Partial<ToolAnswer> | Error = {}) {
  const calls: Call[] = []
  const toolServers: ToolServers = {
    list: () => assert.fail('a node does not list tools'),
    inspect: () => assert.fail('a node does not inspect servers'),
    call: async (server, tool, args, options) => {
      // As it goes over the wire, where objects have no prototypes.
      calls.push([server, tool, JSON.parse(JSON.stringify(args)), options])
      if (answer instanceof Error) throw answer
      return { text: '', structured: undefined, files: [], ...answer }
    },
  }
  return { calls, toolServers }
}

const data = { url: 'https://tools.example/mcp', tool: 'weather' }

describe('an MCP node', () => {
  it('is a kind of the registry', () => assert.equal(nodeKinds.get('mcp'), mcp))

  it('calls the tool with references replaced and with the signal of the step', async () => {
    const { calls, toolServers } = servers()
    const step = fakeStep({
      values: { 'a.city': '北京', 'a.days': 3, 'a.host': 'tools.example', 'a.key': 'k-1' },
    })
    await outputsOf(
      mcp,
      step,
      {
        url: 'https://{{#a.host#}}/mcp',
        tool: 'weather',
        arguments: { city: '{{#a.city#}}', days: '{{#a.days#}}', deep: [{ note: 'in {{#a.city#}}' }] },
        headers: { Authorization: 'Bearer {{#a.key#}}' },
      },
      { toolServers },
    )
    const [server, tool, args, { signal }] = calls[0]!
    assert.deepEqual(
      [server, tool, args, signal],
      [
        {
          url: 'https://tools.example/mcp',
          headers: { Authorization: 'Bearer k-1' },
          workspaceId: 'ws_1',
          conversationId: 'conv_1',
        },
        'weather',
        { city: '北京', days: 3, deep: [{ note: 'in 北京' }] },
        step.signal,
      ],
    )
  })

  it('uses a session of its own in a run without a conversation', async () => {
    const { calls, toolServers } = servers()
    await outputsOf(mcp, fakeStep({ system: { conversation_id: '' } }), data, { toolServers })
    assert.equal(calls[0]![0].conversationId, 'run_1')
  })

  it('accepts a reference to an object as arguments', async () => {
    const { calls, toolServers } = servers()
    const step = fakeStep({ values: { 'a.object': { city: 'x' }, 'a.text': 'no object' } })
    await outputsOf(mcp, step, { ...data, arguments: '{{#a.object#}}' }, { toolServers })
    assert.deepEqual(calls[0]![2], { city: 'x' })
    await assert.rejects(outputsOf(mcp, step, { ...data, arguments: '{{#a.text#}}' }, { toolServers }), {
      name: 'StepFailure',
      message: '"arguments" must be an object, but is "no object".',
    })
    await outputsOf(mcp, step, data, { toolServers })
    assert.deepEqual(calls[1]![2], {})
  })

  for (const [name, answer, result] of [
    ['the structured content', { text: 'sunny', structured: { sky: 'clear' } }, { sky: 'clear' }],
    ['structured content that is null', { text: 'x', structured: null }, null],
    ['what a text of JSON says', { text: ' {"sky": ["clear"]}' }, { sky: ['clear'] }],
    ['a text', { text: 'sunny' }, 'sunny'],
    ['a text that only looks like JSON', { text: '{sunny}' }, '{sunny}'],
    ['a text that is a number', { text: '007' }, '007'],
    [
      'JSON too deep to hand on, as text',
      { text: '['.repeat(100) + ']'.repeat(100) },
      '['.repeat(100) + ']'.repeat(100),
    ],
  ] as const)
    it(`gives ${name}`, async () => {
      const { toolServers } = servers(answer)
      assert.deepEqual(await outputsOf(mcp, fakeStep(), data, { toolServers }), {
        text: answer.text,
        result,
        files: [],
      })
    })

  it('fails with the error of the server', async () => {
    const { toolServers } = servers(
      new ToolFailure('No such city', { retryable: true, retryAfterMilliseconds: 9 }),
    )
    await assert.rejects(outputsOf(mcp, fakeStep(), data, { toolServers }), {
      name: 'StepFailure',
      reason: 'step_failed',
      message: 'No such city',
      retryable: true,
      retryAfterMilliseconds: 9,
    })
  })

  it('fails without a tool name, or with an invalid header', async () => {
    const { calls, toolServers } = servers()
    await assert.rejects(outputsOf(mcp, fakeStep(), { ...data, tool: '{{#a.none#}}' }, { toolServers }), {
      name: 'StepFailure',
      message: /The tool is not specified/,
    })
    const step = fakeStep({ values: { 'a.key': 'one\ntwo' } })
    await assert.rejects(
      outputsOf(mcp, step, { ...data, headers: { 'x-key': '{{#a.key#}}' } }, { toolServers }),
      {
        name: 'StepFailure',
      },
    )
    assert.equal(calls.length, 0)
  })
})
