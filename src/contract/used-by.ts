import { array, choice, string } from './fields.ts'
import { Type } from './schema.ts'

/** What uses an object. */
export const usersOf = <const Kind extends string>(kinds: readonly Kind[]) =>
  Type.Object({
    items: array(
      Type.Object({
        kind: choice(kinds, 'Kind of the object.'),
        id: string('Its id.', 'agent_x'),
        name: string('Its name.', 'Helper'),
      }),
      'The users, by kind and name.',
    ),
  })
