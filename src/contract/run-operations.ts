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
        description: 'What the user says: `sys.query`.',
        examples: ['Hello'],
      }),
    ),
    files: Type.Optional(files),
    action: Type.Optional(text({ maxLength: limits.messageLength, description: '`sys.action`.' })),
  },
  {
    additionalProperties: true,
    description: 'What the run is handed. Further members are found in `sys.inputs`.',
  },
)

const stream = Type.Integer({
  minimum: 0,
  maximum: 1,
  default: 0,
  description: '1: answer with the events of the run (text/event-stream) while it runs.',
})
const waitSeconds = Type.Integer({
  minimum: 0,
  maximum: limits.runWaitMilliseconds / 1000,
  default: limits.runWaitMilliseconds / 1000,
  description: 'Seconds to wait for the end; then the answer tells how the run stands. The run goes on.',
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
      'A run that fails is no failing call: `status` and `error` tell. It goes on when the client goes away, and survives a crash of the server. Sent again with the same Idempotency-Key it finds the run that it started, for as long as that is kept, whatever `stream` and `wait` say. A token of the role runner is bound to its agents and may not run workflows by themselves; it talks to an agent through /conversation/chat.',
    body: Type.Object({
      id: workflowId,
      inputs: Type.Optional(inputs),
      stream: Type.Optional(stream),
      wait: Type.Optional(waitSeconds),
      version: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'An old version; the newest one where it is left out.',
        }),
      ),
      user_id: Type.Optional(
        text({ maxLength: limits.userLength, description: 'Whom it works for: `sys.user_id`.' }),
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
    summary: 'Run one node of a stored workflow by itself',
    details: 'What the node refers to is taken from `outputs`, as if the nodes before it had given that.',
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
          description: 'Outputs of other nodes: by the id of the node, then by name.',
          examples: [{}],
        }),
      ),
    }),
    bodyLimit: limits.graphBytes,
    data: Type.Object({
      ...runResult,
      node: Type.Union([nodeRecord, Type.Null()], { description: 'The node as it ran.' }),
    }),
    example: { id: 'wf_hello', node_id: 'llm_1', inputs: { query: 'Hello' } },
  },
  list: {
    ...common,
    name: 'workflow.runs',
    method: 'GET',
    path: `${basePath}/workflow/runs`,
    access: 'token',
    summary: 'History of runs, newest first',
    details: `Of an answer the first ${limits.listedAnswerLength} characters are shown. A runner sees the runs of its agents; one with several agents names one in agent_id.`,
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
    summary: 'A run with every node that it ran',
    details: 'A runner sees the runs of its agents, and of their nodes not what these were handed.',
    data: Type.Object(runDetails),
  },
  events: {
    ...common,
    ...runPath,
    name: 'workflow.runEvents',
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}/events`,
    access: 'token',
    summary: 'The events of a run, from the start or behind a given one, while it runs and after',
    details:
      'Each event has a growing `id`, a name in `event`, and in `data` one JSON object with run_id, seq, at and its own fields. It ends when the run ends or waits. Last-Event-ID outranks `after`. A runner may listen to the runs of its agents.',
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Number of the last event that you have.',
        }),
      ),
    }),
    headers: { 'Last-Event-ID': 'Number of the last event that you have.' },
    answers: 'text/event-stream',
  },
  stop: {
    ...common,
    ...runPath,
    name: 'workflow.stopRun',
    method: 'POST',
    path: `${basePath}/workflow/runs/{run_id}/stop`,
    access: 'run',
    summary: 'Stop a run; what it said so far stays',
    details: 'One that has ended already stays as it is. A runner may stop the runs of its agents.',
    data: Type.Object(runRecord),
  },
  resume: {
    ...common,
    ...runPath,
    name: 'workflow.resumeRun',
    method: 'POST',
    path: `${basePath}/workflow/runs/{run_id}/resume`,
    access: 'run',
    summary: 'Answer a run that waits, and let it go on',
    details:
      'It fails with version_conflict when the run does not wait. A run of a conversation is answered with the next message of that conversation instead.',
    body: Type.Object({
      answer: text({ maxLength: limits.messageLength, description: 'What the user answers.' }),
      files: Type.Optional(files),
      stream: Type.Optional(stream),
      wait: Type.Optional(waitSeconds),
    }),
    streams: true,
    data: Type.Object(runResult),
    example: { answer: 'A large one, please' },
  },
} as const satisfies Record<string, Operation>
