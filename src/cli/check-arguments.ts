import type { Static, TSchema } from 'typebox'
import type { Finding } from '../contract/finding.ts'
import { compileBody, findingsOf } from '../http/validation.ts'
import { AppError } from '../kernel/app-error.ts'
import { UsageError } from './usage-error.ts'

/** Holds the arguments to the same rules as the body of the operation over HTTP; `names` says what they are called here. */
export function checkArguments<Schema extends TSchema>(
  schema: Schema,
  value: Record<string, unknown>,
  names: Record<string, string>,
): Static<Schema> {
  const given = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
  const check = compileBody(schema)
  if (check(given)) return given as Static<Schema>
  throw wrongArgument(findingsOf(check.errors ?? []), names)
}

function wrongArgument([finding]: Finding[], names: Record<string, string>): UsageError {
  const field = finding?.path.split('/')[1] ?? ''
  return new UsageError(`${names[field] ?? field}: ${finding?.message ?? 'is wrong'}.`)
}

/** What a service finds wrong with a request is wrong use here too. */
export const inOurWords = (error: unknown, names: Record<string, string>): unknown =>
  error instanceof AppError && error.reason === 'invalid_request' ? wrongArgument(error.errors, names) : error
