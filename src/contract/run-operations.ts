import { array, choice, id, integerIn, moment, named, onOff, optional, orNull, text } from './fields.ts'
import { fileId } from './file-operations.ts'
import { variablesData } from './input-variable.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { runEventSchema } from './run-events.ts'
import { nodeRecord, runDetails, runId, runRecord, runResult, runStatus } from './run-records.ts'
import { Type } from './schema.ts'
import { versionNumber, workflowId } from './workflow-records.ts'

const files = array(
  Type.Union([fileId, Type.Object({ file_id: fileId })]),
  'Uploaded files: their ids, or objects with `file_id`.',
  { max: limits.messageFiles, example: [] },
)

const inputs = Type.Object(
  optional({
    query: text('The user’s message: `sys.query`.', [0, limits.messageLength], { example: 'Hello' }),
    files,
    action: text('`sys.action`.', [0, limits.messageLength]),
  }),
  {
    additionalProperties: true,
    maxProperties: limits.inputs,
    description:
      'Inputs of the run: the input variables of the workflow by name, which are checked, and any others. All are available in `sys.inputs`.',
  },
)

const stream = onOff('1: stream the events of the run (text/event-stream).')
const waitSeconds = integerIn(
  'Seconds to wait for the run to end. After that the response contains the current state, and the run continues.',
  [0, limits.runWaitMilliseconds / 1000],
  { default: limits.runWaitMilliseconds / 1000 },
)

const runPath = { params: Type.Object({ run_id: runId }) } as const

