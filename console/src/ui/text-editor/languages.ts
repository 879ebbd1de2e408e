import { type CompletionContext, type CompletionResult, ifNotIn } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'

export type EditorLanguage = 'javascript' | 'python' | 'json'

/** Each language is a script of its own, loaded when the first text in it is shown. */
export async function loadLanguage(
  language: EditorLanguage,
  inputs: () => readonly string[],
): Promise<Extension> {
  if (language === 'json') return (await import('@codemirror/lang-json')).json()
  if (language === 'python') {
    const { python, pythonLanguage } = await import('@codemirror/lang-python')
    return [python(), pythonLanguage.data.of({ autocomplete: inCode(completeArguments(inputs)) })]
  }
  const { javascript, javascriptLanguage } = await import('@codemirror/lang-javascript')
  return [javascript(), javascriptLanguage.data.of({ autocomplete: inCode(completeInputs(inputs)) })]
}

type Source = (context: CompletionContext) => CompletionResult | null

const inCode = (source: Source) =>
  ifNotIn(['Comment', 'LineComment', 'BlockComment', 'String', 'TemplateString'], source)

/** Python gets its inputs as arguments. */
const completeArguments =
  (names: () => readonly string[]): Source =>
  context => {
    const word = context.matchBefore(/\w+/)
    if (!word && !context.explicit) return null
    const options = names().map(label => ({ label, type: 'variable', boost: 10 }))
    return { from: word?.from ?? context.pos, options, validFor: /^\w*$/ }
  }

/** JavaScript gets its inputs as fields of one object. */
const completeInputs =
  (names: () => readonly string[]): Source =>
  context => {
    const field = context.matchBefore(/\binputs\.\w*/)
    if (field)
      return {
        from: field.from + 'inputs.'.length,
        options: names().map(label => ({ label, type: 'property', boost: 10 })),
        validFor: /^\w*$/,
      }
    const word = context.matchBefore(/\w+/)
    if (!word && !context.explicit) return null
    const options = names().map(name => ({ label: `inputs.${name}`, type: 'variable', boost: 10 }))
    return { from: word?.from ?? context.pos, options, validFor: /^\w*$/ }
  }
