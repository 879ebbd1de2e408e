import { type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react'
import { insertReference, referenceAt } from '../../model/references.ts'
import { type Offer, useOffers } from './completion-list.tsx'

interface Typing {
  /** Where the reference starts, or will start. */
  start: number
  typed: string
  /** Opened explicitly, without an opening mark in the text. */
  isAsked: boolean
}

interface CompletionOptions {
  area: RefObject<HTMLTextAreaElement | null>
  mirror: RefObject<HTMLElement | null>
  nodeId: string
  isEnabled: boolean
  /** Whether the text may refer to secrets. */
  hasSecrets: boolean
  onText(text: string): void
}

/** The completion list of a text: when it opens, what it offers, and its keys. */
export function useCompletion({ area, mirror, nodeId, isEnabled, hasSecrets, onText }: CompletionOptions) {
  const [typing, setTyping] = useState<Typing>()
  const [active, setActive] = useState(0)
  const [at, setAt] = useState({ left: 0, top: 0, bottom: 0 })
  const offers = useOffers(nodeId, typing?.typed, hasSecrets)
  const start = typing?.start
  useLayoutEffect(() => {
    if (start !== undefined && mirror.current) setAt(caretPlace(mirror.current, start))
  }, [start, mirror])

  const open = (next: Typing | undefined): void => {
    setTyping(next)
    if (next?.typed !== typing?.typed) setActive(0)
  }
  const close = (): void => setTyping(undefined)

  const follow = (text: string, caret: number): void => {
    if (!isEnabled) return
    const found = referenceAt(text, caret)
    if (found) open({ ...found, isAsked: false })
    else if (typing?.isAsked && caret >= typing.start && !/[\s{}#]/.test(text.slice(typing.start, caret)))
      open({ ...typing, typed: text.slice(typing.start, caret) })
    else close()
  }
  /** The caret moved without a change of the text. */
  const settle = (caret: number): void => {
    if (typing && (caret < typing.start || caret > typing.start + typing.typed.length + 3)) close()
  }
  const ask = (): void => {
    const element = area.current
    if (!element || !isEnabled) return
    element.focus()
    const caret = element.selectionStart
    const found = referenceAt(element.value, caret)
    open(found ? { ...found, isAsked: false } : { start: caret, typed: '', isAsked: true })
  }
  const choose = (offer: Offer): void => {
    const element = area.current
    if (!element || !typing) return
    const { start: from, typed, isAsked } = typing
    const text = element.value
    const opened = isAsked ? `${text.slice(0, from)}{{#${text.slice(from)}` : text
    const inserted = insertReference(opened, { start: from, typed }, offer.reference)
    replaceText(element, inserted.text, onText)
    element.setSelectionRange(inserted.caret, inserted.caret)
    close()
  }
  /** Whether the list handled the key. */
  const press = (event: KeyboardEvent): boolean => {
    if (event.nativeEvent.isComposing) return false
    const action = keyAction(event, typing !== undefined, offers.length)
    if (!action) return false
    event.preventDefault()
    event.stopPropagation()
    const chosen = offers[active]
    if (action === 'ask') ask()
    else if (action === 'close') close()
    else if (action === 'choose' && chosen) choose(chosen)
    else if (action === 'next') setActive((active + 1) % offers.length)
    else if (action === 'previous') setActive((active - 1 + offers.length) % offers.length)
    return true
  }
  return {
    isOpen: typing !== undefined,
    offers,
    active,
    at,
    follow,
    settle,
    ask,
    choose,
    press,
    close,
    onPoint: setActive,
  }
}

type KeyAction = 'ask' | 'close' | 'choose' | 'next' | 'previous'

function keyAction(event: KeyboardEvent, isOpen: boolean, count: number): KeyAction | undefined {
  if (event.key === ' ' && event.ctrlKey) return 'ask'
  if (!isOpen) return undefined
  if (event.key === 'Escape') return 'close'
  if (count === 0) return undefined
  if (event.key === 'Enter' || event.key === 'Tab') return 'choose'
  if (event.key === 'ArrowDown') return 'next'
  return event.key === 'ArrowUp' ? 'previous' : undefined
}

/** The screen position of a text offset, measured on a mirror element with the same text. */
function caretPlace(mirror: HTMLElement, position: number): { left: number; top: number; bottom: number } {
  const walker = document.createTreeWalker(mirror, NodeFilter.SHOW_TEXT)
  let left = position
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0
    if (left <= length) {
      const range = document.createRange()
      range.setStart(node, left)
      range.collapse(true)
      const rectangle = range.getClientRects()[0]
      if (rectangle) return rectangle
      break
    }
    left -= length
  }
  return mirror.getBoundingClientRect()
}

/**
 * Replaces a field's text as if it was typed, so that the browser's undo works. Only the difference is
 * replaced.
 */
function replaceText(element: HTMLTextAreaElement, next: string, otherwise: (text: string) => void): void {
  const old = element.value
  if (old === next) return
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  element.focus()
  element.setSelectionRange(start, old.length - end)
  const piece = next.slice(start, next.length - end)
  const isDone =
    piece === '' ? document.execCommand('delete') : document.execCommand('insertText', false, piece)
  if (!isDone) otherwise(next)
}
