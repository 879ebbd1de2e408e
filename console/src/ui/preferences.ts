import { useSyncExternalStore } from 'react'
import { readStored, store } from './storage.ts'

export type Language = 'en' | 'zh'
export type Theme = 'light' | 'dark' | 'system'

const listeners = new Set<() => void>()
const read = <Value extends string>(key: string, allowed: readonly Value[], otherwise: Value): Value => {
  const kept = readStored(key) as Value | undefined
  return kept !== undefined && allowed.includes(kept) ? kept : otherwise
}

let language = read<Language>(
  'banyan.language',
  ['en', 'zh'],
  navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en',
)
let theme = read<Theme>('banyan.theme', ['light', 'dark', 'system'], 'system')

const changed = (): void => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function setLanguage(next: Language): void {
  language = next
  store('banyan.language', next)
  changed()
}

export function setTheme(next: Theme): void {
  theme = next
  store('banyan.theme', next)
  changed()
}

/** Applies the preferences in the address of the page, which are not stored. */
export function overridePreferences(asked: { language: string | null; theme: string | null }): void {
  if (asked.language === 'en' || asked.language === 'zh') language = asked.language
  if (asked.theme === 'light' || asked.theme === 'dark') theme = asked.theme
}

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')
darkSystem.addEventListener('change', changed)
const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)')
reducedMotion.addEventListener('change', changed)

export const useLanguage = (): Language => useSyncExternalStore(subscribe, () => language)
export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => theme)
/** Whether the dark theme is shown, by choice or by system preference. */
export const useIsDark = (): boolean =>
  useSyncExternalStore(subscribe, () => theme === 'dark' || (theme === 'system' && darkSystem.matches))
/** Whether the system is set to reduce animations. */
export const useReducedMotion = (): boolean => useSyncExternalStore(subscribe, () => reducedMotion.matches)
