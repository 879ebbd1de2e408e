import { agentId } from './agent-operations.ts'
import {
  annotationId,
  chatEvent,
  chatFields,
  chatId,
  conversationFields,
  conversationId,
  dataType,
  message,
  messageContent,
  messageId,
  name,
  userId,
} from './conversation-records.ts'
import {
  array,
  boolean,
  choice,
  id,
  integer,
  integerIn,
  moment,
  named,
  onOff,
  optional,
  orNull,
  runInputs,
  string,
  text,
} from './fields.ts'
import { contentHeaders, fileId, fileRecord, uploadBody } from './file-operations.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { countPattern } from './patterns.ts'
import { Type } from './schema.ts'

const chatDetails = [
  'A turn is stored before it runs, and it continues if the client disconnects. A `chat_id` that the conversation already has returns the stored answer and runs nothing, so a turn can be retried safely; with another message it is rejected with 40901. A conversation runs one turn at a time: the next one waits, and is rejected with 40901 after 30 seconds.',
  'When the agent asks a question, the response has `waiting` true and possibly `options`; the next message is the answer.',
  'Without a `chat_id`, an Idempotency-Key serves the same purpose. After a temporary error such as 42901 or 50301 the turn can be sent again with the same `chat_id`.',
  'A turn that fails returns its error code, `chat_id`, and a reply in `feedback` that explains the failure.',
  'With `stream` 1 the response is a stream of events whose data has the same form: `delta` is a piece of the text of `message_id` (`reset` true discards its earlier pieces), `message` is a complete message that is not text, `tool` is a call of a tool (`call` names it, `status` is running, done or failed; callers with a token also get `arguments` and `result`), `end` is the complete response. With `config.suggest_questions` of the agent, `suggestions` follows with `questions` that the user may ask next; a client need not wait for it. To continue after a disconnect, send the same `chat_id` with `Last-Event-ID`.',
].join(' ')

const visitor = {
  'X-Visitor':
    'Secret of a visitor, from agent.visitor, instead of a token. A conversation that is created with it can only be used with it.',
}
const forVisitors = 'Without a token, `agent_id` and `X-Visitor` are required.'

const filterFields = {
  agent_id: agentId,
  user_id: userId,
  keyword: text('Part of the name or id.', [0, limits.nameLength]),
  rating: choice(['like', 'dislike', 'any'], 'Only conversations with a reply of this rating.', {
    example: 'dislike',
  }),
  from: moment('Conversations whose last message was at this time or later.'),
  to: moment('Conversations whose last message was before this time.'),
}

