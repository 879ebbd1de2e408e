import { choice, optional, text } from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

/** Each has a light and a dark variant in clients, on which text is readable. */
export const avatarColors = [
  'green',
  'teal',
  'blue',
  'indigo',
  'violet',
  'pink',
  'red',
  'orange',
  'yellow',
  'gray',
] as const

export interface Avatar {
  emoji?: string
  color?: (typeof avatarColors)[number]
}

export const avatarField = Type.Object(
  optional({
    emoji: text('One emoji or character; without it, clients show the first one of the name.', [
      1,
      limits.avatarLength,
    ]),
    color: choice(avatarColors, 'Background colour; without it, clients derive one from the name.'),
  }),
  {
    description: 'Picture of the agent in clients.',
    examples: [{ emoji: '🌳', color: 'green' }],
  },
)
