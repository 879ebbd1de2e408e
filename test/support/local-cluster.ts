import { LocalCluster } from '../../src/cluster/local-cluster.ts'
import { systemClock } from '../../src/kernel/clock.ts'

/** A process alone. */
export const localCluster = (): LocalCluster =>
  new LocalCluster({ generation: () => undefined, time: async () => Date.now() }, systemClock, 'test')
