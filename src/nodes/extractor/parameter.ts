export interface Option {
  label: string
  value: string
}

export type ParameterType = 'select' | 'list' | 'text' | 'number' | 'boolean' | 'date'

/** One thing that the dialogue finds out. */
export interface Parameter {
  name: string
  type: ParameterType
  description: string
  /** Empty where anything may be said. */
  options: readonly Option[]
  required: boolean
}
