import assert from 'node:assert/strict'
import test from 'node:test'
import { chineseByRule } from '../../console/src/editor/panels/chinese-by-rule.ts'
import type { WarningRule } from '../../src/workflow/warning.ts'

/** A rule that is missing here, or not one any more, does not pass the type check. */
const rules: Record<WarningRule, true> = {
  no_input: true,
  no_end: true,
  cycle: true,
  unreachable: true,
  reference_malformed: true,
  reference_unknown_node: true,
  reference_not_before: true,
  reference_may_be_skipped: true,
  reference_unknown_output: true,
  unknown_kind: true,
  node_id_too_long: true,
  missing_setting: true,
}

test('every warning of the server has a Chinese sentence', () => {
  assert.deepEqual(Object.keys(chineseByRule).sort(), Object.keys(rules).sort())
})