export const runOperations = defineOperations('workflow', {
  run: {
    access: 'run',
    summary: 'Run a stored workflow',
    details:
      'A failed run is still a successful call: see `status` and `error`. The run continues if the client disconnects, and survives a server crash. A retry with the same Idempotency-Key returns the run that the first call started, as long as that run is stored, even if `stream` or `wait` differ. A token with the role runner is bound to its agents and cannot run workflows directly; it uses /conversation/chat.',
    body: Type.Object({
      id: workflowId,
      ...optional({
        inputs,
        query: text('The same as `inputs.query`.', [0, limits.messageLength]),
        stream,
        wait: waitSeconds,
        version: Type.Union([versionNumber, Type.Literal('draft')], {
          description:
            'Version to run, or `draft` for the newest; default: the published version, or the newest if none is published.',
        }),
        user_id: text('Your own id for the user: `sys.user_id`.', [0, limits.userLength]),
      }),
    }),
    bodyLimit: limits.messageBytes,
    creates: true,
    streams: true,
    events: runEventSchema,
    data: named('RunResult', Type.Object(runResult)),
    example: { id: 'wf_hello', inputs: { query: 'Hello' }, stream: 0 },
  },
  variables: {
    method: 'GET',
    access: 'read',
    summary: 'List the input variables of a workflow, for a form',
    details:
      'They are declared by the input node of the published version, or of the newest version if none is published. A run with invalid `inputs` is refused.',
    query: Type.Object({ id: workflowId }),
    data: variablesData,
  },
  debug: {
    access: 'write',
    summary: 'Run a single node of a stored workflow',
    details:
      'References to other nodes are resolved from `outputs`. The response contains the outputs of the node.',
    body: Type.Object({
      id: workflowId,
      node_id: text('The node to run.', [1, 1000], { example: 'llm_1' }),
      ...optional({
        inputs,
        outputs: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
          description: 'Outputs of other nodes, by node id and output name.',
          examples: [{}],
        }),
        stream,
        wait: waitSeconds,
      }),
    }),
    bodyLimit: limits.graphBytes,
    creates: true,
    streams: true,
    events: runEventSchema,
    data: named(
      'DebugResult',
      Type.Object({ ...runResult, node: orNull(nodeRecord, 'Record of the node.') }),
    ),
    example: { id: 'wf_hello', node_id: 'llm_1', inputs: { query: 'Hello' } },
  },
  runs: {
    method: 'GET',
    access: 'token',
    summary: 'List runs, newest first',
    details: `Answers are truncated to ${limits.listedAnswerLength} characters. A runner sees the runs of its agents; a runner with several agents must set agent_id.`,
    query: Type.Object({
      ...optional({
        id: workflowId,
        status: runStatus,
        agent_id: id('Runs of this agent.', 'agent_x'),
        conversation_id: id('Runs of this conversation.', 'conv_x'),
        user_id: text('Runs of this user.', [1, limits.userLength], { example: 'u1' }),
        from: moment('Runs that started at this time or later.'),
        to: moment('Runs that started before this time.'),
        keyword: text(
          `Runs whose question or answer contains this text (case-insensitive) within the first ${limits.indexedTextLength} characters, in any case. A run is found a few seconds after it ended.`,
          [0, limits.nameLength],
        ),
      }),
      ...pagingFields,
    }),
    data: pageOf(named('Run', Type.Object(runRecord))),
  },
  getRun: {
    ...runPath,
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}`,
    access: 'token',
    summary: 'Get a run with the record of every node',
    details: 'A runner sees the runs of its agents, without the inputs of the nodes.',
    data: named('RunDetails', Type.Object(runDetails)),
  },
  exportRun: {
    ...runPath,
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}/export`,
    access: 'read',
    summary: 'Download the trace of a run',
    details:
      '`json`: the run with the record of every node, as workflow.getRun returns it. `otlp`: the same as spans in the JSON of OTLP, which OpenTelemetry collectors and tracing tools import; inputs and outputs are attributes.',
    query: Type.Object(
      optional({ format: choice(['json', 'otlp'], 'Format of the file.', { default: 'json' }) }),
    ),
    answers: 'application/json',
  },
  rerun: {
    ...runPath,
    path: `${basePath}/workflow/runs/{run_id}/rerun`,
    access: 'run',
    summary: 'Run again with the same or edited inputs',
    details:
      'Starts a new run of the same workflow, or of the same graph if the run belonged to an agent with a persona. The new run is not part of a conversation: earlier messages are not repeated. Runs of a single node (`debug`) cannot be repeated this way.',
    body: Type.Object(
      optional({
        inputs,
        version: Type.Union([versionNumber, Type.Enum(['same', 'draft', 'published'])], {
          description: 'Version to run; default: the same one.',
          default: 'same',
        }),
        stream,
        wait: waitSeconds,
      }),
    ),
    bodyLimit: limits.messageBytes,
    creates: true,
    streams: true,
    events: runEventSchema,
    data: named('RunResult', Type.Object(runResult)),
    example: { inputs: { query: 'Hello again' } },
  },
  runEvents: {
    ...runPath,
    method: 'GET',
    path: `${basePath}/workflow/runs/{run_id}/events`,
    access: 'token',
    summary: 'Stream the events of a run, from the start or after a given event',
    details:
      'Works during the run and after it. Each event has an increasing `id`, a name in `event`, and in `data` one JSON object with run_id, seq, at and its own fields. The stream ends when the run ends or waits. Last-Event-ID takes precedence over `after`. A runner may read the events of runs of its agents.',
    query: Type.Object({
      after: Type.Optional(integerIn('Id of the last event received.', [0, Number.MAX_SAFE_INTEGER])),
    }),
    headers: { 'Last-Event-ID': 'Id of the last event received.' },
    answers: 'text/event-stream',
    events: runEventSchema,
  },
  stopRun: {
    ...runPath,
    path: `${basePath}/workflow/runs/{run_id}/stop`,
    access: 'run',
    summary: 'Stop a run',
    details:
      'Existing output is kept. A run that has already ended is not changed. A runner may stop runs of its agents.',
    data: named('Run', Type.Object(runRecord)),
  },
  resumeRun: {
    ...runPath,
    path: `${basePath}/workflow/runs/{run_id}/resume`,
    access: 'run',
    summary: 'Resume a waiting run with an answer',
    details:
      'Fails with version_conflict if the run is not waiting. A run of a conversation is resumed by the next message of the conversation instead.',
    body: Type.Object({
      answer: text('The user’s answer.', [0, limits.messageLength]),
      ...optional({ files, stream, wait: waitSeconds }),
    }),
    bodyLimit: limits.messageBytes,
    streams: true,
    events: runEventSchema,
    data: named('RunResult', Type.Object(runResult)),
    example: { answer: 'A large one, please' },
  },
})
