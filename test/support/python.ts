/** Why tests of Python are left out here, or false: the interpreter has no build for some platforms. */
export const noPython: string | false = await import('@pydantic/monty').then(
  () => false,
  () => `the interpreter has no build for ${process.platform} ${process.arch}`,
)
