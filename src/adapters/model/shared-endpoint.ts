import { LeastRecentMap } from '../../kernel/least-recent-map.ts'
import type { Concession } from './concessions.ts'
import { EndpointHealth, type Surroundings } from './endpoint-health.ts'

const maxModels = 1000
const maxEndpoints = 1000

/** What all models behind one address and key know together. */
export class SharedEndpoint {
  readonly health: EndpointHealth
  readonly #concessions = new LeastRecentMap<string, Set<Concession>>(maxModels)

  constructor(surroundings: Surroundings = {}) {
    this.health = new EndpointHealth(surroundings)
  }

  /** What this model was found to go without. */
  concessionsOf(model: string): Set<Concession> {
    const known = this.#concessions.get(model)
    if (known) return known
    const none = new Set<Concession>()
    this.#concessions.set(model, none)
    return none
  }
}

/** One `SharedEndpoint` for each address and key. */
export class SharedEndpoints {
  readonly #surroundings: Surroundings
  readonly #endpoints = new LeastRecentMap<string, SharedEndpoint>(maxEndpoints)

  constructor(surroundings: Surroundings = {}) {
    this.#surroundings = surroundings
  }

  of(baseUrl: string, apiKey: string | undefined): SharedEndpoint {
    const key = JSON.stringify([baseUrl.replace(/\/+$/, ''), apiKey ?? ''])
    const known = this.#endpoints.get(key)
    if (known) return known
    const fresh = new SharedEndpoint(this.#surroundings)
    this.#endpoints.set(key, fresh)
    return fresh
  }
}
