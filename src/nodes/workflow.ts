import { type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'
import { StepFailure, waitForChildren } from '../workflow/step.ts'
import { withGivenFiles } from './given-files.ts'
import { readRecord, readText } from './read-setting.ts'

/** Runs another stored workflow in place of this node. */
export const workflow: NodeKind<unknown> = {
  kind: 'workflow',
  nodeType: 'tool',
  title: 'Workflow',
  fields: {
    workflow_id: { is: 'template', input: 'workflow' },
    inputs: { is: 'dictionary', of: { is: 'tree', input: 'line' } },
    speaks: { is: 'boolean' },
  },
  required: ['workflow_id'],
  // Whatever the other workflow gives, which may have changed by the time it runs.
  outputs: () => undefined,
  sendsMessages: true,
  waits: true,
  // As long as a whole run may take: its steps have their own limits.
  timeoutMilliseconds: 20 * 60_000,
  async run(step, data) {
    const workflowId = step.text(readText(data, 'workflow_id')).trim()
    if (workflowId === '') throw new StepFailure('step_failed', 'No workflow is named; check "workflow_id".')
    const { query, files } = step.system
    const inputs = step.fill(readRecord(data, 'inputs')) as JsonRecord
    const child = await step.runWorkflow({
      name: 'child',
      workflowId,
      // Without inputs of its own it is asked what this one was asked.
      inputs: withGivenFiles({ query, files, ...inputs }),
      sendsMessages: ownValue(data, 'speaks') !== false,
    })
    if (child.status === 'waiting') return waitForChildren
    // Last, so that `result` and `text` mean the same whatever names the other workflow uses.
    return { outputs: { ...child.outputs, result: child.outputs, text: child.answer } }
  },
}
