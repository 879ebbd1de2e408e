import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { ReferenceCompletion } from '../../console/src/ui/text-editor/reference-completion.ts'

const offer = { reference: 'model.text', title: 'Model', output: 'text', about: '' }
const references = { chipOf: () => ({ title: '', output: '' }), offersFor: () => [offer] }

const stateOf = (doc: string): EditorState => EditorState.create({ doc, selection: { anchor: doc.length } })
const viewOf = (doc: string): EditorView => ({ state: stateOf(doc), hasFocus: true }) as EditorView

/** How many references the editor is offered at the end of the text, when it asks again after an explicit list. */
const offered = async (completion: ReferenceCompletion, doc: string): Promise<number> => {
  const result = await completion.source(new CompletionContext(stateOf(doc), doc.length, true))
  return result?.options.length ?? 0
}

describe('The list of references', () => {
  test('ends with the reference that was typed, also if its offers came late', async () => {
    const completion = new ReferenceCompletion({ ...references, offersFor: () => [] })
    assert.equal(await offered(completion, '{{#mod'), 0)
    completion.renew(references, viewOf('{{#mod'))
    assert.equal(await offered(completion, '{{#model'), 1)
    for (const typed of ['{{#model.text#', '{{#model.text#}', '{{#model.text#}}', '{{#model\n'])
      assert.equal(await offered(completion, typed), 0, typed)
  })

  test('is shown anywhere when asked for, until something else is typed', async () => {
    const completion = new ReferenceCompletion(references)
    completion.ask(viewOf('Hello {{#model.text#}}'))
    assert.equal(await offered(completion, 'Hello {{#model.text#}}'), 1)
    assert.equal(await offered(completion, 'Hello {{#model.text#}}mod'), 1)
    assert.equal(await offered(completion, 'Hello {{#model.text#}} and'), 0)
  })
})
