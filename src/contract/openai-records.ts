import { anyObject, array, boolean, choice, integer, named, optional, orNull, string } from './fields.ts'
import { runEventSchema } from './run-events.ts'
import { Type } from './schema.ts'

const created = integer('Seconds since 1970.', 1_794_731_400)
const model = string('The requested model.', 'agent_Zk3xV0m2q1c5b7n9d1f3gA')

export const openaiModel = named(
  'OpenaiModel',
  Type.Object({
    id: string(
      'The id of an agent, or `workflow/` and the id of a workflow.',
      'agent_Zk3xV0m2q1c5b7n9d1f3gA',
    ),
    object: Type.Literal('model'),
    created,
    owned_by: choice(['agent', 'workflow'], 'Kind: agent or workflow.', { example: 'agent' }),
    name: string('Name of the agent or the workflow.', 'Guide'),
  }),
)

export const openaiModelList = named(
  'OpenaiModelList',
  Type.Object({ object: Type.Literal('list'), data: Type.Array(openaiModel) }),
)

/** Fields of every response in addition to those of OpenAI. */
const extensions = {
  run_id: string('The run that answered; its trace is in `workflow.getRun`.', 'run_Zk3xV0m2q1c5b7n9d1f3gA'),
}

const usage = named(
  'CompletionUsage',
  Type.Object({
    prompt_tokens: integer('Prompt tokens of all model calls.', 120),
    completion_tokens: integer('Completion tokens of all model calls.', 30),
    total_tokens: integer('Prompt and completion tokens.', 150),
  }),
)

const urlCitation = named(
  'UrlCitation',
  Type.Object({
    type: Type.Literal('url_citation'),
    url_citation: Type.Object({
      start_index: integer('Start of the mark in the text.', 18),
      end_index: integer('End of the mark in the text.', 21),
      title: string('Name of the document.', 'handbook.md'),
      url: string('Address of the web page, or of the file, which needs a token.'),
    }),
  }),
)

const annotations = array(
  urlCitation,
  'The documents that marks such as [1] refer to; absent if there are none.',
)
const conversationId = string(
  'The conversation; send it in the next request to continue it. Empty for a workflow.',
  'conv_Zk3xV0m2q1c5b7n9d1f3gA',
)

const finishReason = choice(
  ['stop', 'length', 'content_filter'],
  'Why the answer ends: `length` and `content_filter` if the model provider cut it off.',
  { example: 'stop' },
)

export const openaiCompletion = named(
  'ChatCompletion',
  Type.Object({
    id: string('Id of the response.', 'chatcmpl-Zk3xV0m2q1c5b7n9d1f3gA'),
    object: Type.Literal('chat.completion'),
    created,
    model,
    choices: array(
      Type.Object({
        index: Type.Literal(0),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: string('The answer. Several messages are separated by an empty line.'),
          refusal: Type.Null(),
          ...optional({ annotations }),
        }),
        logprobs: Type.Null(),
        finish_reason: finishReason,
      }),
      'One choice.',
    ),
    usage,
    conversation_id: conversationId,
    ...extensions,
  }),
)

/** The data of one event of a streamed completion; the last event is `[DONE]`. */
export const openaiCompletionChunk = named(
  'ChatCompletionChunk',
  Type.Object({
    id: string('Id of the response.', 'chatcmpl-Zk3xV0m2q1c5b7n9d1f3gA'),
    object: Type.Literal('chat.completion.chunk'),
    created,
    model,
    choices: array(
      Type.Object({
        index: Type.Literal(0),
        delta: Type.Object(
          optional({
            role: Type.Literal('assistant'),
            content: string('The next piece of the answer.'),
            annotations,
          }),
        ),
        logprobs: Type.Null(),
        finish_reason: orNull(finishReason, 'Set in the last one.'),
      }),
      'Empty in the chunk with `usage`.',
    ),
    ...optional({
      usage: orNull(usage, 'With `stream_options.include_usage`, in the last chunk.'),
      run_event: runEventSchema,
    }),
    conversation_id: conversationId,
    ...extensions,
  }),
)

