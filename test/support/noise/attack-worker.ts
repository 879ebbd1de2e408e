/** Attacks in a thread of its own, so that preparing large bodies does not delay the measured reads. */
import { parentPort, workerData } from 'node:worker_threads'
import { apiClient } from '../api-client.ts'
import { attacks } from './attacks.ts'

export interface AttackData {
  name: string
  base: string
  token: string
  viewerToken: string
  silentUrl: string
  toolUrl: string
}

const { name, base, token, viewerToken, silentUrl, toolUrl } = workerData as AttackData
const attacker = { api: apiClient(base, token), viewer: apiClient(base, viewerToken), silentUrl, toolUrl }
// Terminating the thread ends the attack.
await attacks[name]!(attacker, new AbortController().signal)
parentPort!.postMessage('unfolded')
// A turn that nothing answers must not let the thread end.
setInterval(() => {}, 60_000)
