import { Dropdown, type DropdownProps } from 'antd'
import { cloneElement, type KeyboardEvent, type ReactElement, useRef, useState } from 'react'

interface ActionMenuProps extends DropdownProps {
  /** The button that opens the menu. */
  children: ReactElement<Record<string, unknown>>
}

/**
 * A menu that a click, Enter, Space or the down arrow opens. By keyboard, the arrow keys work at once, and the focus
 * returns when it closes.
 */
export function ActionMenu({ children, ...props }: ActionMenuProps) {
  const opener = useRef<Element>(null)
  const [isOpen, setIsOpen] = useState(false)
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'ArrowDown' || isOpen) return
    event.preventDefault()
    event.currentTarget.click()
  }
  return (
    <Dropdown
      autoFocus
      // Otherwise the next time the item has the focus that had it last.
      destroyOnHidden
      trigger={['click']}
      {...props}
      onOpenChange={(open, info) => {
        const { activeElement } = document
        if (open) opener.current = activeElement
        // Unless a click elsewhere has taken it.
        else if (activeElement?.closest('[role=menu]') && opener.current instanceof HTMLElement)
          opener.current.focus({ preventScroll: true })
        setIsOpen(open)
        props.onOpenChange?.(open, info)
      }}
    >
      {cloneElement(children, { 'aria-haspopup': 'menu', 'aria-expanded': isOpen, onKeyDown: press })}
    </Dropdown>
  )
}
