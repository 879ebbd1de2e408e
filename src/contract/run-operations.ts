import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { nodeRecord, runDetails, runId, runRecord, runResult, runStatus } from './run-records.ts'
import { id, text } from './text.ts'

const workflowId = id('Workflow id.', 'wf_hello')
const fileId = id('File id.', 'file_Zk3xV0m2q1c5b7n9d1f3gA')

const files = Type.Array(Type.Union([fileId, Type.Object({ file_id: fileId })]), {
  maxItems: limits.messageFiles,
  description: 'Uploaded files: their ids, or objects with `file_id`.',
  examples: [[]],
})

const inputs = Type.Object(
  {
    query: Type.Optional(
      text({
        maxLength: limits.messageLength,
        description: 'The user’s message: `sys.query`.',
        examples: ['Hello'],
      }),
    ),
    files: Type.Optional(files),
    action: Type.Optional(text({ maxLength: limits.messageLength, description: '`sys.action`.' })),
  },
  {
    additionalProperties: true,
    description: 'Inputs of the run. Additional fields are available in `sys.inputs`.',
  },
)

const stream = Type.Integer({
  minimum: 0,
  maximum: 1,
  default: 0,
  description: '1: stream the events of the run (text/event-stream).',
})
const waitSeconds = Type.Integer({
  minimum: 0,
  maximum: limits.runWaitMilliseconds / 1000,
  default: limits.runWaitMilliseconds / 1000,
  description:
    'Seconds to wait for the run to end. After that the response contains the current state, and the run continues.',
})

const common = { family: 'workflow' } as const
const runPath = { params: Type.Object({ run_id: runId }) } as const

export const runOperations = {
  run: {
    ...common,
    name: 'workflow.run',
    method: 'POST',
    path: `${basePath}/workflow/run`,
    access: 'run',
    summary: 'Run a stored workflow',
    details:
      'A failed run is still a successful call: see `status` and `error`. The run continues if the client disconnects, and survives a server crash. A retry with the same Idempotency-Key returns the run that the first call started, as long as that run is kept, whatever `stream` and `wait` are. A token with the role runner is bound to its agents and cannot run workflows directly; it uses /conversation/chat.',
    body: Type.Object({
      id: workflowId,
      inputs: Type.Optional(inputs),
      stream: Type.Optional(stream),
      wait: Type.Optional(waitSeconds),
      version: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Version to run; default: the newest.',
        }),
      ),
      user_id: Type.Optional(
        text({ maxLength: limits.userLength, description: 'Your own id for the user: `sys.user_id`.' }),
      ),
    }),
    creates: true,
    streams: true,
    data: Type.Object(runResult),
    example: { id: 'wf_hello', inputs: { query: 'Hello' }, stream: 0 },
  },
  debug: {
    ...common,
    name: 'workflow.debug',
    method: 'POST',
    path: `${basePath}/workflow/debug`,
    access: 'write',
    summary: 'Run a single node of a stored workflow',
    details: 'References to other nodes are resolved from `outputs`.',
    body: Type.Object({
      id: workflowId,
      node_id: text({
        minLength: 1,
        maxLength: 1000,
        description: 'The node to run.',
        examples: ['llm_1'],
      }),
      inputs: Type.Optional(inputs),
      outputs: Type.Optional(
        Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
          description: 'Outputs of other nodes, by node id and output name.',
          examples: [{}],
        }),
      ),
    }),
    bodyLimit: limits.graphBytes,
    data: Type.Object({
      ...runResult,
      node: Type.Union([nodeRecord, Type.Null()], { description: 'Record of the node.' }),
    }),
    example: { id: 'wf_hello', node_id: 'llm_1', inputs: { query: 'Hello' } },
  },
  list: {
    ...common,
    name: 'workflow.runs',
    method: 'GET',
    path: `${basePath}/workflow/runs`,
    access: 'token',
    summary: 'List runs, newest first',
    details: `Answers are cut after ${limits.listedAnswerLength} characters. A runner sees the runs of its agents; a runner with several agents must set agent_id.`,
    query: Type.Object({
      id: Type.Optional(workflowId),
      status: Type.Optional(runStatus),
      agent_id: Type.Optional(id('Runs of this agent.', 'agent_x')),
      conversation_id: Type.Optional(id('Runs of this conversation.', 'conv_x')),
      ...pagingFields,
    }),
    data: pageOf(Type.Object(runRecord)),
  },
  get: {
    ...common,
    ...runPath,
    name: 'workflow.getRun',
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}`,
    access: 'token',
    summary: 'Get a run with the record of every node',
    details: 'A runner sees the runs of its agents, without the inputs of the nodes.',
    data: Type.Object(runDetails),
  },
  events: {
    ...common,
    ...runPath,
    name: 'workflow.runEvents',
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}/events`,
    access: 'token',
    summary: 'Stream the events of a run, from the start or after a given event',
    details:
      'Works during the run and after it. Each event has an increasing `id`, a name in `event`, and in `data` one JSON object with run_id, seq, at and its own fields. The stream ends when the run ends or waits. Last-Event-ID takes precedence over `after`. A runner may read the events of runs of its agents.',
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Id of the last event received.',
        }),
      ),
    }),
    headers: { 'Last-Event-ID': 'Id of the last event received.' },
    answers: 'text/event-stream',
  },
  stop: {
    ...common,
    ...runPath,
    name: 'workflow.stopRun',
    method: 'POST',
    path: `${basePath}/workflow/runs/{run_id}/stop`,
    access: 'run',
    summary: 'Stop a run',
    details:
      'Output so far is kept. A run that has already ended is unchanged. A runner may stop runs of its agents.',
    data: Type.Object(runRecord),
  },
  resume: {
    ...common,
    ...runPath,
    name: 'workflow.resumeRun',
    method: 'POST',
    path: `${basePath}/workflow/runs/{run_id}/resume`,
    access: 'run',
    summary: 'Resume a waiting run with an answer',
    details:
      'Fails with version_conflict if the run is not waiting. A run of a conversation is resumed by the next message of the conversation instead.',
    body: Type.Object({
      answer: text({ maxLength: limits.messageLength, description: 'The user’s answer.' }),
      files: Type.Optional(files),
      stream: Type.Optional(stream),
      wait: Type.Optional(waitSeconds),
    }),
    streams: true,
    data: Type.Object(runResult),
    example: { answer: 'A large one, please' },
  },
} as const satisfies Record<string, Operation>
