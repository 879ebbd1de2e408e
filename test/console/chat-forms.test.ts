import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, draftOf, isChanged, rebased } from '../../console/src/pages/agents/build/agent-draft.ts'
import { memoryProblems } from '../../console/src/pages/agents/build/memory-draft.ts'
import { dataTypeFor, prettyAction } from '../../console/src/pages/agents/chat/message-form.ts'
import { snippetFor } from '../../console/src/pages/agents/share/snippets.ts'
import { fileInAddress, safeAddress } from '../../console/src/ui/markdown/addresses.ts'
import { toolFormOf, toolOf, toolProblem, unreadable } from '../../console/src/ui/tools/tool-settings.ts'

const agent = {
  ...{ id: 'agent_1', name: 'Butler', intro: '', access: 'private' as const, allowed_origins: [] },
  memory: { city: { name: 'City', default: 'Paris' }, count: { default: 3 } },
  learn: { kb_1: { weight: 2 } },
  config: {
    character_profile: 'You are a butler.',
    voice: 'deep',
    tools: {
      web_search: { version: '1' },
      stock: { version: '2', running_config: { type: 'http', url: 'https://example.com', odd: 1 } },
    },
  },
  ...{ created_at: '2026-11-15T00:00:00+00:00', updated_at: '2026-11-15T00:00:00+00:00' },
}

test('an unchanged agent sends nothing', () => {
  const draft = draftOf(agent)
  assert.equal(isChanged(agent, draft), false)
  assert.deepEqual(changeOf(agent, draft), {})
})

test('only changed fields are sent, and emptied ones are removed', () => {
  const draft = { ...draftOf(agent), profile: ' ', prologue: 'Good day', knowledgeIds: ['kb_1', 'kb_2'] }
  assert.deepEqual(changeOf(agent, draft), {
    config: { character_profile: null, prologue: 'Good day' },
    learn: { kb_1: { weight: 2 }, kb_2: {} },
  })
})

test('fields that others save during editing are kept', () => {
  const draft = { ...draftOf(agent), name: 'Jeeves', prologue: 'Good day' }
  const config = { ...agent.config, character_profile: 'You are a cook.', prologue: 'Hello' }
  const theirs = { ...agent, intro: 'Cooks', config }
  const mine = rebased({ base: agent, draft }, theirs)
  assert.equal(mine.profile, 'You are a cook.')
  assert.deepEqual(changeOf(theirs, mine), { name: 'Jeeves', config: { prologue: 'Good day' } })
})

test('settings of tools without a field are kept', () => {
  const draft = draftOf(agent)
  const { tools } = agent.config
  assert.deepEqual(changeOf(agent, { ...draft, searchesWeb: false }).config, {
    tools: { stock: tools.stock },
  })
  const form = { ...toolFormOf(draft.tools[0]), description: 'What is left' }
  const edited = { ...draft, tools: [toolOf(form, draft.tools[0])] }
  assert.deepEqual(changeOf(agent, edited).config, {
    tools: {
      web_search: { version: '1' },
      stock: {
        version: '2',
        running_config: {
          ...{ type: 'http', description: 'What is left', method: 'GET' },
          ...{ url: 'https://example.com', odd: 1 },
        },
      },
    },
  })
})

test('defaults keep their type', () => {
  const draft = draftOf(agent)
  const memory = draft.memory.map(row =>
    row.key === 'count' ? { ...row, value: '4' } : { ...row, value: '5' },
  )
  assert.deepEqual(changeOf(agent, { ...draft, memory }).memory, {
    city: { name: 'City', description: '', default: '5' },
    count: { name: '', description: '', default: 4 },
  })
})

test('a default is kept when its key is renamed', () => {
  const draft = draftOf(agent)
  const memory = draft.memory.map(row => (row.key === 'count' ? { ...row, key: 'number' } : row))
  assert.deepEqual(changeOf(agent, { ...draft, memory }).memory?.['number'], {
    ...{ name: '', description: '', default: 3 },
  })
})

