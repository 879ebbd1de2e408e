import { limits } from '../contract/limits.ts'
import { countValues } from '../kernel/count-values.ts'
import type { JsonRecord } from './json-record.ts'
import { commonFields, type NodeKind } from './node-kind.ts'
import { findReferences } from './references.ts'
import { findTemplates } from './shape.ts'

/** Why a node is too large; undefined if it is not. Checking and running a node never takes longer than this allows. */
export function oversizeOf(data: JsonRecord, kind: NodeKind | undefined): string | undefined {
  const { nodeValues, nodeReferences } = limits
  if (countValues(data, nodeValues) > nodeValues)
    return `The settings of a node may hold at most ${nodeValues} values; split the node, or move data into a file.`
  if (!kind) return undefined
  let references = 0
  for (const { text } of findTemplates(data, { ...commonFields, ...kind.fields })) {
    references += findReferences(text, nodeReferences).length
    if (references > nodeReferences)
      return `The settings of a node may hold at most ${nodeReferences} references; split the node.`
  }
  return undefined
}
