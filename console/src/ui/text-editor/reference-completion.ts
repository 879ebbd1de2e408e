import {
  type Completion,
  type CompletionResult,
  type CompletionSource,
  startCompletion,
} from '@codemirror/autocomplete'
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { difference, findReferences, type Offer, type References } from './references.ts'
import { insertReference, referenceAt, type TypedReference } from './typed-reference.ts'

interface OfferCompletion extends Completion {
  offer: Offer
}

/** Renders an offer: the node and the output in one line, and a description below. */
export function renderOffer(completion: Completion): Node | null {
  if (!('offer' in completion)) return null
  const { title, output, about } = (completion as OfferCompletion).offer
  const line = document.createElement('span')
  line.className = 'completion-title'
  const name = document.createElement('span')
  name.className = 'completion-output'
  name.textContent = output
  line.append(`${title} `, name)
  const below = document.createElement('span')
  below.className = 'completion-about'
  below.textContent = about
  const all = document.createElement('span')
  all.className = 'completion-offer'
  all.append(line, ' ', below)
  return all
}

/** Completes references after `{{#`, and anywhere when asked. A selected chip is replaced. */
export class ReferenceCompletion {
  #references: References
  /** Whether the last result had no offers. They may still arrive, because the server has to check the graph first. */
  #wasEmpty = false
  /**
   * Where the list was requested: text typed until it opens narrows it. Kept until an offer is taken, because the
   * editor asks again when text is typed before the result arrives.
   */
  #askedAt: number | undefined

  constructor(references: References) {
    this.#references = references
  }

  readonly source: CompletionSource = ({ state, pos, explicit }) => {
    const text = state.doc.toString()
    const typing = referenceAt(text, pos)
    if (typing) return this.#result(state, typing.start, pos, true)
    // After an explicit request the editor keeps asking, even behind the end of a reference or after a space.
    const asked = this.#askedAt
    if (!explicit || asked === undefined) return null
    const { from, to } = state.selection.main
    if (findReferences(text).some(found => found.from === from && found.to === to))
      return this.#result(state, from, pos, false)
    if (asked > pos || /[\s{}#]/.test(text.slice(asked, pos))) return null
    return this.#result(state, asked, pos, false)
  }

  readonly ask = (view: EditorView): boolean => {
    this.#askedAt = view.state.selection.main.from
    return startCompletion(view)
  }

  /** Called with new offers; shows them if the list is waiting for some. */
  renew(references: References, view: EditorView): void {
    this.#references = references
    if (!this.#wasEmpty || !view.hasFocus) return
    const { state } = view
    if (!referenceAt(state.doc.toString(), state.selection.main.head)) return
    this.#askedAt = undefined
    startCompletion(view)
  }

  #result(state: EditorState, from: number, pos: number, isOpened: boolean): CompletionResult {
    const start = isOpened ? from + 3 : from
    const chip = isOpened ? undefined : state.selection.main
    const typed = chip && !chip.empty ? '' : state.sliceDoc(start, pos)
    const offers = this.#references.offersFor(typed)
    this.#wasEmpty = offers.length === 0
    return {
      from,
      to: pos,
      filter: false,
      options: offers.map(offer => this.#completion(offer, { start: from, typed }, isOpened)),
      update: (_, begin, __, context) =>
        /[\s{}#]/.test(context.state.sliceDoc(isOpened ? begin + 3 : begin, context.pos))
          ? null
          : this.#result(context.state, begin, context.pos, isOpened),
    }
  }

  #completion(offer: Offer, typing: TypedReference, isOpened: boolean): OfferCompletion {
    const apply = (view: EditorView): void => {
      this.#askedAt = undefined
      const old = view.state.doc.toString()
      const { start } = typing
      const { empty, to } = view.state.selection.main
      // If requested without an opening in the text, the opening is added. A selected chip is replaced.
      const opened = isOpened ? old : `${old.slice(0, start)}{{#${old.slice(empty ? start : to)}`
      const inserted = insertReference(opened, typing, offer.reference)
      view.dispatch({
        changes: difference(old, inserted.text),
        selection: { anchor: inserted.caret },
        userEvent: 'input.complete',
        scrollIntoView: true,
      })
    }
    return { label: offer.reference, offer, apply }
  }
}
