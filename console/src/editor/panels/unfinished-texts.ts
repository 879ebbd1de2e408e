import { useEffect } from 'react'
import type { EditorStore } from '../model/editor-store.ts'
import { sameJson } from '../model/same-json.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { useNodeForm } from './node-form.ts'

interface UnfinishedText {
  nodeId: string
  text: string
  /** What is stored instead of it. */
  stands: unknown
}

/** By node and place. What was typed and cannot be stored yet outlives the form, which goes with the selection. */
const unfinished = new WeakMap<EditorStore, Map<string, UnfinishedText>>()

function textsOf(store: EditorStore): Map<string, UnfinishedText> {
  const texts = unfinished.get(store) ?? new Map<string, UnfinishedText>()
  unfinished.set(store, texts)
  return texts
}

/** Whether something would be lost with the page although all of the graph is saved. */
function hasUnfinishedTexts(store: EditorStore): boolean {
  const ids = new Set(store.state().graph.nodes.map(({ id }) => id))
  return [...textsOf(store).values()].some(({ nodeId }) => ids.has(nodeId))
}

/** Asks before such texts are left behind. */
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

/** The text at one place of the node's form that cannot be stored yet. */
export function useUnfinishedText(pointer: string) {
  const { store } = useWorkflowEditor()
  const { nodeId } = useNodeForm()
  const texts = textsOf(store)
  const key = JSON.stringify([nodeId, pointer])
  return {
    /** Only while the value is still the one that it was typed over. */
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
