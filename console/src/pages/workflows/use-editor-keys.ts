import { useEffect, useEffectEvent } from 'react'
import { areSettings } from '../../editor/panels/node-panel.tsx'
import { useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { useFailureToast } from '../../ui/failure.tsx'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [contenteditable="true"]') !== null

interface EditorKeys {
  onHelp(): void
  onTravel(step: () => void): void
  onLeaveSettings(): void
}

/** Shortcuts of the whole editor. Text fields keep their own undo. */
export function useEditorKeys({ onHelp, onTravel, onLeaveSettings }: EditorKeys): void {
  const { store, saving, mayWrite } = useWorkflowEditor()
  const showFailure = useFailureToast()
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const key = event.key.toLowerCase()
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && key === 's') {
      event.preventDefault()
      saving.flush().catch(showFailure)
      return
    }
    if (isTyping(event.target)) return
    if (event.key === '?' && !isCommand) onHelp()
    if (event.key === 'Escape' && areSettings(event.target)) onLeaveSettings()
    if (!isCommand || !mayWrite || (key !== 'z' && key !== 'y')) return
    event.preventDefault()
    onTravel(key === 'y' || event.shiftKey ? store.redo : store.undo)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
