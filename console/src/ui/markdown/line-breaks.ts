import type { Parents, Root, RootContent, Text } from 'mdast'

const broken = ({ value }: Text): RootContent[] =>
  value
    .split('\n')
    .flatMap((line, at) => [
      ...(at > 0 ? [{ type: 'break' as const }] : []),
      ...(line === '' ? [] : [{ type: 'text' as const, value: line }]),
    ])

/** Line breaks of a message stay: templates and models write one line per value, which Markdown alone would join. */
export const keepLineBreaks = () => (tree: Root) => {
  const visit = (node: Parents): void => {
    for (const child of node.children) if ('children' in child) visit(child)
    node.children = (node.children as RootContent[]).flatMap(child =>
      child.type === 'text' ? broken(child) : [child],
    )
  }
  visit(tree)
}
