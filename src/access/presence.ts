import { limits } from '../contract/limits.ts'
import type { Clock } from '../kernel/clock.ts'
import { LeastRecentMap } from '../kernel/least-recent-map.ts'

/** An object that is open in a window, and the token of that window. */
export interface PresenceReport {
  workspaceId: string
  kind: 'workflow' | 'agent'
  id: string
  window: string
  tokenId: string
  name: string
  leaving: boolean
}

interface PresentToken {
  name: string
  isSame: boolean
  windows: number
}

interface OpenWindow {
  tokenId: string
  name: string
  seenAt: number
}

/** Carries messages to all processes, this one included. */
interface PresenceBus {
  publish(topic: string, message: string): void
  subscribe(topic: string, receive: (message: string) => void): unknown
}

const topic = 'presence'

const objectOf = ({ workspaceId, kind, id }: PresenceReport): string =>
  JSON.stringify([workspaceId, kind, id])

/**
 * Tracks who has a workflow or an agent open. Each process receives the reports of all and keeps them for a minute; a new
 * process knows all windows after their next reports. A lost message hides a window only until its next report.
 */
export class Presence {
  readonly #bus: PresenceBus
  readonly #clock: Clock
  /** Windows by object. The objects that were reported longest ago are dropped first. */
  readonly #open = new LeastRecentMap<string, Map<string, OpenWindow>>(
    limits.presentWindows,
    windows => windows.size + 1,
  )

  constructor(bus: PresenceBus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
    bus.subscribe(topic, message => this.#receive(JSON.parse(message)))
  }

  /** Publishes the report to all processes, and returns the other tokens that have the object open. */
  report(report: PresenceReport): PresentToken[] {
    this.#bus.publish(topic, JSON.stringify(report))
    const others = new Map<string, PresentToken>()
    for (const [window, { tokenId, name }] of this.#open.get(objectOf(report)) ?? []) {
      if (window === report.window) continue
      const before = others.get(tokenId)?.windows ?? 0
      others.set(tokenId, { name, isSame: tokenId === report.tokenId, windows: before + 1 })
    }
    return [...others.values()].sort((left, right) => left.name.localeCompare(right.name))
  }

  #receive(report: PresenceReport): void {
    const now = this.#clock.now()
    const object = objectOf(report)
    const { window, tokenId, name } = report
    const windows = new Map(
      [...(this.#open.get(object) ?? [])].filter(
        ([id, { seenAt }]) => id !== window && now - seenAt < limits.presenceMilliseconds,
      ),
    )
    if (!report.leaving && windows.size < limits.windowsPerObject)
      windows.set(window, { tokenId, name, seenAt: now })
    this.#open.set(object, windows)
  }
}
