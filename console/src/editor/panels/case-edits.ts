import type { Edit } from '../model/edit.ts'
import { edgeKey, type Graph, type GraphNode } from '../model/graph.ts'
import type { Checks } from '../workflow-editor.ts'
import { isObject } from './fits-shape.ts'

/** Fields that list a node's branches, by kind. */
const caseFields: Readonly<Record<string, string>> = { condition: 'cases', classifier: 'classes' }

export const caseFieldOf = (kind: string | undefined): string | undefined =>
  kind !== undefined && Object.hasOwn(caseFields, kind) ? caseFields[kind] : undefined

/** Ids of the branches in a list. */
export const caseIds = (cases: unknown): string[] =>
  Array.isArray(cases)
    ? cases.map(each => (isObject(each) && typeof each['id'] === 'string' ? each['id'] : ''))
    : []

/** The branch of the edges that are taken when a node fails; the engine calls it `errorCase`. */
export const errorBranch = 'error'

export const takesErrorBranch = (node: GraphNode | undefined): boolean => node?.data['on_error'] === 'branch'

/** What a branch is called: its title if it has one, otherwise its id. */
export function caseTitle(node: GraphNode, branch: string): string {
  const field = caseFieldOf(node.data.type)
  const cases: unknown = field === undefined ? undefined : node.data[field]
  const found: unknown = Array.isArray(cases)
    ? cases.find(each => isObject(each) && each['id'] === branch)
    : undefined
  const title = isObject(found) ? found['title'] : undefined
  return typeof title === 'string' && title.trim() !== '' ? title : branch
}

/** Branches that edges of a node can name, with the error branch if the node takes it. */
export const branchesOf = (node: GraphNode | undefined, outline: Checks['outline']): string[] => {
  const cases = knownCases(node, outline)
  return takesErrorBranch(node) && !cases.includes(errorBranch) ? [...cases, errorBranch] : cases
}

/** Branches that edges of a node can name. */
function casesOfNode(node: GraphNode): string[] {
  const field = caseFieldOf(node.data.type)
  return field === undefined ? [] : [...new Set(caseIds(node.data[field]).filter(id => id !== ''))]
}

/**
 * Updates the edges of a node when its branches change: edges follow a renamed branch and are removed with a
 * deleted one.
 */
export function caseEdits(graph: Graph, nodeId: string, before: unknown, after: unknown): Edit[] {
  const [old, now] = [caseIds(before), caseIds(after)]
  const gone = new Set(old.filter(id => !now.includes(id)))
  if (gone.size === 0) return []
  const isSameLength = old.length === now.length
  return graph.edges.flatMap((edge): Edit[] => {
    const branch = edge.data?.case
    if (edge.source.cell !== nodeId || branch === undefined || !gone.has(branch)) return []
    const renamed = isSameLength ? now[old.indexOf(branch)] : undefined
    if (renamed !== undefined && renamed !== '')
      return [{ type: 'edge.branch', key: edgeKey(edge), branch: renamed }]
    return [{ type: 'edge.remove', key: edgeKey(edge) }]
  })
}

/**
 * Branches that edges of a node can name: from its settings, which are known immediately, and from the
 * server's check, which arrives a moment later.
 */
export const knownCases = (node: GraphNode | undefined, outline: Checks['outline']): string[] =>
  node === undefined
    ? []
    : [
        ...new Set([
          ...casesOfNode(node),
          ...((Object.hasOwn(outline, node.id) ? outline[node.id]?.cases : undefined) ?? []),
        ]),
      ]
