import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Annotation, Compartment, EditorState, type Extension, Prec, Transaction } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, placeholder as placeholderText, tooltips } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { type EditorLanguage, loadLanguage } from './languages.ts'
import { referenceChips, setChips } from './reference-chips.ts'
import { ReferenceCompletion, renderOffer } from './reference-completion.ts'
import { difference, type References } from './references.ts'

export type EditorLook = 'line' | 'paragraph' | 'code'

/** The actions that buttons beside the text can call. */
export interface EditorHandle {
  /** Opens the list of references at the caret. */
  complete(): void
  focus(): void
}

export interface CodeMirrorProps {
  text: string
  onText(text: string): void
  look: EditorLook
  language?: EditorLanguage | undefined
  references?: References | undefined
  /** Names that code can use. */
  inputs?: readonly string[] | undefined
  hasLineNumbers?: boolean
  isReadOnly?: boolean
  autoFocus?: boolean
  maxLength?: number | undefined
  placeholder?: string | undefined
  /** Attributes of the element that takes the focus. */
  attributes: Readonly<Record<string, string>>
  phrases: Readonly<Record<string, string>>
  onFocus?(): void
  handle?: RefObject<EditorHandle | null> | undefined
}

/** A change that came from outside, such as undo in the workflow or the work of someone else. */
const external = Annotation.define<true>()
const normal = (text: string): string => text.replace(/\r\n?/g, '\n')

/** A text in CodeMirror. Only edits call `onText`, so a text that is merely shown stays exactly as it is stored. */
export function CodeMirror(props: CodeMirrorProps) {
  const { text, references, language, attributes, placeholder, isReadOnly = false, handle } = props
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  latest.current = props
  const parts = useRef({ outside: new Compartment(), language: new Compartment() })
  const completion = useRef<ReferenceCompletion>(undefined)

  useLayoutEffect(() => {
    const { current } = latest
    if (current.references) completion.current = new ReferenceCompletion(current.references)
    const created = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: current.text,
        extensions: [
          parts.current.outside.of(outsideOf(current)),
          parts.current.language.of([]),
          completionOf(current, completion.current),
          ...(current.references ? [referenceChips(current.references.chipOf)] : []),
          ...behaviourOf(current),
          EditorView.updateListener.of(update => {
            if (update.docChanged && !update.transactions.some(each => each.annotation(external)))
              latest.current.onText(update.state.doc.toString())
            if (update.focusChanged && update.view.hasFocus) latest.current.onFocus?.()
          }),
          limits(() => latest.current),
        ],
      }),
    })
    view.current = created
    if (current.autoFocus) created.focus()
    return () => created.destroy()
  }, [])

  useLayoutEffect(() => {
    const { state } = view.current!
    const [old, next] = [state.doc.toString(), normal(text)]
    if (old === next) return
    view.current!.dispatch({
      changes: difference(old, next),
      annotations: [external.of(true), Transaction.addToHistory.of(false)],
    })
  }, [text])

  const attributeText = JSON.stringify(attributes)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the parts of `outsideOf` that can change
  useLayoutEffect(() => {
    view.current!.dispatch({ effects: parts.current.outside.reconfigure(outsideOf(latest.current)) })
  }, [attributeText, isReadOnly, placeholder])

  useEffect(() => {
    if (!references || !view.current) return
    view.current.dispatch({ effects: setChips.of(references.chipOf) })
    completion.current?.renew(references, view.current)
  }, [references])

  useEffect(() => {
    if (!language) return
    let isCurrent = true
    const show = (extension: Extension): void => {
      if (isCurrent) view.current?.dispatch({ effects: parts.current.language.reconfigure(extension) })
    }
    // Without its colours the text can still be read and edited.
    loadLanguage(language, () => latest.current.inputs ?? []).then(show, () => undefined)
    return () => {
      isCurrent = false
    }
  }, [language])

  useImperativeHandle(handle, () => ({
    complete() {
      view.current?.focus()
      if (view.current) completion.current?.ask(view.current)
    },
    focus: () => view.current?.focus(),
  }))
  return <div className="code-mirror" ref={parent} />
}

