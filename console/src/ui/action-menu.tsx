import { Dropdown, type DropdownProps } from 'antd'
import { useRef } from 'react'

/** A menu that a click opens. By keyboard, the arrow keys work at once, and the focus returns when it closes. */
export function ActionMenu(props: DropdownProps) {
  const opener = useRef<Element>(null)
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      {...props}
      onOpenChange={(isOpen, info) => {
        const { activeElement } = document
        if (isOpen) opener.current = activeElement
        // Unless a click elsewhere has taken it.
        else if (activeElement?.closest('[role=menu]') && opener.current instanceof HTMLElement)
          opener.current.focus({ preventScroll: true })
        props.onOpenChange?.(isOpen, info)
      }}
    />
  )
}
