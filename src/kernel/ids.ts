import { randomText } from './random-text.ts'

export type IdPrefix =
  | 'wf'
  | 'agent'
  | 'conv'
  | 'chat'
  | 'msg'
  | 'kb'
  | 'file'
  | 'run'
  | 'tok'
  | 'ws'
  | 'gen'
  | 'batch'
  | 'seg'
  | 'model'
  | 'inst'

/** 128 random bits: knowing some ids grants access, so they must not be guessable. */
export const mintId = (prefix: IdPrefix): string => `${prefix}_${randomText(16)}`