const outsideOf = ({ attributes, isReadOnly = false, placeholder, phrases }: CodeMirrorProps): Extension => [
  EditorView.contentAttributes.of({
    ...attributes,
    tabindex: '0',
    ...(isReadOnly && { 'aria-readonly': 'true' }),
  }),
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
  EditorState.phrases.of(phrases),
  ...(placeholder === undefined ? [] : [placeholderText(placeholder)]),
]

const completionOf = (props: CodeMirrorProps, completion: ReferenceCompletion | undefined): Extension => [
  autocompletion({
    ...(completion && { override: [completion.source] }),
    ...(!completion && props.look !== 'code' && { override: [] }),
    icons: false,
    // The default keys would take precedence over the ones below.
    defaultKeymap: false,
    activateOnTypingDelay: 20,
    // Enter right after the list has opened means its first line, too.
    interactionDelay: 0,
    maxRenderedOptions: 60,
    tooltipClass: () => 'text-completions',
    addToOptions: [{ render: renderOffer, position: 10 }],
  }),
  Prec.highest(
    keymap.of([
      // The dialog or panel around the text stays open.
      { key: 'Escape', run: closeCompletion, stopPropagation: true },
      { key: 'Tab', run: acceptCompletion },
      ...completionKeymap.map(binding =>
        completion && binding.run === startCompletion ? { ...binding, run: completion.ask } : binding,
      ),
    ]),
  ),
  // The list scrolls, so it must be focusable like every scrolling part of a page.
  EditorView.updateListener.of(({ view }) => {
    const list = document.getElementById(view.contentDOM.getAttribute('aria-controls') ?? '')
    if (list) list.tabIndex = 0
  }),
  // The list is rendered outside of the panel, which scrolls and would cut it off.
  tooltips({ position: 'fixed', parent: document.body }),
]

function behaviourOf({ look, language, hasLineNumbers = false }: CodeMirrorProps): Extension[] {
  const isProgram = language === 'javascript' || language === 'python'
  const shared = [
    history(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    syntaxHighlighting(classHighlighter),
    ...(hasLineNumbers ? [lineNumbers()] : []),
  ]
  if (look !== 'code') return [...shared, keymap.of([...historyKeymap, ...defaultKeymap])]
  return [
    ...shared,
    bracketMatching(),
    indentOnInput(),
    // Not in JSON with references: `{{#` would be closed before it is typed.
    ...(isProgram ? [closeBrackets(), keymap.of(closeBracketsKeymap)] : []),
    keymap.of([...historyKeymap, ...defaultKeymap, indentWithTab]),
    escapeThenTab,
  ]
}

/** Tab indents code; after Escape it moves the focus, until another key is pressed. */
const escapeThenTab = EditorView.domEventHandlers({
  keydown(event, view) {
    if (event.key === 'Escape') {
      view.setTabFocusMode(true)
      // The key was meant for the text, not for a dialog around it.
      event.stopPropagation()
    } else if (!['Tab', 'Shift'].includes(event.key)) view.setTabFocusMode(false)
    return false
  },
  blur: (_, view) => {
    view.setTabFocusMode(false)
    return false
  },
})

/** Keeps a single line single and a text within its length; pasted text is made to fit. */
const limits = (props: () => CodeMirrorProps): Extension =>
  EditorState.transactionFilter.of(transaction => {
    if (!transaction.docChanged || transaction.annotation(external)) return transaction
    const { look, maxLength } = props()
    if (
      maxLength !== undefined &&
      transaction.newDoc.length > maxLength &&
      transaction.newDoc.length > transaction.startState.doc.length
    )
      return []
    // Existing line breaks are kept.
    if (look !== 'line' || transaction.startState.doc.lines > 1 || transaction.newDoc.lines === 1)
      return transaction
    if (transaction.newDoc.toString().replaceAll('\n', '') === transaction.startState.doc.toString())
      return []
    const old = transaction.startState.doc.toString()
    const next = transaction.newDoc.toString().replaceAll('\n', ' ')
    return { changes: difference(old, next), selection: transaction.newSelection, userEvent: 'input' }
  })
