/** Runs up to `width` calls at once. The first failure aborts the running calls, and is thrown when they have finished. */
export async function forEachConcurrently<Item>(
  width: number,
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  caller?: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const signal = caller ? AbortSignal.any([caller, failed.signal]) : failed.signal
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const workThrough = async (): Promise<void> => {
    try {
      while (!failed.signal.aborted) {
        const next = await iterator.next()
        if (next.done) return
        await work(next.value, signal)
      }
    } catch (error) {
      failed.abort(error)
    }
  }
  await Promise.all(Array.from({ length: width }, workThrough))
  await iterator.return?.()
  failed.signal.throwIfAborted()
}
