import assert from 'node:assert/strict'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from './api-client.ts'
import { dataOf } from './knowledge.ts'
import { lastUserText } from './scripted-chat.ts'
import type { ScriptedModel } from './scripted-model.ts'

type Data = ApiAnswer['json']

/** Stores a workflow and returns its id. */
export const makeWorkflow = async (api: ApiClient, workflow: Graph): Promise<string> =>
  (await dataOf(api.post('workflow/create', { workflow }))).id

/** Runs a workflow until it ends or waits. */
export const runWorkflow = (api: ApiClient, id: string, query: string, more: object = {}): Promise<Data> =>
  dataOf(api.post('workflow/run', { id, inputs: { query }, ...more }))

export const runOf = (api: ApiClient, runId: string): Promise<Data> =>
  dataOf(api.get(`workflow/runs/${runId}`))

let agents = 0

export async function makeAgent(api: ApiClient, config: object = {}, more: object = {}): Promise<string> {
  agents += 1
  return (await dataOf(api.post('agent/create', { name: `Agent ${agents}`, config, ...more }))).id
}

/** An agent and a conversation with it. */
export interface Talk {
  agent_id: string
  conversation_id: string
}

export async function openTalk(api: ApiClient, agentId: string, more: object = {}): Promise<Talk> {
  const { status, json, text } = await api.post('conversation/create', { agent_id: agentId, ...more })
  assert.equal(status, 200, text)
  return { agent_id: agentId, conversation_id: json.conversation_id }
}

/** Creates a conversation with an agent that runs this graph. */
export const talkWith = async (api: ApiClient, workflow: Graph): Promise<Talk> =>
  openTalk(api, await makeAgent(api, { workflow_id: await makeWorkflow(api, workflow) }))

/** Sends a turn and accepts any outcome. */
export const send = (api: ApiClient, talk: Talk, content: string, more: object = {}): Promise<ApiAnswer> =>
  api.post('conversation/chat', { ...talk, data_type: 'text', content, ...more })

/** Sends a turn that must succeed. */
export async function say(api: ApiClient, talk: Talk, content: string, more: object = {}): Promise<Data> {
  const { status, json, text } = await send(api, talk, content, more)
  assert.equal(status, 200, text)
  return json
}

export async function messagesOf(api: ApiClient, talk: Talk, page: object = {}): Promise<Data[]> {
  const { status, json, text } = await api.post('conversation/retrieve', { ...talk, ...page })
  assert.equal(status, 200, text)
  return json.retrieve_data
}

/** The sender of each message: 0 is the user, 1 the agent. */
export const wordsOf = async (api: ApiClient, talk: Talk): Promise<[number, string][]> =>
  (await messagesOf(api, talk, { limit: 1000 })).map(({ role, content }) => [role, content])

/** The number of model calls with exactly this question. */
export const timesAsked = (model: ScriptedModel, prompt: string): number =>
  model.calls.chat.filter(({ body }) => lastUserText(body) === prompt).length
