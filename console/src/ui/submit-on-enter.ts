import type { KeyboardEvent } from 'react'

const oneLine = new Set(['text', 'url', 'password', 'number', 'search'])

/** Enter in a field of one line submits a dialog that is not a form. In lists, Enter chooses an item. */
export const submitOnEnter =
  (submit: () => void) =>
  (event: KeyboardEvent): void => {
    const { target } = event
    if (event.key !== 'Enter' || event.defaultPrevented) return
    if (!(target instanceof HTMLInputElement) || !oneLine.has(target.type)) return
    // Neither lists nor fields for trying out a tool submit the dialog.
    if (target.role === 'combobox' || target.closest('details')) return
    event.preventDefault()
    submit()
  }
