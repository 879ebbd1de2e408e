import { Popconfirm, type PopconfirmProps } from 'antd'
import { useId } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

/**
 * Asks before an action. The focus goes to the button that cancels, so that the keyboard is in the question and Enter
 * does no harm, and returns to where it was, or to the list whose item was removed.
 */
export function Confirm(
  props: Omit<PopconfirmProps, 'onOpenChange' | 'afterOpenChange' | 'cancelButtonProps'>,
) {
  const cancelId = useId()
  const before = useReturnFocus()
  const focus = (element: Element | null): void => {
    if (element instanceof HTMLElement) element.focus({ preventScroll: true })
  }
  return (
    <Popconfirm
      {...props}
      cancelButtonProps={{ id: cancelId }}
      onOpenChange={isOpen => {
        if (isOpen) before.current = document.activeElement
        else focus(before.current)
      }}
      afterOpenChange={isOpen => {
        if (isOpen) focus(document.getElementById(cancelId))
      }}
    />
  )
}
