import Type from 'typebox'
import { agentId } from './agent-operations.ts'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const conversationId = id('Conversation id.', 'conv_Zk3xV0m2q1c5b7n9d1f3gA')
const chatId = id(
  'Id of the turn: the message and all replies to it share it.',
  'chat_Zk3xV0m2q1c5b7n9d1f3gA',
)
const messageId = Type.String({ description: 'Message id.', examples: ['msg_Zk3xV0m2q1c5b7n9d1f3gA'] })
const runId = id('The run that answers, for its trace.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')
const userId = text({
  maxLength: limits.userLength,
  description: 'Who talks, in your own words; memory is kept for each user.',
  examples: ['ada'],
})
const dataType = Type.Enum(['text', 'voice', 'image', 'video', 'action', 'file'], {
  description:
    'What it is: `text` and `action` stand in `content`, the others name uploaded files in `file_list`.',
  examples: ['text'],
})
const timestamp = Type.Integer({ description: 'Milliseconds since 1970.', examples: [1_794_731_400_123] })
const fileList = Type.Array(Type.String(), { description: 'Ids of uploaded files.', examples: [[]] })

const said = {
  data_type: dataType,
  content: Type.String({ description: 'The text, or the action as JSON.', examples: ['At your service.'] }),
  file_list: fileList,
  message_id: messageId,
  timestamp,
}
const message = Type.Object({
  ...said,
  role: Type.Enum([0, 1], { description: '0: the user; 1: the agent.', examples: [1] }),
  chat_id: chatId,
  run_id: Type.Optional(
    id('With `details`: the run of its turn, for its trace.', 'run_Zk3xV0m2q1c5b7n9d1f3gA'),
  ),
  rating: Type.Optional(
    Type.Enum(['like', 'dislike'], {
      description: 'With `details`: what was said of it with feedback; absent where nothing was.',
      examples: ['like'],
    }),
  ),
})

const name = text({
  maxLength: limits.nameLength,
  description: 'Name of the conversation; at first the beginning of the first message.',
  examples: ['The secret word'],
})

const common = { family: 'conversation', method: 'POST', envelope: 'flat' } as const

const chatDetails = [
  'A turn is stored before anything runs, and its run goes on when you hang up. A `chat_id` that this conversation has seen before is answered from the record and runs nothing, so sending a turn again is safe. One turn of a conversation runs at a time: another one waits for it, and is refused with 40901 after 30 seconds.',
  'When the agent asks something, the answer has `waiting` true and maybe `options`; the next turn is taken as the reply.',
  'Where no `chat_id` is sent, an Idempotency-Key stands in for it. What only passes, such as 42901 or 50301, leaves no turn behind, or one that the same `chat_id` begins again.',
  'A turn that fails answers with the code of its failure, and with `chat_id` and a reply in `feedback` that says so.',
  'With `stream` 1 the answer is a stream of events whose data has the same form: `delta` is a piece of the text named by `message_id` (with `reset` true, what came before of it does not count), `message` is a whole message that is no text, `end` is the complete answer. Send the same `chat_id` with `Last-Event-ID` to go on after a break.',
].join(' ')

