import assert from 'node:assert/strict'
import type { NodeServices } from '../../src/nodes/node-services.ts'
import type { JsonRecord, NodeKind } from '../../src/workflow/node-kind.ts'
import { checkFields } from '../../src/workflow/shape.ts'
import type { Outcome, Outputs, Step, Wait } from '../../src/workflow/step.ts'

/** Services of which only the given ones may be used; the others are as if not configured. */
export const fakeServices = (services: Partial<NodeServices> = {}): NodeServices => services as NodeServices

/** Runs a kind on data that a stored graph could hold, and holds it to the outputs it declares. */
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
      assert.ok(declared.includes(name), `${kind.kind} gave ${name}, which it does not declare`)
  return outcome
}

export async function outputsOf(
  kind: NodeKind<NodeServices>,
  step: Step,
  data: JsonRecord = {},
  services: Partial<NodeServices> = {},
): Promise<Outputs> {
  const outcome = await runKind(kind, step, data, services)
  assert.ok('outputs' in outcome, `${kind.kind} waits instead of giving outputs`)
  return outcome.outputs
}

export async function waitOf(
  kind: NodeKind<NodeServices>,
  step: Step,
  data: JsonRecord = {},
  services: Partial<NodeServices> = {},
): Promise<Wait> {
  const outcome = await runKind(kind, step, data, services)
  assert.ok('wait' in outcome, `${kind.kind} gives outputs instead of waiting`)
  return outcome.wait
}
