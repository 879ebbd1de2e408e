import { createRequire } from 'node:module'

/** Why tests of Python are left out here, or false: the interpreter has no build for some platforms. */
export const noPython: string | false = findReason()

function findReason(): string | false {
  try {
    createRequire(import.meta.url)('@pydantic/monty')
    return false
  } catch {
    return `the interpreter has no build for ${process.platform} ${process.arch}`
  }
}
