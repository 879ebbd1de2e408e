import { limits } from '../contract/limits.ts'
import type { Clock } from '../kernel/clock.ts'
import { FairShare } from '../kernel/fair-share.ts'

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

interface OpenObject {
  workspaceId: string
  windows: Map<string, OpenWindow>
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

/** Every process receives all reports and keeps them for a minute. A lost message hides a window until its next report. */
export class Presence {
  readonly #bus: PresenceBus
  readonly #clock: Clock
  /** By object; the object that was reported longest ago is first. */
  readonly #open = new Map<string, OpenObject>()
  /** Windows beyond the share of their workspace are not shown, and displace no others. */
  readonly #share = new FairShare(limits.presentWindows)

  constructor(bus: PresenceBus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
    bus.subscribe(topic, message => this.#receive(JSON.parse(message)))
  }

  /** Publishes the report to all processes, and returns the other tokens that have the object open. */
  report(report: PresenceReport): PresentToken[] {
    this.#bus.publish(topic, JSON.stringify(report))
    const others = new Map<string, PresentToken>()
    for (const [window, { tokenId, name }] of this.#open.get(objectOf(report))?.windows ?? []) {
      if (window === report.window) continue
      const before = others.get(tokenId)?.windows ?? 0
      others.set(tokenId, { name, isSame: tokenId === report.tokenId, windows: before + 1 })
    }
    return [...others.values()].sort((left, right) => left.name.localeCompare(right.name))
  }

  #receive(report: PresenceReport): void {
    const now = this.#clock.now()
    for (const [object, { seenAt }] of this.#open) {
      if (now - seenAt < limits.presenceMilliseconds) break
      this.#remove(object, () => true)
    }
    const object = objectOf(report)
    const { workspaceId, window, tokenId, name } = report
    const isGone = (id: string, seenAt: number) =>
      id === window || now - seenAt >= limits.presenceMilliseconds
    const windows = this.#remove(object, isGone)
    if (!report.leaving && windows.size < limits.windowsPerObject && this.#share.take(workspaceId, 1))
      windows.set(window, { tokenId, name, seenAt: now })
    if (windows.size > 0) this.#open.set(object, { workspaceId, windows, seenAt: now })
  }

  /** Removes an object; returns its windows that are not gone, which keep their share. */
  #remove(object: string, isGone: (id: string, seenAt: number) => boolean): Map<string, OpenWindow> {
    const { workspaceId = '', windows = new Map<string, OpenWindow>() } = this.#open.get(object) ?? {}
    this.#open.delete(object)
    for (const [id, { seenAt }] of windows)
      if (isGone(id, seenAt)) {
        windows.delete(id)
        this.#share.give(workspaceId, 1)
      }
    return windows
  }
}
