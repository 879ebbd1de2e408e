import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { type Chip, type FoundReference, findReferences } from './references.ts'

type ChipOf = (reference: string) => Chip

/** Signals that names of nodes or problems of references have changed. */
export const setChips = StateEffect.define<ChipOf>()

class ChipWidget extends WidgetType {
  readonly chip: Chip
  readonly raw: string
  constructor(chip: Chip, raw: string) {
    super()
    this.chip = chip
    this.raw = raw
  }
  override eq(other: ChipWidget): boolean {
    const { title, output, problem } = this.chip
    return (
      other.raw === this.raw &&
      other.chip.title === title &&
      other.chip.output === output &&
      other.chip.problem === problem
    )
  }
  override toDOM(): HTMLElement {
    const { title, output, problem } = this.chip
    const element = document.createElement('span')
    element.className = 'reference-chip'
    element.title = problem === undefined ? this.raw : `${this.raw}: ${problem}`
    if (problem !== undefined) element.dataset['broken'] = ''
    const name = document.createElement('b')
    name.textContent = output
    const node = document.createElement('span')
    node.textContent = `${title} `
    element.append(node, name)
    if (problem !== undefined) {
      const reason = document.createElement('span')
      reason.className = 'visually-hidden'
      reason.textContent = ` (${problem})`
      element.append(reason)
    }
    return element
  }
  override ignoreEvent(): boolean {
    return false
  }
}

interface Chips {
  chipOf: ChipOf
  found: readonly FoundReference[]
  decorations: DecorationSet
}

/** A reference with the caret inside is being typed: it is shown as text. */
const isOpen = ({ from, to }: FoundReference, state: EditorState): boolean =>
  state.selection.ranges.some(({ empty, head }) => empty && head > from && head < to)

function chipsOf(state: EditorState, chipOf: ChipOf, found: readonly FoundReference[]): Chips {
  const decorations = Decoration.set(
    found
      .filter(each => !isOpen(each, state))
      .map(({ from, to, path }) =>
        Decoration.replace({ widget: new ChipWidget(chipOf(path), state.sliceDoc(from, to)) }).range(
          from,
          to,
        ),
      ),
  )
  return { chipOf, found, decorations }
}

/** Shows each reference as a chip with the name of its node. The caret skips a chip, which is deleted as a whole. */
export function referenceChips(chipOf: ChipOf): Extension {
  const chips = StateField.define<Chips>({
    create: state => chipsOf(state, chipOf, findReferences(state.doc.toString())),
    update(value, transaction) {
      const renamed = transaction.effects.find(effect => effect.is(setChips))?.value
      if (!transaction.docChanged && !transaction.selection && !renamed) return value
      const { state, docChanged } = transaction
      const found = docChanged ? findReferences(state.doc.toString()) : value.found
      return chipsOf(state, renamed ?? value.chipOf, found)
    },
    provide: field => [
      EditorView.decorations.from(field, value => value.decorations),
      EditorView.atomicRanges.of(view => view.state.field(field).decorations),
    ],
  })
  const chipAt = (view: EditorView, target: EventTarget | null): FoundReference | undefined => {
    const element = target instanceof Element ? target.closest<HTMLElement>('.reference-chip') : null
    if (!element) return undefined
    const at = view.posAtDOM(element)
    return view.state.field(chips).found.find(({ from, to }) => from <= at && at < to)
  }
  const mouse = EditorView.domEventHandlers({
    mousedown(event, view) {
      const found = event.button === 0 ? chipAt(view, event.target) : undefined
      if (!found) return false
      // A click selects the chip, a double click opens it as text.
      const selection =
        event.detail > 1 && !view.state.readOnly
          ? { anchor: found.to - 3 }
          : { anchor: found.from, head: found.to }
      view.focus()
      view.dispatch({ selection })
      event.preventDefault()
      return true
    },
  })
  return [chips, mouse]
}
