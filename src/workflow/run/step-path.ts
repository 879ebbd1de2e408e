/**
 * Names a step of a run: the id of its node, behind the steps around it where it runs inside another workflow. A slash
 * in an id is written as `~1` and a tilde as `~0`, as in a JSON pointer, so that no two steps share a name.
 */
export const stepPath = (prefix: string, nodeId: string): string =>
  prefix + (/[~/]/.test(nodeId) ? nodeId.replaceAll('~', '~0').replaceAll('/', '~1') : nodeId)

/** The id of the node that a path ends with. */
export const nodeOfPath = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