test('a memory value with a missing or duplicate key is reported', () => {
  const keys = ['city', ' ', 'count', ' city']
  const rows = keys.map(key => ({ key, name: '', description: '', value: 'x' }))
  assert.deepEqual(memoryProblems(rows), [undefined, 'missing', undefined, 'double'])
})

test('invalid input is not dropped on the way to JSON', () => {
  const form = { ...toolFormOf(undefined), name: 'stock' }
  assert.equal(unreadable(form), undefined)
  assert.equal(unreadable({ ...form, parameters: '{"item": ' }), 'parameters')
  assert.equal(unreadable({ ...form, headers: [{ name: '', value: 'KEY' }] }), 'headers')
  const twice = ['X-Key', 'x-key '].map(name => ({ name, value: 'KEY' }))
  assert.equal(unreadable({ ...form, headers: twice }), 'headers')
  // Hidden fields are not validated.
  assert.equal(unreadable({ ...form, type: 'knowledge', parameters: '{"item": ' }), undefined)
})

test('headers survive the round trip through their fields', () => {
  const running = {
    type: 'mcp',
    url: 'https://example.com',
    headers: { 'X-Key': 'KEY', accept: 'text/plain' },
  }
  assert.deepEqual(toolOf(toolFormOf({ name: 'files', running }), undefined).running, running)
})

test('a tool reports what is missing', () => {
  const form = { ...toolFormOf(undefined), name: 'stock', url: 'https://example.com' }
  assert.equal(toolProblem(form, []), undefined)
  assert.equal(toolProblem({ ...form, name: ' ' }, []), 'name')
  assert.equal(toolProblem(form, ['stock']), 'taken')
  assert.equal(toolProblem({ ...form, url: '' }, []), 'url')
  assert.equal(toolProblem({ ...form, headers: [{ name: ' ', value: '1' }] }, []), 'headers')
  assert.equal(toolProblem({ ...form, type: 'workflow' }, []), 'id')
})

test('files are sent as their common type', () => {
  assert.equal(dataTypeFor([]), 'text')
  assert.equal(dataTypeFor(['image/png', 'image/webp']), 'image')
  assert.equal(dataTypeFor(['audio/mpeg']), 'voice')
  assert.equal(dataTypeFor(['image/png', 'text/plain']), 'file')
})

test('links in an answer lead outside only, and images are files only', () => {
  assert.equal(safeAddress('https://example.com/'), 'https://example.com/')
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    '#/tokens',
    '/api',
    'vbscript:x',
    undefined,
  ])
    assert.equal(safeAddress(address), undefined)
  assert.equal(fileInAddress('/api/v1/files/file_abc'), 'file_abc')
  assert.equal(fileInAddress('file_abc'), 'file_abc')
  for (const source of [
    'https://example.com/x.png',
    'file:///etc/passwd',
    'data:image/png;base64,x',
    undefined,
  ])
    assert.equal(fileInAddress(source), undefined)
})

test('an action is pretty-printed', () => {
  assert.equal(prettyAction('{"a":1}'), '{\n  "a": 1\n}')
  assert.equal(prettyAction('odd'), 'odd')
})

test('examples name the agent, and have a token placeholder only if one is needed', () => {
  for (const language of ['curl', 'javascript', 'python'] as const) {
    const comments = { create: '1', send: '2' }
    const about = { origin: 'http://here:1', agentId: 'agent_1', comments }
    const open = snippetFor(language, { ...about, isPublic: true })
    const closed = snippetFor(language, { ...about, isPublic: false })
    for (const snippet of [open, closed]) assert.match(snippet, /http:\/\/here:1\/api\/v1[\s\S]*agent_1/)
    assert.doesNotMatch(open, /YOUR_TOKEN/)
    assert.match(closed, /Bearer YOUR_TOKEN/)
  }
})
