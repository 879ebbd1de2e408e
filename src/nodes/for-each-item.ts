/** Works through a list with at most `parallel` items at a time. After a failure none is begun any more. */
export async function forEachItem<Item>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let hasFailed = false
  const worker = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next
      next += 1
      try {
        await work(items[index]!, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(parallel, items.length) }, worker)
  // Nothing goes on behind the back of the caller: those under way are waited for before a failure comes out.
  const ends = await Promise.allSettled(workers)
  const failed = ends.find(end => end.status === 'rejected')
  if (failed) throw failed.reason
}
