import Type from 'typebox'
import { agentId } from './agent-operations.ts'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { id, text, time } from './text.ts'

const conversationId = id('Conversation id.', 'conv_Zk3xV0m2q1c5b7n9d1f3gA')
const chatId = id(
  'Turn id, shared by the user’s message and all replies to it.',
  'chat_Zk3xV0m2q1c5b7n9d1f3gA',
)
const messageId = Type.String({ description: 'Message id.', examples: ['msg_Zk3xV0m2q1c5b7n9d1f3gA'] })
const runId = id('The run that produced the reply; use it to read the trace.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')
const userId = text({
  maxLength: limits.userLength,
  description: 'Your own id for the user; agent memory is kept per user.',
  examples: ['ada'],
})
const dataType = Type.Enum(['text', 'voice', 'image', 'video', 'action', 'file'], {
  description:
    'Type of the message: `text` and `action` use `content`, the others list uploaded files in `file_list`.',
  examples: ['text'],
})
const timestamp = Type.Integer({ description: 'Milliseconds since 1970.', examples: [1_794_731_400_123] })
const fileList = Type.Array(Type.String(), { description: 'Ids of uploaded files.', examples: [[]] })

const messageContent = {
  data_type: dataType,
  content: Type.String({ description: 'The text, or the action as JSON.', examples: ['At your service.'] }),
  file_list: fileList,
  message_id: messageId,
  timestamp,
}
const message = Type.Object({
  ...messageContent,
  role: Type.Enum([0, 1], { description: '0: the user; 1: the agent.', examples: [1] }),
  chat_id: chatId,
  run_id: Type.Optional(id('With `details`: the run of the turn.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')),
  rating: Type.Optional(
    Type.Enum(['like', 'dislike'], {
      description: 'With `details`: the rating from conversation.feedback; absent if there is none.',
      examples: ['like'],
    }),
  ),
})

const name = text({
  maxLength: limits.nameLength,
  description: 'Name of the conversation; initially the start of the first message.',
  examples: ['The secret word'],
})

const common = { family: 'conversation', method: 'POST', envelope: 'flat' } as const

const chatDetails = [
  'A turn is stored before it runs, and it continues if the client disconnects. A `chat_id` that the conversation already has returns the stored answer and runs nothing, so a turn can be retried safely. A conversation runs one turn at a time: the next one waits, and is rejected with 40901 after 30 seconds.',
  'When the agent asks a question, the response has `waiting` true and possibly `options`; the next message is the answer.',
  'Without a `chat_id`, an Idempotency-Key serves the same purpose. After a temporary error such as 42901 or 50301 the turn can be sent again with the same `chat_id`.',
  'A turn that fails returns its error code, `chat_id`, and a reply in `feedback` that explains the failure.',
  'With `stream` 1 the response is a stream of events whose data has the same form: `delta` is a piece of the text of `message_id` (`reset` true discards its earlier pieces), `message` is a complete message that is not text, `end` is the complete response. To continue after a disconnect, send the same `chat_id` with `Last-Event-ID`.',
].join(' ')

