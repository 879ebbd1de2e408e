import { choice, named, orNull, string, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperations } from './operation.ts'
import { pageOf, pagingFields } from './paging.ts'
import { secretNamePattern } from './patterns.ts'
import { Type } from './schema.ts'

const name = Type.String({
  pattern: secretNamePattern,
  description: 'Name in references: `{{#secret.name#}}`. Letters, digits, _ and -, starting with a letter.',
  examples: ['crm_key'],
})
const value = text(
  'The value. It is stored encrypted and never returned.',
  [limits.secretMinLength, limits.secretMaxLength],
  { example: 'your-key-for-the-crm' },
)

const fields = {
  name,
  created_at: time('Creation time.'),
  updated_at: time('Time when the value was last set.'),
  updated_by: string('Name of the token that last set the value.', 'My application'),
}
export const secretRecord = {
  ...fields,
  problem: orNull(Type.String(), 'Why it cannot be used and what to do, or null.'),
}

export const secretOperations = defineOperations('secret', {
  set: {
    access: 'write',
    changes: { id: 'body.name' },
    summary: 'Store a secret, or replace its value',
    details:
      'Requests of nodes and tools use it as `{{#secret.name#}}`. Every editor of workflows can send it to any server, but it cannot be read back.',
    body: Type.Object({ name, value }),
    data: Type.Object({ message: choice(['created', 'updated'], 'What happened.'), ...fields }),
  },
  list: {
    access: 'read',
    summary: 'List secrets by name, without their values',
    body: Type.Object(pagingFields),
    data: pageOf(named('Secret', Type.Object(secretRecord))),
    example: { page: 1, page_size: 20 },
  },
  delete: {
    access: 'write',
    changes: { id: 'body.name' },
    summary: 'Delete a secret',
    details: 'Steps that refer to it will fail.',
    body: Type.Object({ name }),
    data: Type.Object({}),
  },
})
