import type { NodeMark } from '../workflow-editor.ts'

/** A node as it is drawn. Two cards with equal members look the same. */
export interface Card {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly title: string
  readonly kindTitle: string
  /** What it is set to, in one line. */
  readonly detail: string
  readonly kind: string
  readonly group: string
  readonly severity: 'error' | 'warning' | undefined
  readonly findings: number
  readonly mark: NodeMark['status'] | undefined
  readonly markText: string
  readonly isSelected: boolean
  /** What a screen reader says. */
  readonly label: string
  /** Whether an edge can begin or end here. */
  readonly hasIn: boolean
  readonly hasOut: boolean
}

/** An edge as it is drawn. */
export interface Wire {
  readonly key: string
  readonly from: string
  readonly to: string
  readonly label: string
  readonly isSelected: boolean
  /** Whether the run that is being watched went along it. */
  readonly isLive: boolean
}

export interface Scene {
  readonly cards: readonly Card[]
  readonly wires: readonly Wire[]
}
