import { hash } from 'node:crypto'
import { randomText } from './random-text.ts'

type IdPrefix =
  | 'wf'
  | 'agent'
  | 'conv'
  | 'chat'
  | 'msg'
  | 'note'
  | 'kb'
  | 'file'
  | 'run'
  | 'tok'
  | 'ws'
  | 'gen'
  | 'batch'
  | 'seg'
  | 'model'
  | 'trig'
  | 'inst'
  | 'tset'
  | 'tcase'
  | 'trun'
  | 'gold'
  | 'grun'
  | 'tool'
  | 'page'

/** 128 random bits: knowing some ids grants access, so they must not be guessable. */
export const mintId = (prefix: IdPrefix): string => `${prefix}_${randomText(16)}`

/** An id that depends only on these parts, and cannot be guessed without knowing all of them. */
export const derivedId = (prefix: IdPrefix, parts: unknown[]): string =>
  `${prefix}_${hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16).toString('base64url')}`
