import {
  anyObject,
  array,
  boolean,
  choice,
  integerIn,
  optional,
  orNull,
  runInputs,
  string,
  text,
} from './fields.ts'
import { limits } from './limits.ts'
import {
  openaiCompletion,
  openaiCompletionChunk,
  openaiModel,
  openaiModelList,
  openaiResponse,
  openaiResponseEvent,
} from './openai-records.ts'
import { defineOperations, openaiPath } from './operation.ts'
import { Type } from './schema.ts'

const exampleAgent = 'agent_Zk3xV0m2q1c5b7n9d1f3gA'
const exampleResponse = 'resp_Zk3xV0m2q1c5b7n9d1f3gAq1c5b7n9d1f3gAZk3xV0m2'

const model = text(
  'Id or name of an agent, or `workflow/` and the id of a workflow.',
  [1, limits.nameLength],
  {
    example: exampleAgent,
  },
)

/** A part of a message: its `type` determines which other field is used. */
const completionPart = Type.Object({
  type: choice(['text', 'refusal', 'image_url', 'input_audio', 'file'], 'Type of the part.'),
  ...optional({
    text: Type.String(),
    refusal: Type.String(),
    image_url: Type.Object({ url: string('A `data:` URL of an image.') }),
    input_audio: Type.Object({
      data: string('A recording in base64.'),
      format: choice(['wav', 'mp3'], 'Its format.'),
    }),
    file: Type.Object(
      optional({
        file_id: string('Id of an uploaded file.'),
        file_data: string('The content as a `data:` URL, or in base64.'),
        filename: string('Name of the file.'),
      }),
    ),
  }),
})

const responsePart = Type.Object({
  type: choice(['input_text', 'output_text', 'refusal', 'input_image', 'input_file'], 'Type of the part.'),
  ...optional({
    text: Type.String(),
    refusal: Type.String(),
    image_url: orNull(Type.String(), 'A `data:` URL of an image.'),
    file_id: orNull(Type.String(), 'Id of an uploaded file.'),
    file_data: string('The content as a `data:` URL, or in base64.'),
    filename: string('Name of the file.'),
  }),
})

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

const messages = array(
  Type.Object({
    role: choice(
      roles,
      '`system` and `developer` add instructions; results of tools of the client are ignored.',
      { example: 'user' },
    ),
    content: Type.Optional(
      orNull(Type.Union([Type.String(), Type.Array(completionPart)]), 'A text, or parts with files.'),
    ),
  }),
  'The whole conversation; the last message must be one of the user.',
  { min: 1, max: limits.openaiMessages },
)

const inputItem = Type.Object(
  optional({
    type: choice(['message', 'item_reference'], 'Default: `message`.'),
    role: choice(roles, 'As in chat completions.'),
    content: Type.Union([Type.String(), Type.Array(responsePart)]),
    id: string('With `item_reference`: the id of an item of an earlier response.'),
  }),
)

/** Fields of both operations. */
const common = optional({
  stream: orNull(Type.Boolean(), 'Whether the answer is streamed as server-sent events.'),
  user: orNull(
    text('Your own id for the user; agent memory is kept per user.', [0, limits.userLength]),
    'Your own id for the user; agent memory is kept per user.',
    'ada',
  ),
  inputs: runInputs(
    'Not in the OpenAI API: the input variables of the workflow by name, and further inputs for `{{#sys.inputs.name#}}`.',
  ),
  metadata: orNull(
    runInputs('Values of input variables by name, for clients that cannot send `inputs`.'),
    'Values of input variables by name, for clients that cannot send `inputs`. Other entries are only returned with a response.',
  ),
  run_events: boolean(
    'Not in the OpenAI API: whether the stream also contains the events of the run, such as calls of tools.',
  ),
})

const headers = {
  'Idempotency-Key':
    'Identifies the request, so that a retry gets the first answer; it requires a token. The run then continues if the client disconnects.',
}

const settings =
  'The agent determines its model, settings and tools: `temperature`, `max_tokens` and the like are accepted and ignored. Parameters that would change the format of the answer are rejected: `tools`, `n` above 1, `logprobs`, and a modality or response format other than text. If the client disconnects, the run is stopped.'

