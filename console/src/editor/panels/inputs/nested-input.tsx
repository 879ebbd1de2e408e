import { type ComponentType, createContext, useContext } from 'react'
import type { InputProps } from './input-props.ts'

/** Shapes are made of shapes: who draws the inner ones is told from outside, so that no file needs one above it. */
export const NestedInputContext = createContext<ComponentType<InputProps> | undefined>(undefined)

/** The input of a shape inside another one. */
export function NestedInput(props: InputProps) {
  const Input = useContext(NestedInputContext)
  if (!Input) throw new Error('A nested input belongs inside a form')
  return <Input {...props} />
}
