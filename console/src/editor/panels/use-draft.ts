import { useEffect, useState } from 'react'
import type { EditorStore } from '../model/editor-store.ts'
import { sameJson } from '../model/same-json.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { useNodeForm } from './node-form.ts'

const same = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/**
 * A draft of input that is not a valid value yet. It is kept while the value stays the same, and reset when
 * the value changes by other means, such as undo.
 */
export function useDraft<Draft>(
  value: unknown,
  draftOf: (value: unknown) => Draft,
): [Draft, (draft: Draft, stands: unknown) => void] {
  const [kept, setKept] = useState(() => ({ draft: draftOf(value), stands: value }))
  let { draft } = kept
  if (!same(kept.stands, value)) {
    draft = draftOf(value)
    setKept({ draft, stands: value })
  }
  return [draft, (next, stands) => setKept({ draft: next, stands })]
}

interface UnfinishedText {
  nodeId: string
  text: string
  /** The stored value, which the text does not replace. */
  stands: unknown
}

/** Invalid input by node and pointer. It outlives the form, which unmounts with the selection. */
const unfinished = new WeakMap<EditorStore, Map<string, UnfinishedText>>()

function textsOf(store: EditorStore): Map<string, UnfinishedText> {
  const texts = unfinished.get(store) ?? new Map<string, UnfinishedText>()
  unfinished.set(store, texts)
  return texts
}

/** Whether input would be lost with the page although the graph is saved. */
function hasUnfinishedTexts(store: EditorStore): boolean {
  const ids = new Set(store.state().graph.nodes.map(({ id }) => id))
  return [...textsOf(store).values()].some(({ nodeId }) => ids.has(nodeId))
}

/** Asks before the page with such input is left. */
export function useAskForUnfinishedTexts(): void {
  const { store } = useWorkflowEditor()
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (hasUnfinishedTexts(store)) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [store])
}

/** The invalid input at a pointer of the node's form. */
export function useUnfinishedText(pointer: string) {
  const { store } = useWorkflowEditor()
  const { nodeId } = useNodeForm()
  const texts = textsOf(store)
  const key = JSON.stringify([nodeId, pointer])
  return {
    /** The text, as long as the stored value is still the one that it was typed over. */
    textOver: (value: unknown): string | undefined => {
      const found = texts.get(key)
      if (found && sameJson(found.stands, value)) return found.text
      texts.delete(key)
      return undefined
    },
    isKept: texts.has(key),
    keep: (text: string, stands: unknown): void => void texts.set(key, { nodeId, text, stands }),
    forget: (): void => void texts.delete(key),
  }
}