const fileCitation = named(
  'FileCitation',
  Type.Object({
    type: Type.Literal('file_citation'),
    file_id: string('Id of the document.', 'file_Zk3xV0m2q1c5b7n9d1f3gA'),
    filename: string('Name of the document.', 'handbook.md'),
    index: integer('Start of the mark in the text.', 18),
  }),
)

const outputText = named(
  'OutputText',
  Type.Object({
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: array(fileCitation, 'The documents that marks such as [1] refer to.'),
    logprobs: Type.Array(Type.Unknown()),
  }),
)

const outputMessage = named(
  'OutputMessage',
  Type.Object({
    type: Type.Literal('message'),
    id: string('Id of the item.'),
    status: choice(['in_progress', 'completed', 'incomplete'], 'Whether it is complete.'),
    role: Type.Literal('assistant'),
    content: Type.Array(outputText),
  }),
)

export const openaiResponse = named(
  'OpenaiResponse',
  Type.Object({
    id: string('Id of the response; `previous_response_id` of the next request.'),
    object: Type.Literal('response'),
    created_at: created,
    status: choice(
      ['in_progress', 'completed', 'incomplete', 'failed', 'cancelled'],
      'State of the response; `incomplete` if the model provider cut off the answer.',
    ),
    model,
    output: array(outputMessage, 'The messages of the agent, in order.'),
    previous_response_id: orNull(Type.String(), 'As sent.'),
    conversation: orNull(
      Type.Object({ id: conversationId }),
      'The conversation of the response; null for a workflow.',
    ),
    instructions: orNull(Type.String(), 'As sent.'),
    metadata: anyObject('As sent.'),
    error: orNull(Type.Object({ code: Type.String(), message: Type.String() }), 'Why it failed.'),
    incomplete_details: orNull(
      Type.Object({
        reason: choice(['max_output_tokens', 'content_filter'], 'Why the model provider cut off the answer.'),
      }),
      'Why it is incomplete.',
    ),
    usage: orNull(
      Type.Object({
        input_tokens: integer('Prompt tokens of all model calls.', 120),
        input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
        output_tokens: integer('Completion tokens of all model calls.', 30),
        output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
        total_tokens: integer('Prompt and completion tokens.', 150),
      }),
      'Null until it is complete.',
    ),
    tools: array(Type.Unknown(), 'Always empty: an agent uses its own tools.'),
    tool_choice: Type.Literal('auto'),
    parallel_tool_calls: Type.Boolean(),
    temperature: Type.Null(),
    top_p: Type.Null(),
    store: boolean('Always true: conversations are stored.'),
    ...extensions,
  }),
)

export const openaiError = named(
  'OpenaiFailure',
  Type.Object({
    error: Type.Object({
      message: string('What happened and what to do.'),
      type: string('Type of the error.', 'invalid_request_error'),
      param: orNull(Type.String(), 'The invalid field, such as `messages[0].content`.'),
      code: string('Code of the error.', 'model_not_found'),
    }),
  }),
)

/** The data of one event of a streamed response. Which fields it has depends on its type. */
export const openaiResponseEvent = named(
  'ResponseEvent',
  Type.Object({
    type: string('Type of the event; also its name.', 'response.output_text.delta'),
    sequence_number: integer('Number of the event, from 0.', 4),
    ...optional({
      response: openaiResponse,
      item_id: Type.String(),
      output_index: Type.Integer(),
      content_index: Type.Integer(),
      item: outputMessage,
      part: outputText,
      delta: string('The next piece of the text.'),
      text: string('The whole text.'),
      annotation: fileCitation,
      annotation_index: Type.Integer(),
      logprobs: Type.Array(Type.Unknown()),
      run_event: runEventSchema,
    }),
  }),
)
