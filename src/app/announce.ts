import type { Adapters } from './adapters.ts'

/** Publishes messages after the commit, because a subscriber could not find the change before. */
export const announce =
  ({ cluster, database }: Adapters, ...topics: string[]) =>
  (): void =>
    void database.whenCommitted(() => {
      for (const topic of topics) cluster.publish(topic)
    })
