import type { ElementContent, RootContent } from 'hast'
import { common, createLowlight } from 'lowlight'
import { Fragment, type ReactNode } from 'react'

const lowlight = createLowlight(common)

/** Longer code stays plain: colours would block typing. */
const maxLength = 50_000

const classOf = (names: unknown): string => (Array.isArray(names) ? names.join(' ') : '')

const shown = (nodes: readonly (ElementContent | RootContent)[]): ReactNode =>
  nodes.map((node, at) =>
    node.type === 'element' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a code have no other name
      <span key={at} className={classOf(node.properties['className'])}>
        {shown(node.children)}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a code have no other name
      <Fragment key={at}>{node.type === 'text' ? node.value : ''}</Fragment>
    ),
  )

/** Code with the colours of its language; plain if the language is not known. */
export default function CodeColours({ code, language }: { code: string; language: string }): ReactNode {
  if (!lowlight.registered(language) || code.length > maxLength) return code
  return shown(lowlight.highlight(language, code).children)
}
