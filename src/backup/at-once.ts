/**
 * Does the work for every item, up to `width` at once. After the first failure no item is begun; it is
 * thrown when those under way have ended.
 */
export async function atOnce<Item>(
  width: number,
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  let failure: { error: unknown } | undefined
  const takeTurns = async (): Promise<void> => {
    try {
      while (!failure) {
        const turn = await iterator.next()
        if (turn.done) return
        await work(turn.value)
      }
    } catch (error) {
      failure ??= { error }
    }
  }
  await Promise.all(Array.from({ length: width }, takeTurns))
  await iterator.return?.()
  if (failure) throw failure.error
}
