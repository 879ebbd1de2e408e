import { type ComponentType, createContext, useContext } from 'react'
import type { InputProps } from './input-props.ts'

/** Shapes are nested: the renderer of inner shapes is provided by context, which avoids an import cycle. */
export const NestedInputContext = createContext<ComponentType<InputProps> | undefined>(undefined)

/** The input of a shape inside another one. */
export function NestedInput(props: InputProps) {
  const Input = useContext(NestedInputContext)
  if (!Input) throw new Error('A nested input belongs inside a form')
  return <Input {...props} />
}