export const conversationOperations = defineOperations('conversation', {
  create: {
    access: 'public',
    summary: 'Start a conversation with an agent',
    headers: visitor,
    body: Type.Object({
      agent_id: agentId,
      ...optional({
        env_type: text('The channel of the client. Default: open_platform.', [0, 64], {
          example: 'open_platform',
        }),
        user_id: userId,
      }),
    }),
    creates: true,
    data: Type.Object({ conversation_id: conversationId }),
    example: { agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', env_type: 'open_platform' },
  },
  chat: {
    access: 'public',
    summary: 'Send a message and get the reply',
    details: chatDetails,
    headers: {
      ...visitor,
      'Last-Event-ID': 'With `stream` 1 and the same `chat_id`: resume after this event.',
      'Idempotency-Key': 'Identifies the turn when no `chat_id` is sent, so that a retry is safe.',
    },
    streams: true,
    bodyLimit: limits.messageBytes,
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      data_type: dataType,
      ...optional({
        content: text('Required for `text` and `action`.', [0, limits.messageLength]),
        file_list: array(fileId, 'Uploaded files; required for the other types.', {
          max: limits.messageFiles,
        }),
        user_id: userId,
        chat_id: id('Your own id for this turn, so that a retry is safe.', 'chat_1'),
        message_id: id('Your own id for the message; ignored if it is already in use.', 'msg_1'),
        timestamp: integerIn('When the message was sent, in milliseconds since 1970; default: now.', [
          0,
          Number.MAX_SAFE_INTEGER,
        ]),
        inputs: runInputs(
          'Inputs of the run by name, for an agent with a workflow. The values of its input variables (see agent.variables) are checked and apply to the whole conversation: send them with the first message; a later message may change them. Other inputs are in `sys.inputs` of this turn only.',
          { city: 'Paris' },
        ),
        update_config: onOff('Accepted for compatibility and ignored: every turn uses the current agent.'),
        stream: onOff('1: stream the response as server-sent events.'),
        voice: onOff(
          '1: also answer with a voice message; this needs a speech model. Workflows get it as `sys.inputs.voice`.',
        ),
        replaces: id(
          'The `chat_id` of an earlier turn, to regenerate an answer or to edit a message: this message replaces that turn and all later turns, which can still be read with conversation.versions. A turn that answered a question of a workflow cannot be replaced, only the turn that started the workflow. Values of `memory` that the replaced turns changed are again as before them.',
          'chat_0',
        ),
      }),
    }),
    data: Type.Object(chatFields),
    events: chatEvent,
    example: {
      agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA',
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      data_type: 'text',
      content: 'What is the secret word?',
      file_list: [],
    },
  },
  turn: {
    method: 'GET',
    access: 'public',
    summary: 'Get the state of a turn, and the passages that its replies cite',
    details:
      'Citations are the passages of documents that a reply refers to by number, such as [1]. They are kept as long as the run of the turn.',
    headers: visitor,
    query: Type.Object({ agent_id: agentId, conversation_id: conversationId, chat_id: chatId }),
    data: Type.Object({
      ...{ conversation_id: conversationId, chat_id: chatId },
      status: choice(
        ['active', 'done', 'waiting', 'failed', 'stopped'],
        'waiting: the agent asked a question, which the next message answers.',
        { example: 'done' },
      ),
      feedback: array(Type.Object(messageContent), 'The replies so far, in order.'),
      citations: array(
        Type.Object({
          message_id: messageId,
          index: integer('Number of the passage in the reply.', 1),
          file_name: string('Name of the document.', 'handbook.pdf'),
          content: string('The passage.', 'Holidays are requested two weeks ahead.'),
          ...optional({
            source_url: string('Address of the web page that is cited.', 'https://example.com/holidays'),
            page: integer('First page of the passage, in formats that have pages.', 3),
            last_page: integer('Last page of the passage.', 4),
          }),
        }),
        'Passages that the replies cite.',
      ),
      ...optional({
        options: array(Type.String(), 'Suggested answers of a question.'),
        annotation_id: annotationId,
        error: Type.Object(
          { reason: string('Reason code of the error.', 'model_failed'), message: string('What happened.') },
          { description: 'Why the turn failed.' },
        ),
      }),
    }),
  },
  versions: {
    method: 'GET',
    access: 'public',
    summary: 'Get an earlier version of a turn',
    details:
      'A turn that was sent with `replaces` has earlier versions: the turn that it replaced, the turn that this one had replaced, and so on. They are counted from 1.',
    headers: visitor,
    query: Type.Object({
      ...{ agent_id: agentId, conversation_id: conversationId, chat_id: chatId },
      version: Type.String({ pattern: countPattern, description: 'The version, from 1.' }),
    }),
    data: Type.Object({
      ...{ conversation_id: conversationId, chat_id: chatId },
      version: integer('The version, from 1.', 1),
      versions: integer('Number of versions, including the current one.', 2),
      retrieve_data: array(
        message,
        'The messages of that version of the turn, and of the turns after it, oldest first.',
      ),
    }),
  },
  suggestions: {
    access: 'public',
    summary: 'Suggest questions after an answer',
    details:
      'For an agent with `config.suggest_questions`. A model generates them once, at the first request or with the streamed answer; later requests return the stored questions. Empty if the setting of the agent is off, the answer failed, or there is no model.',
    headers: visitor,
    body: Type.Object({ agent_id: agentId, conversation_id: conversationId, chat_id: chatId }),
    data: Type.Object({
      ...{ conversation_id: conversationId, chat_id: chatId },
      questions: array(Type.String(), 'Questions that the user may ask next.', {
        example: ['Can I carry days over?'],
      }),
    }),
  },
  stop: {
    access: 'public',
    summary: 'Stop the answer in progress',
    details: 'Existing replies are kept.',
    headers: visitor,
    body: Type.Object({ agent_id: agentId, conversation_id: conversationId }),
    data: Type.Object({
      conversation_id: conversationId,
      stopped: boolean('False if no answer was in progress, or its run has not started yet.'),
    }),
  },
  upload: {
    access: 'public',
    summary: 'Upload a file into a conversation',
    details: `The file belongs to the conversation: it can be sent only there, is read with conversation.file, and is deleted with the conversation, unless an editor has made a document of a knowledge base from it. At most ${limits.conversationFiles} files of ${limits.conversationFileBytes >> 20} MiB each: images, audio, video, and documents that can be read. Send multipart/form-data with one part \`file\`, or the raw bytes as the body with the name in ?name= or Content-Disposition, or JSON with the content in base64.`,
    headers: visitor,
    query: Type.Object({
      ...{ agent_id: agentId, conversation_id: conversationId },
      name: Type.Optional(string('File name for a raw body.')),
    }),
    body: uploadBody,
    bodyLimit: limits.jsonUploadBytes,
    streamsBody: true,
    creates: true,
    data: fileRecord,
    example: { name: 'hello.txt', content_base64: 'SGVsbG8gYmFueWFuLgo=' },
  },
  file: {
    method: 'GET',
    access: 'public',
    summary: 'Download a file of a message',
    details:
      'Readable for everyone who may read the message. Supports Range and conditional requests. Types that can contain scripts are sent as an attachment.',
    query: Type.Object({
      ...{ agent_id: agentId, conversation_id: conversationId },
      message_id: text('The message that has the file in its `file_list`.', [1, 200]),
      file_id: fileId,
    }),
    headers: { ...visitor, ...contentHeaders },
    answers: 'application/octet-stream',
  },
  retrieve: {
    access: 'public',
    summary: 'Get the newest messages of a conversation, in chronological order',
    headers: visitor,
    body: Type.Object({
      agent_id: agentId,
      conversation_id: conversationId,
      ...optional({
        limit: integerIn('Maximum number of messages.', [1, limits.messagesPerCall], { default: 100 }),
        offset: integerIn('Number of newest messages to skip.', [0, Number.MAX_SAFE_INTEGER], { default: 0 }),
        details: onOff(
          '1: include `run_id` and `rating` of each message, and tool calls, reasoning and suggestions of each turn.',
        ),
      }),
    }),
    data: Type.Object({
      conversation_id: conversationId,
      retrieve_data: array(message, 'Messages, newest last.'),
    }),
    example: {
      agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA',
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      limit: 100,
      offset: 0,
    },
  },
  export: {
    access: 'read',
    changes: {
      id: 'body.agent_id',
      shows: ['conversation_id', 'format', 'user_id', 'keyword', 'rating', 'from', 'to'],
      isRead: true,
    },
    summary: 'Export the messages of conversations as a file',
    details: `One line per message; conversations are in the order of the list, their messages in chronological order. The filters are those of the list. It is streamed, and has at most ${limits.exportedConversations} conversations: for the rest, send the \`conversation_updated_at\` of the last line as \`to\`. Messages that were replaced are left out. In CSV, cells that a spreadsheet would evaluate begin with an apostrophe. \`json\` and \`markdown\` are for one conversation and need \`conversation_id\`. The export is in the audit log.`,
    body: Type.Object({
      format: choice(['csv', 'jsonl', 'json', 'markdown'], 'Format of the file.', { example: 'csv' }),
      ...optional({ conversation_id: conversationId, ...filterFields }),
    }),
    answers: 'text/csv',
    example: { format: 'csv', agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', from: '2026-11-01' },
  },
  list: {
    access: 'public',
    summary: 'List conversations, most recently updated first',
    details: `A runner sees only the conversations of its agents. ${forVisitors}`,
    headers: visitor,
    body: Type.Object({
      ...optional(filterFields),
      ...pagingFields,
    }),
    data: pageOf(named('Conversation', Type.Object(conversationFields))),
    example: { agent_id: 'agent_Zk3xV0m2q1c5b7n9d1f3gA', page: 1, page_size: 20 },
  },
  rename: {
    access: 'public',
    summary: 'Rename a conversation',
    details: forVisitors,
    headers: visitor,
    body: Type.Object({ conversation_id: conversationId, name, ...optional({ agent_id: agentId }) }),
    data: Type.Object({ conversation_id: conversationId }),
  },
  delete: {
    access: 'public',
    changes: { id: 'body.conversation_id' },
    summary: 'Delete a conversation with all its messages, and the files uploaded in it',
    details: `A run in progress is stopped. ${forVisitors}`,
    headers: visitor,
    body: Type.Object({ conversation_id: conversationId, ...optional({ agent_id: agentId }) }),
    data: Type.Object({ conversation_id: conversationId }),
  },
  feedback: {
    access: 'public',
    summary: 'Rate a reply',
    details: `A new rating of the same message replaces the previous one. ${forVisitors}`,
    headers: visitor,
    body: Type.Object({
      conversation_id: conversationId,
      message_id: text('The rated message.', [1, 200]),
      rating: orNull(Type.Enum(['like', 'dislike']), 'like or dislike; null removes the rating.', 'like'),
      ...optional({
        comment: text('Reason for the rating.', [0, limits.descriptionLength]),
        agent_id: agentId,
      }),
    }),
    data: Type.Object({ conversation_id: conversationId, message_id: messageId }),
    example: {
      conversation_id: 'conv_Zk3xV0m2q1c5b7n9d1f3gA',
      message_id: 'msg_Zk3xV0m2q1c5b7n9d1f3gA',
      rating: 'like',
    },
  },
})
