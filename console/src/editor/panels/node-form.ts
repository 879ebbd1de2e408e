import { createContext, useContext } from 'react'
import type { LocalizedText } from '../../../../src/contract/kind-operations.ts'
import { useLanguage } from '../../ui/preferences.ts'
import type { CheckFinding } from '../workflow-editor.ts'
import { isAtOrBelow } from './fits-shape.ts'

/** A finding with its pointer below the node's data. */
interface PlacedFinding extends CheckFinding {
  place: string
}

/** Where findings without a field are shown. */
export const wholeNode = '/ node'

/** The context that the inputs of a node's form share. */
export interface NodeForm {
  nodeId: string
  findings: readonly PlacedFinding[]
  isReadOnly: boolean
}

export const NodeFormContext = createContext<NodeForm | undefined>(undefined)

export function useNodeForm(): NodeForm {
  const form = useContext(NodeFormContext)
  if (!form) throw new Error('An input of a node belongs inside its form')
  return form
}

/** The schema's label in the language of the console. */
export function useLocalized(): (words: LocalizedText) => string {
  const language = useLanguage()
  return words => words[language]
}

/** Findings at a pointer, and those below it that no field can show. */
export function useProblems(pointer: string, reach: 'here' | 'below'): readonly PlacedFinding[] {
  const { findings } = useNodeForm()
  return findings.filter(({ place }) => (reach === 'here' ? place === pointer : isAtOrBelow(place, pointer)))
}

/** Pointers may contain spaces, which would split a list of ids. */
export const inputId = (pointer: string): string => `node-field${encodeURIComponent(pointer)}`
export const problemsId = (pointer: string): string => `${inputId(pointer)}-problems`

/** Attributes that connect a control with its label and problems. */
export function useControl(pointer: string): {
  id: string
  disabled: boolean
  'aria-invalid': boolean
  'aria-describedby': string | undefined
} {
  const { isReadOnly } = useNodeForm()
  const problems = useProblems(pointer, 'below')
  return {
    id: inputId(pointer),
    disabled: isReadOnly,
    'aria-invalid': problems.some(({ severity }) => severity !== 'warning'),
    'aria-describedby': problems.length > 0 ? problemsId(pointer) : undefined,
  }
}
