import { agentId } from './agent-operations.ts'
import { array, boolean, choice, id, integer, named, optional, string, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

export const conversationId = id('Conversation id.', 'conv_Zk3xV0m2q1c5b7n9d1f3gA')
export const chatId = id(
  'Turn id, shared by the user’s message and all replies to it.',
  'chat_Zk3xV0m2q1c5b7n9d1f3gA',
)
export const messageId = string('Message id.', 'msg_Zk3xV0m2q1c5b7n9d1f3gA')
const runId = id('The run that produced the reply; use it to read the trace.', 'run_Zk3xV0m2q1c5b7n9d1f3gA')
export const userId = text(
  'Your own id for the user; agent memory is kept per user.',
  [0, limits.userLength],
  {
    example: 'ada',
  },
)
export const dataType = choice(
  ['text', 'voice', 'image', 'video', 'action', 'file'],
  'Type of the message: `text` and `action` use `content`, the others list uploaded files in `file_list`.',
  { example: 'text' },
)
export const annotationId = id(
  'The annotation that was used as the answer; absent if a model or a workflow answered.',
  'note_Zk3xV0m2q1c5b7n9d1f3gA',
)
const timestamp = integer('Milliseconds since 1970.', 1_794_731_400_123)
const fileList = array(Type.String(), 'Ids of uploaded files.', { example: [] })

export const messageContent = {
  data_type: dataType,
  content: string('The text, or the action as JSON.', 'At your service.'),
  file_list: fileList,
  message_id: messageId,
  timestamp,
}
const reply = named('Reply', Type.Object(messageContent))
export const message = named(
  'Message',
  Type.Object({
    ...messageContent,
    role: choice([0, 1], '0: the user; 1: the agent.', { example: 1 }),
    chat_id: chatId,
    ...optional({
      run_id: id('With `details`: the run of the turn.', 'run_Zk3xV0m2q1c5b7n9d1f3gA'),
      rating: choice(
        ['like', 'dislike'],
        'With `details`: the rating from conversation.feedback; absent if there is none.',
        { example: 'like' },
      ),
      version: integer(
        'With `details`: number of versions of this turn, if it replaced another one; conversation.versions returns the earlier versions.',
        2,
      ),
      stopped: boolean('With `details`: true if the answer was stopped before it was complete.'),
      annotation_id: annotationId,
      tools: array(
        Type.Object({
          tool: string('Name of the tool.', 'get_weather'),
          status: choice(['done', 'failed'], 'How the call ended.', { example: 'done' }),
          ...optional({
            arguments: Type.Unknown({
              description: `For callers with a token: the arguments; a long value is the beginning of its JSON.`,
            }),
            result: string('For callers with a token: the beginning of the result.', '22 degrees'),
          }),
        }),
        'With `details`, in the first reply of a turn: the tool calls for the answer.',
      ),
      reasoning: string(
        'With `details`, in the first reply of a turn, for callers that may read runs: the reasoning of the model before the answer.',
      ),
      reasoning_ms: integer('Duration of the reasoning in milliseconds.', 1200),
      suggestions: array(
        Type.String(),
        'With `details`, in the first reply of a turn: the questions that a model suggested; see conversation.suggestions.',
      ),
    }),
  }),
)

export const name = text(
  'Name of the conversation; initially the start of the first message.',
  [0, limits.nameLength],
  { example: 'The secret word' },
)

export const conversationFields = {
  conversation_id: conversationId,
  agent_id: agentId,
  user_id: userId,
  env_type: string('The channel of the client.'),
  name,
  message_count: integer('Number of messages.', 2),
  created_at: time('Creation time.'),
  updated_at: time('Time of the last message.'),
}

export const chatFields = {
  chat_id: chatId,
  run_id: runId,
  conversation_id: conversationId,
  message_id: string('Id of the message that was sent.', 'msg_Zk3xV0m2q1c5b7n9d1f3gA'),
  feedback: array(reply, 'The replies, in order.'),
  ...optional({
    waiting: boolean('The agent asked a question; the next message is the answer.'),
    options: array(Type.String(), 'Suggested answers.'),
    stopped: boolean('True if the answer was stopped before it was complete.'),
    annotation_id: annotationId,
  }),
}

const delta = Type.Object({
  code: Type.Literal(0),
  msg: Type.Literal('success'),
  chat_id: chatId,
  run_id: runId,
  conversation_id: conversationId,
  feedback: array(reply, 'A piece of a text, or a complete message that is not text.'),
  reset: Type.Optional(boolean('Whether earlier pieces of this message are discarded.')),
})

const chatEnd = Type.Object({
  ...{ code: Type.Integer(), msg: Type.String() },
  ...optional({ reason: Type.String(), errors: Type.Array(Type.Unknown()) }),
  ...chatFields,
  message_id: Type.Optional(chatFields.message_id),
})

const eventHead = {
  ...{ code: Type.Literal(0), msg: Type.Literal('success') },
  ...{ chat_id: chatId, run_id: runId, conversation_id: conversationId },
}
const chatTool = Type.Object({
  ...eventHead,
  ...{ call: Type.String(), tool: Type.String(), status: Type.Enum(['running', 'done', 'failed']) },
  ...optional({ arguments: Type.Unknown(), result: Type.String(), elapsed_ms: Type.Integer() }),
})
const chatSuggestions = Type.Object({ ...eventHead, questions: Type.Array(Type.String()) })

/** `delta` and `message` have the first form; the others have their own. */
export const chatEvent = named(
  'ChatEvent',
  Type.Union([
    named('ChatDelta', delta),
    named('ChatTool', chatTool),
    named('ChatEnd', chatEnd),
    named('ChatSuggestions', chatSuggestions),
  ]),
)
