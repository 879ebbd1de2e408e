import { useEffect, useEffectEvent } from 'react'
import { useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable="true"]') !== null

/** Keys that hold wherever one is in the editor. Fields keep their own undo. */
export function useEditorKeys({ onHelp }: { onHelp(): void }): void {
  const { store, saving, mayWrite } = useWorkflowEditor()
  const tellFailure = useTellFailure()
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const key = event.key.toLowerCase()
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && key === 's') {
      event.preventDefault()
      saving.flush().catch(tellFailure)
      return
    }
    if (isTyping(event.target)) return
    if (event.key === '?' && !isCommand) onHelp()
    if (!isCommand || !mayWrite || (key !== 'z' && key !== 'y')) return
    event.preventDefault()
    if (key === 'y' || event.shiftKey) store.redo()
    else store.undo()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
