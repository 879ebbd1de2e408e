import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { stepFailed, waitForChildren } from '../workflow/step.ts'
import { defineKind, field, valuesByName } from './kind-definition.ts'
import { readRecord, readText, textOf } from './read-setting.ts'

export const workflow = defineKind({
  kind: 'workflow',
  nodeType: 'tool',
  group: 'logic',
  en: ['Workflow', 'Runs another workflow as a step of this one.'],
  zh: ['子工作流', '在此处运行另一个已保存的工作流。'],
  fields: {
    workflow_id: field(
      { is: 'template', input: 'workflow' },
      ['Workflow', 'The workflow to run.'],
      ['工作流', '要运行的工作流。'],
    ),
    inputs: field(
      valuesByName,
      ['Inputs', 'By name. If empty, the workflow gets the query and the files of this run.'],
      ['输入', '按名称填写。不填时沿用当前的提问和文件。'],
    ),
    speaks: field(
      { is: 'boolean' },
      ['Show messages', 'Whether the user sees its messages. Yes if empty.'],
      ['显示消息', '它发出的消息是否让用户看到。不填时视为“是”。'],
    ),
  },
  required: ['workflow_id'],
  initialData: { workflow_id: '', inputs: { query: '{{#sys.query#}}' }, speaks: true },
  // Those of the other workflow, which may have changed by the time it runs.
  outputs: () => undefined,
  sendsMessages: true,
  waits: true,
  // As long as a whole run may take: its steps have their own limits.
  timeoutMilliseconds: 20 * 60_000,
  async run(step, data) {
    const workflowId = step.text(readText(data, 'workflow_id')).trim()
    if (workflowId === '') throw stepFailed(noWorkflow)
    const { query, files } = step.system
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    const child = await step.runWorkflow({
      name: 'child',
      workflowId,
      inputs: withFilesOnly({ query, files, ...inputs }),
      sendsMessages: ownValue(data, 'speaks') !== false,
    })
    if (child.status === 'waiting') return waitForChildren
    const { outputs, answer } = child
    const text = answer === '' ? textOf(ownValue(outputs, 'text')) : answer
    // `result` and `text` come last, so that outputs of the other workflow cannot replace them.
    return { outputs: { ...outputs, result: outputs, text } }
  },
})

export const noWorkflow = 'No workflow is given after the references in "workflow_id" were replaced.'

/** Removes anything but files from `files` in the inputs of another workflow, because its nodes rely on this. */
export function withFilesOnly(inputs: JsonRecord): JsonRecord {
  const files = ownValue(inputs, 'files') ?? null
  return files === null ? inputs : { ...inputs, files: [files].flat().filter(isFile) }
}

const isFile = (value: unknown): boolean =>
  isJsonRecord(value) && typeof ownValue(value, 'file_id') === 'string'
