import type { KindRecord, LocalizedText } from '../../contract/kind-operations.ts'

/** What people read of a field, and of what is inside it. */
export interface FieldWords {
  readonly label: LocalizedText
  readonly help?: LocalizedText
  /** Of each text that the shape offers. */
  readonly options?: Readonly<Record<string, LocalizedText>>
  /** Of an object, or of the objects in a list or a dictionary. */
  readonly fields?: Readonly<Record<string, FieldWords>>
}

/**
 * What an editor shows of a kind. It stands beside the kind and not in it, because only the answer that an editor asks
 * for and the written reference need it: a server that nobody draws on never loads a word.
 */
export interface KindCard extends Pick<KindRecord, 'group' | 'title' | 'about' | 'data'> {
  readonly fields: Readonly<Record<string, FieldWords>>
}
