/**
 * X6 was compiled to use these helpers of `tslib` without naming that package among the ones it needs. The build puts
 * this file in its place (console/vite.config.ts): the only three that X6 uses, as `tslib` has them.
 */
type Decorator = (target: object, key?: PropertyKey, descriptor?: PropertyDescriptor) => unknown

export function __decorate(
  decorators: readonly Decorator[],
  target: object,
  key?: PropertyKey,
  given?: PropertyDescriptor | null,
): unknown {
  if (key === undefined)
    return decorators.reduceRight((made, apply) => (apply(made) as object) || made, target)
  let descriptor = given === null ? Object.getOwnPropertyDescriptor(target, key) : given
  for (const decorator of decorators.toReversed())
    descriptor = (decorator(target, key, descriptor) as PropertyDescriptor | undefined) || descriptor
  if (descriptor) Object.defineProperty(target, key, descriptor)
  return descriptor
}

export function __rest(source: Record<PropertyKey, unknown>, without: readonly PropertyKey[]): object {
  const keys = Reflect.ownKeys(source).filter(
    key => !without.includes(key) && Object.prototype.propertyIsEnumerable.call(source, key),
  )
  return Object.fromEntries(keys.map(key => [key, source[key]]))
}

export function __awaiter(
  self: unknown,
  parameters: unknown[] | undefined,
  _Promise: unknown,
  generator: (...parameters: unknown[]) => Iterator<unknown, unknown, unknown>,
): Promise<unknown> {
  const steps = generator.apply(self, parameters ?? [])
  const go = async (): Promise<unknown> => {
    let step = steps.next()
    while (!step.done) {
      try {
        step = steps.next(await step.value)
      } catch (error) {
        if (!steps.throw) throw error
        step = steps.throw(error)
      }
    }
    return step.value
  }
  return go()
}
