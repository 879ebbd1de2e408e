import { randomBytes } from 'node:crypto'

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

/** 128 random bits: ids are unguessable, since whoever knows some of them may use what they name. */
export const mintId = (prefix: IdPrefix): string => `${prefix}_${randomBytes(16).toString('base64url')}`
