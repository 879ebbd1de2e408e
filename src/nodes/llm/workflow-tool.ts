import { isJsonRecord, type JsonRecord, ownValue } from '../../workflow/node-kind.ts'
import type { Step } from '../../workflow/step.ts'
import { withGivenFiles } from '../given-files.ts'
import { parameterSchema } from './parameter-schema.ts'
import type { WorkflowSource } from './source.ts'
import { ChildWaits, type Tool } from './tool.ts'

const asked = { query: { type: 'string', description: 'What the workflow is asked.' } }

/** Lets the model run another workflow, which says nothing to the user by itself. */
export function workflowTool(source: WorkflowSource, step: Step): Tool {
  const schema = parameterSchema(source.parameters)
  const properties = ownValue(schema, 'properties')
  const takesFiles = isJsonRecord(properties) && Object.hasOwn(properties, 'files')
  const takesNothing = isJsonRecord(properties) && Object.keys(properties).length === 0
  return {
    name: source.name || 'run_workflow',
    description: source.description || `Runs the workflow ${source.name || source.id} and gives its answer.`,
    parameters: takesNothing ? { type: 'object', properties: asked, required: ['query'] } : schema,
    async call(args, { name }) {
      const call = { name, workflowId: source.id, inputs: inputsOf(args, takesFiles), sendsMessages: false }
      const result = await step.runWorkflow(call)
      if (result.status === 'waiting') throw new ChildWaits()
      return JSON.stringify({ answer: result.answer, outputs: result.outputs })
    },
  }
}

/** A model that was not asked for files must not choose some of the workspace; those of the run are meant then. */
function inputsOf({ files, ...args }: JsonRecord, takesFiles: boolean): JsonRecord {
  return takesFiles && files !== undefined ? withGivenFiles({ ...args, files }) : args
}