export const conversationOperations = {
  create: {
    ...common,
    name: 'conversation.create',
    path: `${basePath}/conversation/create`,
    access: 'public',
    summary: 'Begin a conversation with an agent',
    body: Type.Object({
      agent_id: agentId,
      env_type: Type.Optional(
        text({ maxLength: 64, description: 'Where you talk from.', examples: ['open_platform'] }),
      ),
      user_id: Type.Optional(userId),
    }),
    creates: true,
    data: Type.Object({ conversation_id: conversationId }),
    example: { agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', env_type: 'open_platform' },
  },
  chat: {
    ...common,
    name: 'conversation.chat',
    path: `${basePath}/conversation/chat`,
    access: 'public',
    summary: 'Say something and get the answer',
    details: chatDetails,
    headers: {
      'Last-Event-ID': 'With `stream` 1 and the same `chat_id`: go on behind this event.',
      'Idempotency-Key': 'Makes it safe to send again without a `chat_id`: the same key is the same turn.',
    },
    streams: true,
    bodyLimit: limits.talkBytes,
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      data_type: dataType,
      content: Type.Optional(
        text({ maxLength: limits.messageLength, description: 'Needed for `text` and `action`.' }),
      ),
      file_list: Type.Optional(
        Type.Array(id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA'), {
          maxItems: limits.messageFiles,
          description: 'Uploaded files; needed for the other types.',
        }),
      ),
      user_id: Type.Optional(userId),
      chat_id: Type.Optional(id('Your own id for this turn, to send it again safely.', 'chat_1')),
      message_id: Type.Optional(id('Your own id for the message; taken over if it is free.', 'msg_1')),
      timestamp: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'When it was said, in milliseconds since 1970; now, unless told.',
        }),
      ),
      update_config: Type.Optional(
        Type.Enum([0, 1], {
          description: 'Taken for compatibility: every turn uses the agent as it is now.',
        }),
      ),
      stream: Type.Optional(Type.Enum([0, 1], { default: 0, description: '1: answer event by event.' })),
    }),
    data: Type.Object({
      chat_id: chatId,
      run_id: runId,
      conversation_id: conversationId,
      message_id: Type.String({
        description: 'Id of the message that was sent.',
        examples: ['msg_Zk3xV0m2q1c5b7n9d1f3gA'],
      }),
      feedback: Type.Array(Type.Object(said), { description: 'The replies, in order.' }),
      waiting: Type.Optional(
        Type.Boolean({ description: 'The agent asked something; the next turn is its reply.' }),
      ),
      options: Type.Optional(Type.Array(Type.String(), { description: 'What the question offers.' })),
    }),
    example: {
      agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA',
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      data_type: 'text',
      content: 'What is the secret word?',
      file_list: [],
    },
  },
  retrieve: {
    ...common,
    name: 'conversation.retrieve',
    path: `${basePath}/conversation/retrieve`,
    access: 'public',
    summary: 'The newest messages of a conversation, oldest first',
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: limits.messagesPerCall,
          default: 100,
          description: 'Most messages to give.',
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'So many of the newest messages are passed over.',
        }),
      ),
      details: Type.Optional(
        Type.Enum([0, 1], { default: 0, description: '1: also tell `run_id` and `rating` of each message.' }),
      ),
    }),
    data: Type.Object({
      conversation_id: conversationId,
      retrieve_data: Type.Array(message, { description: 'Messages; the newest one stands last.' }),
    }),
    example: {
      agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA',
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      limit: 100,
      offset: 0,
    },
  },
  list: {
    ...common,
    name: 'conversation.list',
    path: `${basePath}/conversation/list`,
    access: 'token',
    summary: 'List conversations, the last changed first',
    details: 'A runner sees those of the agents it may talk to.',
    body: Type.Object({
      agent_id: Type.Optional(agentId),
      user_id: Type.Optional(userId),
      keyword: Type.Optional(
        text({ maxLength: limits.nameLength, description: 'Part of the name or of the id.' }),
      ),
      ...pagingFields,
    }),
    data: pageOf(
      Type.Object({
        conversation_id: conversationId,
        agent_id: agentId,
        user_id: userId,
        env_type: Type.String({ description: 'Where the client talks from.' }),
        name,
        message_count: Type.Integer({ description: 'Messages in it.', examples: [2] }),
        created_at: time('Creation time.'),
        updated_at: time('Time of the last message.'),
      }),
    ),
    example: { agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', page: 1, page_size: 20 },
  },
  rename: {
    ...common,
    name: 'conversation.rename',
    path: `${basePath}/conversation/rename`,
    access: 'run',
    summary: 'Give a conversation a name',
    body: Type.Object({ conversation_id: conversationId, name }),
    data: Type.Object({ conversation_id: conversationId }),
    example: { conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA', name: 'The secret word' },
  },
  delete: {
    ...common,
    name: 'conversation.delete',
    path: `${basePath}/conversation/delete`,
    access: 'run',
    summary: 'Delete a conversation with all its messages',
    details: 'A run that still works for it is stopped.',
    body: Type.Object({ conversation_id: conversationId }),
    data: Type.Object({ conversation_id: conversationId }),
    example: { conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  feedback: {
    ...common,
    name: 'conversation.feedback',
    path: `${basePath}/conversation/feedback`,
    access: 'run',
    summary: 'Say whether a reply was good',
    details: 'A later word on the same message replaces the earlier one.',
    body: Type.Object({
      conversation_id: conversationId,
      message_id: text({ minLength: 1, maxLength: 200, description: 'The message it is about.' }),
      rating: Type.Union([Type.Enum(['like', 'dislike']), Type.Null()], {
        description: 'like or dislike; null takes it back.',
        examples: ['like'],
      }),
      comment: Type.Optional(text({ maxLength: limits.descriptionLength, description: 'Why.' })),
    }),
    data: Type.Object({ conversation_id: conversationId, message_id: messageId }),
    example: {
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      message_id: 'msg_Zk3xV0m2q1c5b7n9d1f3gA',
      rating: 'like',
    },
  },
} as const satisfies Record<string, Operation>
