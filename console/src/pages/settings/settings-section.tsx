import { type ReactNode, useId } from 'react'

export function SettingsSection({
  title,
  isWide = false,
  children,
}: {
  title: string
  isWide?: boolean
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section
      className={isWide ? 'settings-section settings-wide' : 'settings-section'}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </section>
  )
}
