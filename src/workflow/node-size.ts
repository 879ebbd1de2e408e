import { limits } from '../contract/limits.ts'
import { countValues } from '../kernel/count-values.ts'
import type { JsonRecord } from './json-record.ts'
import { fieldsOf, type NodeKind } from './node-kind.ts'
import { findReferences } from './references.ts'
import { findTemplates } from './shape.ts'

/** The shortest reference, `{{##}}`. */
const referenceLength = 6

/** Why a node is too large; undefined if it is not. Checking and running a node never takes longer than this allows. */
export function oversizeOf(data: JsonRecord, kind: NodeKind | undefined): string | undefined {
  const { nodeValues, nodeReferences } = limits
  // Nearly all nodes are so small that they cannot hold too much of either.
  if (countValues(data, nodeReferences, referenceLength) <= nodeReferences) return undefined
  if (countValues(data, nodeValues) > nodeValues)
    return `The settings of a node may hold at most ${nodeValues} values; split the node, or move data into a file.`
  if (!kind) return undefined
  let references = 0
  for (const { text } of findTemplates(data, fieldsOf(kind))) {
    references += findReferences(text, nodeReferences).length
    if (references > nodeReferences)
      return `The settings of a node may hold at most ${nodeReferences} references; split the node.`
  }
  return undefined
}
