import { Modal, type ModalProps } from 'antd'
import { useId } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

/**
 * A dialog that returns the focus to where it was before. Ant Design's own does so only if no field of it takes the focus
 * at once, and if it stays in the page until it is hidden.
 */
export function Dialog({ open = false, ...props }: ModalProps) {
  const id = useId()
  return (
    <>
      <Modal {...props} open={open} wrapProps={{ 'data-dialog': id }} />
      {open && <Opener dialog={`[data-dialog="${id}"]`} />}
    </>
  )
}

function Opener({ dialog }: { dialog: string }) {
  useReturnFocus(document.activeElement, dialog)
  return null
}
