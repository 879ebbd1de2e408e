import assert from 'node:assert/strict'
import { shapesExample } from '../../src/contract/fields.ts'
import type { ApiClient } from '../support/api-client.ts'

/** Sent as text, since a parser would change it. */
export const strangeGraph =
  '{"nodes":[],"edges":[],"数据源/API工具":"\\u0000 \\ud83c\\udf33 \u2028\u2029 \\n","__proto__":{"admin":true},"big":9007199254740993,"zero":-0,"twice":1,"twice":1.50}'

export async function mustWork(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer
  assert.equal(status, 200, text)
}

/** Workflows with a history, strange text, equal and empty files, two workspaces and their tokens. */
export async function fill(api: ApiClient): Promise<{ otherToken: string }> {
  const { json } = await api.post('workspace/create', { name: 'Tea' })
  const otherToken: string = json.data.token
  const other = api.as(otherToken)
  const json8 = { headers: { 'content-type': 'application/json' } }
  await mustWork(api.post('workflow/update', `{"id":"strange","workflow":${strangeGraph}}`, json8))
  for (let turn = 0; turn < 5; turn++)
    await mustWork(api.post('workflow/update', { id: 'much', workflow: { nodes: [], edges: [], turn } }))
  const again = { id: 'again', workflow: { nodes: [], edges: [] } }
  await mustWork(api.post('workflow/update', again))
  await mustWork(api.post('workflow/delete', { id: 'again' }))
  const positions = { 'node \0': { x: -1.5, y: 2 }, 节点: { x: 0, y: 1e6 } }
  await mustWork(api.post('workflow/layout', { id: 'much', positions, shapes: shapesExample }))
  await mustWork(other.post('workflow/update', { id: 'much', workflow: { nodes: [], edges: [], other: 1 } }))
  await mustWork(api.upload('a.txt', 'the same content'))
  await mustWork(api.upload('again.txt', 'the same content'))
  await mustWork(other.upload('theirs.txt', 'the same content'))
  await mustWork(api.upload('empty', ''))
  await mustWork(api.upload('Größe 大.bin', Buffer.alloc(700_001, 7)))
  for (const each of [api, other])
    await mustWork(each.post('secret/set', { name: 'crm', value: 'canary-of-the-backups' }))
  const set = (await api.post('test/create', { name: 'Tests', workflow_id: 'much' })).json.data
  await mustWork(
    api.post('test/saveCase', {
      id: set.id,
      name: '茶',
      inputs: { query: '茶' },
      checks: [{ type: 'contains', value: '茶' }],
    }),
  )
  const schedule = { kind: 'schedule', schedule: { cron: '0 9 * * *' }, inputs: { 茶: '{{#trigger.time#}}' } }
  for (const trigger of [schedule, { kind: 'webhook', secret: 'canary-of-the-backups' }])
    await mustWork(api.post('trigger/create', { name: 'Trigger', workflow_id: 'much', ...trigger }))
  await mustWork(api.post('token/create', { name: 'reader', role: 'viewer', expires_in_days: 3 }))
  const bound = { role: 'runner', agent_ids: ['agent_x'], user_id: 'user_1' }
  await mustWork(api.post('token/create', { name: 'bound', ...bound }))
  return { otherToken }
}
