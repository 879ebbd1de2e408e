import assert from 'node:assert/strict'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import type { JsonRecord, NodeKind } from '../../src/workflow/node-kind.ts'
import { checkFields } from '../../src/workflow/shape.ts'
import type { Outcome, Outputs, Step, Wait } from '../../src/workflow/step.ts'

/** Services of which only the given ones are configured. */
export const fakeServices = (services: Partial<NodeServices> = {}): NodeServices =>
  ({ findWorkflow: async () => undefined, ...services }) as NodeServices

/** Runs a kind on data that a stored graph could contain, and checks its outputs against the declared ones. */
export async function runKind(
  kind: NodeKind<NodeServices>,
  step: Step,
  data: JsonRecord = {},
  services: Partial<NodeServices> = {},
): Promise<Outcome> {
  checkFields(data, kind.fields, '', (path, message) => assert.fail(`${path}: ${message}`))
  const outcome = await kind.run(step, data, fakeServices(services))
  const declared = kind.outputs(data)
  if ('outputs' in outcome && declared)
    for (const name of Object.keys(outcome.outputs))
      assert.ok(declared.includes(name), `${kind.kind} returned ${name}, which it does not declare`)
  return outcome
}

export async function outputsOf(
  kind: NodeKind<NodeServices>,
  step: Step,
  data: JsonRecord = {},
  services: Partial<NodeServices> = {},
): Promise<Outputs> {
  const outcome = await runKind(kind, step, data, services)
  assert.ok('outputs' in outcome, `${kind.kind} waits instead of returning outputs`)
  return outcome.outputs
}

export async function waitOf(
  kind: NodeKind<NodeServices>,
  step: Step,
  data: JsonRecord = {},
  services: Partial<NodeServices> = {},
): Promise<Wait> {
  const outcome = await runKind(kind, step, data, services)
  assert.ok('wait' in outcome, `${kind.kind} returns outputs instead of waiting`)
  return outcome.wait
}
