import type { TSchema } from 'typebox'
import { integerIn, orNull } from './fields.ts'
import { Type } from './schema.ts'

/** The quotas of a workspace, each with the schema made from its meaning. */
const perQuota = <Schema extends TSchema>(schemaOf: (meaning: string) => Schema) => ({
  calls_per_minute: schemaOf('Calls with tokens of the workspace, per minute.'),
  concurrent_runs: schemaOf('Active runs at a time.'),
  storage_bytes: schemaOf('Bytes of files and workflow versions.'),
  documents: schemaOf('Documents in all knowledge bases.'),
  tokens_per_day: schemaOf('Model tokens of the runs that end on one day (UTC).'),
})

export type QuotaName = keyof ReturnType<typeof perQuota>

/** The limits that a workspace has of its own. */
export const limitFields = perQuota(meaning =>
  orNull(
    integerIn('', [0, 2 ** 50]),
    `${meaning} 0: unlimited; null: the value of the server settings applies.`,
  ),
)

/** The limits that apply to a workspace, and how much of each is used. */
export const quotaFields = perQuota(meaning =>
  Type.Object(
    {
      limit: orNull(Type.Integer(), 'Null: unlimited.', 1_000_000),
      used: orNull(Type.Integer(), 'Null for calls, which are not summed up.', 1200),
    },
    { description: meaning },
  ),
)