export const conversationOperations = {
  create: {
    ...common,
    name: 'conversation.create',
    path: `${basePath}/conversation/create`,
    access: 'public',
    summary: 'Start a conversation with an agent',
    body: Type.Object({
      agent_id: agentId,
      env_type: Type.Optional(
        text({ maxLength: 64, description: 'The channel of the client.', examples: ['open_platform'] }),
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
    summary: 'Send a message and get the reply',
    details: chatDetails,
    headers: {
      'Last-Event-ID': 'With `stream` 1 and the same `chat_id`: resume after this event.',
      'Idempotency-Key': 'Identifies the turn when no `chat_id` is sent, so that a retry is safe.',
    },
    streams: true,
    bodyLimit: limits.messageBytes,
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      data_type: dataType,
      content: Type.Optional(
        text({ maxLength: limits.messageLength, description: 'Required for `text` and `action`.' }),
      ),
      file_list: Type.Optional(
        Type.Array(id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA'), {
          maxItems: limits.messageFiles,
          description: 'Uploaded files; required for the other types.',
        }),
      ),
      user_id: Type.Optional(userId),
      chat_id: Type.Optional(id('Your own id for this turn, so that a retry is safe.', 'chat_1')),
      message_id: Type.Optional(id('Your own id for the message; used if it is not taken.', 'msg_1')),
      timestamp: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'When the message was sent, in milliseconds since 1970; default: now.',
        }),
      ),
      update_config: Type.Optional(
        Type.Enum([0, 1], {
          description: 'Accepted for compatibility and ignored: every turn uses the current agent.',
        }),
      ),
      stream: Type.Optional(
        Type.Enum([0, 1], { default: 0, description: '1: stream the response as server-sent events.' }),
      ),
    }),
    data: Type.Object({
      chat_id: chatId,
      run_id: runId,
      conversation_id: conversationId,
      message_id: Type.String({
        description: 'Id of the message that was sent.',
        examples: ['msg_Zk3xV0m2q1c5b7n9d1f3gA'],
      }),
      feedback: Type.Array(Type.Object(messageContent), { description: 'The replies, in order.' }),
      waiting: Type.Optional(
        Type.Boolean({ description: 'The agent asked a question; the next message is the answer.' }),
      ),
      options: Type.Optional(Type.Array(Type.String(), { description: 'Suggested answers.' })),
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
    summary: 'Get the newest messages of a conversation, in chronological order',
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: limits.messagesPerCall,
          default: 100,
          description: 'Maximum number of messages.',
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'Number of newest messages to skip.',
        }),
      ),
      details: Type.Optional(
        Type.Enum([0, 1], { default: 0, description: '1: include `run_id` and `rating` of each message.' }),
      ),
    }),
    data: Type.Object({
      conversation_id: conversationId,
      retrieve_data: Type.Array(message, { description: 'Messages, newest last.' }),
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
    summary: 'List conversations, most recently updated first',
    details: 'A runner sees only the conversations of its agents.',
    body: Type.Object({
      agent_id: Type.Optional(agentId),
      user_id: Type.Optional(userId),
      keyword: Type.Optional(text({ maxLength: limits.nameLength, description: 'Part of the name or id.' })),
      ...pagingFields,
    }),
    data: pageOf(
      Type.Object({
        conversation_id: conversationId,
        agent_id: agentId,
        user_id: userId,
        env_type: Type.String({ description: 'The channel of the client.' }),
        name,
        message_count: Type.Integer({ description: 'Number of messages.', examples: [2] }),
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
    summary: 'Rename a conversation',
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
    details: 'A run in progress is stopped.',
    body: Type.Object({ conversation_id: conversationId }),
    data: Type.Object({ conversation_id: conversationId }),
    example: { conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA' },
  },
  feedback: {
    ...common,
    name: 'conversation.feedback',
    path: `${basePath}/conversation/feedback`,
    access: 'run',
    summary: 'Rate a reply',
    details: 'A new rating of the same message replaces the previous one.',
    body: Type.Object({
      conversation_id: conversationId,
      message_id: text({ minLength: 1, maxLength: 200, description: 'The rated message.' }),
      rating: Type.Union([Type.Enum(['like', 'dislike']), Type.Null()], {
        description: 'like or dislike; null removes the rating.',
        examples: ['like'],
      }),
      comment: Type.Optional(
        text({ maxLength: limits.descriptionLength, description: 'Reason for the rating.' }),
      ),
    }),
    data: Type.Object({ conversation_id: conversationId, message_id: messageId }),
    example: {
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      message_id: 'msg_Zk3xV0m2q1c5b7n9d1f3gA',
      rating: 'like',
    },
  },
} as const satisfies Record<string, Operation>
