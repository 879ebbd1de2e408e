import type { Static } from 'typebox'
import { agentOperations } from '../contract/agent-operations.ts'
import { conversationOperations } from '../contract/conversation-operations.ts'
import { type Command, checkArguments, columns, readObject, UsageError } from './command.ts'
import { listAll, serverCommand } from './server-client.ts'

type AgentItem = Static<(typeof agentOperations.list)['data']>['items'][number]
type Conversation = Static<(typeof conversationOperations.create)['data']>
type Turn = Static<(typeof conversationOperations.chat)['data']>

/** As long as a run may take. */
const turnMilliseconds = 1_260_000

const list: Command = serverCommand({
  name: 'agent list',
  summary: 'List agents, most recently updated first.',
  usage: '[--keyword TEXT]',
  example: 'agent list --keyword butler',
  work: async (client, { options: { keyword } }) => {
    const filter = checkArguments(agentOperations.list.body, { keyword }, { keyword: '--keyword' })
    const items = await listAll<AgentItem>(client, agentOperations.list, filter)
    const rows = items.map(({ id, access, updated_at, name }) => [id, access, updated_at.slice(0, 10), name])
    const titles = ['ID', 'ACCESS', 'UPDATED', 'NAME']
    return { text: columns(titles, rows, 'No agents were found.'), json: { items } }
  },
})

const chat: Command = serverCommand({
  name: 'agent chat',
  summary: 'Send a message to an agent and print its reply.',
  details: `Starts a conversation; --conversation continues an existing one. --json prints its id as conversation_id. If the agent
asks a question, the next message of the conversation is the answer. --inputs is a JSON file (or /dev/stdin) with an object:
the values of the input variables of the agent's workflow. The exit code is 1 if the turn failed.`,
  usage: 'ID --message TEXT [--inputs FILE] [--conversation ID] [--user ID]',
  example: "agent chat agent_Zk3xV0m2q1c5b7n9d1f3gA --message 'What is the secret word?'",
  work: async (client, { argument: agent_id, options }) => {
    const names = {
      agent_id: 'ID',
      conversation_id: '--conversation',
      content: '--message',
      inputs: '--inputs',
      user_id: '--user',
    }
    const { message: content, inputs: file, user } = options
    if (content === undefined) throw new UsageError('--message: is required.')
    const given = file === undefined ? {} : { inputs: await readObject(file) }
    const by = user === undefined ? {} : { user_id: user }
    const conversation_id =
      options['conversation'] ??
      (await client.call<Conversation>(conversationOperations.create, { json: { agent_id, ...by } }))
        .conversation_id
    const json = checkArguments(
      conversationOperations.chat.body,
      { agent_id, conversation_id, data_type: 'text', content, ...given, ...by },
      names,
    )
    const turn = await client.call<Turn>(conversationOperations.chat, {
      json,
      milliseconds: turnMilliseconds,
    })
    const replies = turn.feedback.map(reply => [reply.content, ...reply.file_list].filter(Boolean).join('\n'))
    return { text: replies.join('\n\n'), json: turn }
  },
})

export const agentCommands = [list, chat]
