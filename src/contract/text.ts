import Type from 'typebox'

/** Text that every database can store: no NUL, no lone surrogate (checked by the format `text`). */
export const text = (options: {
  minLength?: number
  maxLength: number
  description?: string
  examples?: string[]
}) => Type.String({ ...options, format: 'text' })

export const idPattern = '^[A-Za-z0-9_-]{1,64}$'

export const id = (description: string, example: string) =>
  Type.String({ pattern: idPattern, description, examples: [example] })

/** ISO 8601 with a numeric UTC offset. */
export const time = (description: string) =>
  Type.String({ description, examples: ['2026-11-15T08:30:00.123+00:00'] })