export const openaiOperations = defineOperations('openai', {
  models: {
    method: 'GET',
    path: `${openaiPath}/models`,
    access: 'run',
    summary: 'List agents and workflows as models',
    details: `A runner gets its own agents. At most ${limits.openaiModels} agents and as many workflows, most recently updated first.`,
    data: openaiModelList,
  },
  model: {
    method: 'GET',
    path: `${openaiPath}/models/{model}`,
    access: 'run',
    summary: 'Get an agent, by id or name, as a model',
    params: Type.Object({ model }),
    data: openaiModel,
  },
  workflowModel: {
    method: 'GET',
    path: `${openaiPath}/models/workflow/{id}`,
    access: 'run',
    summary: 'Get a workflow as a model',
    params: Type.Object({ id: string('Workflow id.', 'wf_hello') }),
    data: openaiModel,
  },
  chatCompletions: {
    path: `${openaiPath}/chat/completions`,
    access: 'public',
    summary: 'Chat with an agent: chat completions',
    details: `The messages contain the whole conversation, which is stored as a new one. With the \`conversation_id\` of an earlier response, that conversation continues, and only the last message is used. ${settings}`,
    headers,
    streams: true,
    bodyLimit: limits.openaiBytes,
    body: Type.Object({
      model,
      messages,
      ...common,
      ...optional({
        stream_options: orNull(
          Type.Object(optional({ include_usage: boolean('Whether a last chunk contains the usage.') })),
          'Options of the stream.',
        ),
        conversation_id: orNull(Type.String(), 'Not in the OpenAI API: the conversation to continue.'),
        n: orNull(Type.Integer(), 'Must be 1.'),
        logprobs: orNull(Type.Boolean(), 'Must be false.'),
        top_logprobs: orNull(Type.Integer(), 'Must be 0.'),
        modalities: orNull(Type.Array(Type.String()), 'Must be text only.'),
        tools: orNull(Type.Array(Type.Unknown()), 'Must be empty.'),
        functions: orNull(Type.Array(Type.Unknown()), 'Must be empty.'),
        response_format: orNull(anyObject<{ type?: unknown }>('Must be text.'), 'Must be text.'),
      }),
    }),
    data: openaiCompletion,
    events: openaiCompletionChunk,
    example: { model: exampleAgent, messages: [{ role: 'user', content: 'What is the secret word?' }] },
  },
  responses: {
    path: `${openaiPath}/responses`,
    access: 'public',
    summary: 'Chat with an agent: responses',
    details: `\`previous_response_id\` continues the conversation after that response, \`conversation\` continues that conversation; otherwise a new one begins. ${settings}`,
    headers,
    streams: true,
    bodyLimit: limits.openaiBytes,
    body: Type.Object({
      model,
      input: Type.Union([Type.String(), Type.Array(inputItem, { maxItems: limits.openaiMessages })], {
        description: 'The message of the user, or the conversation so far.',
      }),
      ...common,
      ...optional({
        instructions: orNull(Type.String(), 'Instructions in addition to the persona of the agent.'),
        previous_response_id: orNull(Type.String(), 'Id of the response to continue after.'),
        conversation: orNull(
          Type.Union([Type.String(), Type.Object({ id: Type.String() })]),
          'Id of the conversation to continue.',
        ),
        background: orNull(Type.Boolean(), 'Must be false.'),
        tools: orNull(Type.Array(Type.Unknown()), 'Must be empty.'),
        text: orNull(anyObject<{ format?: { type?: unknown } }>('Its `format` must be text.'), 'Format.'),
        top_logprobs: orNull(integerIn('Must be 0.', [0, 20]), 'Must be 0.'),
        include: orNull(Type.Array(Type.String()), 'Must not have `message.output_text.logprobs`.'),
      }),
    }),
    data: openaiResponse,
    events: openaiResponseEvent,
    example: { model: exampleAgent, input: 'What is the secret word?' },
  },
  response: {
    method: 'GET',
    path: `${openaiPath}/responses/{id}`,
    access: 'run',
    summary: 'Get an earlier response',
    details:
      'Of the request, only the model is stored, as the id of the agent or the workflow. A response that was stopped is `cancelled`. A workflow that continued after a question has only one response, the latest.',
    params: Type.Object({ id: text('Id of the response.', [1, 100], { example: exampleResponse }) }),
    query: Type.Object(optional({ stream: choice(['false'], 'Streaming is not supported.') })),
    data: openaiResponse,
  },
})
