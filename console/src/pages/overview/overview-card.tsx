import { type ReactNode, useId } from 'react'

export function OverviewCard({
  title,
  more,
  children,
}: {
  title: string
  more?: ReactNode
  children: ReactNode
}) {
  const titleId = useId()
  return (
    <section className="overview-card" aria-labelledby={titleId}>
      <div className="overview-card-head">
        <h2 id={titleId}>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  )
}
